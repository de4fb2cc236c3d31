// Two stored results, with a NUL between, or one that is compared with itself.
#include "tui/print/stored_result.h"

#include <array>
#include <cmath>
#include <string_view>

#include "engine/tests/fuzz/fuzz.h"
#include "tui/print/document.h"

using namespace pipetop;
using fuzz::accepted;
using fuzz::expect;

namespace {

void check(const ResultComparison& comparison) {
  for (const RungChange& rung : comparison.rungs) {
    const UnpairedComparison& r = rung.ratio;
    expect(rung.before >= 0 && rung.after >= 0, "a rate is a number");
    expect(r.chance >= 0 && r.chance <= 1, "a chance is a share");
    expect(!r.is_known || (r.low <= r.ratio && r.ratio <= r.high), "the interval has the ratio");
    expect(rung.more_rounds <= 999, "so many rounds can be had");
  }
  const std::array one = {comparison};
  const tui::Document document = tui::compare_document(one);
  expect(!document.human.empty() && !tui::compare_svg(comparison).empty(), "it is printed");
  expect(!tui::json_text(document).empty() && !tui::csv_text(document).empty(),
         "for programs, too");
  (void)assess(comparison, 0.05);
}

}  // namespace

PIPETOP_FUZZ_TARGET(stored_result) {
  const std::string_view text = fuzz::text_of(data, size);
  const size_t end = text.find('\0');
  StoredResult before, after;
  if (!accepted([&] { before = tui::read_stored_result("before", text.substr(0, end)); })) return;
  after = before;
  if (end != text.npos &&
      !accepted([&] { after = tui::read_stored_result("after", text.substr(end + 1)); }))
    return;
  for (const StoredResult* result : {&before, &after})
    for (const StoredRung& rung : result->rungs)
      for (const double rate : rung.rounds)
        expect(rate >= 0 && std::isfinite(rate), "a round is a rate");
  check(compare_results(before, after));
  check(compare_in_turns(before, after, 0.05).comparison);
}
