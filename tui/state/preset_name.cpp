#include "tui/state/preset_name.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/registry/workloads.h"

namespace pipetop::tui {
namespace {

Settings at_pace_of(Settings settings, const Settings& pace) {
  settings.pipe.slow_motion = pace.pipe.slow_motion;
  settings.pipe.single_step = pace.pipe.single_step;
  return settings;
}

// nullptr if there is none.
const Preset* find_exact(std::span<const Preset> presets, const Settings& settings) {
  const auto found = std::ranges::find(presets, settings,
                                       [&](const Preset& preset) { return preset.from(settings); });
  return found == presets.end() ? nullptr : &*found;
}
const Preset* find_but_for_pace(std::span<const Preset> presets, const Settings& settings) {
  const auto found = std::ranges::find(presets, settings, [&](const Preset& preset) {
    return at_pace_of(preset.from(settings), settings);
  });
  return found == presets.end() ? nullptr : &*found;
}

// "" for `wait` if the roles differ: then the roles' own knobs are said.
bool is_said(const Knob& knob, const Settings& before, const Settings& after) {
  const auto agrees = [](const Settings& s) { return s.pipe.writer_wait == s.pipe.reader_wait; };
  const bool both_agree = agrees(before) && agrees(after);
  if (knob.name == "wait") return both_agree;
  return !(knob.name.ends_with(".wait") && both_agree);
}

}  // namespace

std::string_view preset_of(std::span<const Preset> presets, const Settings& settings) {
  const Preset* found = find_exact(presets, settings);
  if (!found) found = find_but_for_pace(presets, settings);
  return found ? std::string_view(found->name) : "custom";
}

std::string name_of(std::span<const Preset> presets, const Settings& settings) {
  std::string name(preset_of(presets, settings));
  if (find_exact(presets, settings)) return name;
  if (settings.pipe.single_step) return name + " · single steps";
  return settings.pipe.slow_motion ? name + " · slow motion" : name;
}

std::string taken_back(const Settings& base, const Settings& before, const Settings& after) {
  std::string text;
  for (const Knob& knob : knobs_of(after)) {
    const std::string was = knob.get(before), is = knob.get(after);
    if (was == is || knob.get(base) != is || !is_said(knob, before, after)) continue;
    const auto shown = [](const std::string& value) { return value.empty() ? "none" : value; };
    text += fmt::format("{}{} {} → {}", text.empty() ? "" : ", ", knob.name, shown(was), shown(is));
  }
  return text;
}

}  // namespace pipetop::tui
