// A value as people write it: a size, a duration, a knob's value, a range or a list.
#include <algorithm>
#include <array>
#include <string>

#include "engine/base/text.h"
#include "engine/config/yaml_document.h"
#include "engine/experiment/ladder.h"
#include "engine/tests/fuzz/fuzz.h"
#include "engine/workload/table/workloads.h"

using namespace pipetop;
using fuzz::accepted;
using fuzz::expect;

namespace {

using Parse = uint64_t(std::string_view);
using Format = std::string(uint64_t);

void check_number(std::string_view text, Parse* parse, Format* format) {
  uint64_t value = 0;
  if (accepted([&] { value = parse(text); }))
    expect(parse(format(value)) == value, "what is printed can be read back");
}

void check_knob(const Knob& knob, const std::string& text) {
  Settings settings, again;
  settings.workload = again.workload = workload_of(knob);
  if (accepted([&] { knob.set(settings, text); })) {
    const std::string value = knob.get(settings);
    expect(value.empty() || accepted([&] { knob.set(again, value); }), "a knob reads its value");
    expect(value.empty() || knob.get(again) == value, "a knob's value stays");
  }
  SweepPlan plan;
  if (names_several(knob, text) && accepted([&] { plan = sweep_of(knob, text); }))
    expect(plan.values.size() > 1, "a sweep has several values");
}

void check_words(std::string_view text) {
  const std::string line = one_line(text);
  expect(!find_text_fault(line) && line.size() < 600, "a line is text");
  constexpr std::array<std::string_view, 3> kNames = {"busy", "busy_poll", "write_with"};
  const auto near = nearest(text, kNames);
  expect(std::ranges::find(kNames, text) == kNames.end() || near == text, "a name is nearest");
}

}  // namespace

PIPETOP_FUZZ_TARGET(values) {
  const std::string text(fuzz::text_of(data, size));
  check_number(text, parse_size, format_size);
  check_number(text, parse_duration_ns, format_duration);
  for (const Knob& knob : knobs()) check_knob(knob, text);
  check_words(text);
}
