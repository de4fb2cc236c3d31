#include "tui/completion/flag_candidates.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/config/find_config.h"
#include "engine/experiment/sweep.h"
#include "engine/process/placement.h"
#include "engine/registry/knobs.h"
#include "tui/manual/topics.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<Candidate>;

// Common values; those outside of a knob's range are left out.
constexpr std::array<std::string_view, 12> kSizes = {"auto",   "4KiB",   "16KiB",  "64KiB",
                                                     "128KiB", "256KiB", "1MiB",   "4MiB",
                                                     "16MiB",  "64MiB",  "256MiB", "1GiB"};
constexpr std::array<std::string_view, 6> kNumbers = {"1", "2", "4", "8", "16", "128"};

bool takes(const Knob& knob, std::string_view value) {
  try {
    Settings settings;
    knob.set(settings, value);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool takes_several(const Knob& knob, const std::string& values) {
  try {
    sweep_of(knob, values);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Words those_taken(const Knob& knob, std::span<const std::string_view> values) {
  Words words;
  for (const std::string_view value : values)
    if (takes(knob, value)) words.push_back({std::string(value), ""});
  return words;
}

Words numbers_of(const Knob& knob, bool several) {
  Words words = those_taken(knob, kNumbers);
  if (several)
    for (const char* range : {"1..2", "1..4", "1..8"})
      if (takes_several(knob, range)) words.push_back({range, "compare all of them"});
  return words;
}

Words cpus() {
  Words words;
  for (const Cpu& cpu : read_topology()) words.push_back({std::to_string(cpu.number), ""});
  return words;
}

Words values_of_knob(const Knob& knob, bool several) {
  switch (knob.kind) {
    case KnobKind::size:
      return those_taken(knob, kSizes);
    case KnobKind::number:
      return numbers_of(knob, several);
    case KnobKind::cpu:
      return cpus();
    case KnobKind::choice:
    case KnobKind::boolean:
      break;
  }
  return those_taken(knob, knob.values);
}

Words names_of(std::span<const Preset> presets) {
  Words words;
  for (const Preset& preset : presets) words.push_back({preset.name, preset.title});
  return words;
}

Words names_of(std::span<const std::string> directories) {
  Words words;
  for (const auto& [name, path] : named_configs(directories)) words.push_back({name, path});
  return words;
}

Words topics() {
  Words words;
  for (const EmbeddedText& text : manual())
    if (!is_page(text)) words.push_back({std::string(text.name), std::string(title_of(text))});
  return words;
}

// "a|b|c"; a single placeholder word is not a candidate.
Words choices_in(std::string_view value) {
  Words words;
  if (value.find('|') == value.npos) return words;
  for (const std::string& one : split(value, '|')) words.push_back({one, ""});
  return words;
}

bool is_in_list(const std::string& list, const std::string& word) {
  return ("," + list).find("," + word + ",") != std::string::npos;
}

// For "a,b,c": what may follow the last comma and is not in the list yet.
Words go_on_with_list(const Words& choices, const std::string& typed) {
  const std::string before = typed.substr(0, typed.rfind(',') + 1);
  Words words;
  for (const Candidate& choice : choices)
    if (!is_in_list(before, choice.word)) words.push_back({before + choice.word, choice.help});
  return words;
}

}  // namespace

const Knob* knob_of(const ListedFlag& flag) {
  if (flag.names.empty()) return nullptr;
  const std::string_view name = std::string_view(flag.names.front()).substr(2);
  if (const Knob* knob = find_knob(name)) return knob;
  const auto found =
      std::ranges::find_if(knobs(), [&](const Knob& k) { return k.article.flag == name; });
  return found == knobs().end() ? nullptr : &*found;
}

Candidates values_of(const ValueQuestion& question, const Config& start,
                     std::span<const std::string> directories) {
  const auto& [flag, typed, several] = question;
  if (const Knob* knob = knob_of(flag)) {
    const Words words = values_of_knob(*knob, several);
    return {several ? go_on_with_list(words, typed) : words, {}};
  }
  if (flag.value == "CONFIG") return {names_of(directories), ".yaml"};
  if (flag.value == "NAME") return {names_of(start.presets), {}};
  if (flag.value == "NAME,...") return {go_on_with_list(names_of(start.presets), typed), {}};
  if (flag.value == "TOPIC") return {topics(), {}};
  if (flag.value == "FILE") return {{}, ""};
  return {choices_in(flag.value), {}};
}

}  // namespace pipetop::tui
