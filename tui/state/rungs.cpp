#include "tui/state/rungs.h"

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

// Observers are no rung of their own.
Settings compared_settings(Settings s) {
  s.observers = Observing::on;
  return s;
}

struct RungOf {
  Settings settings;
  Rung rung;
};

class RungMaker {
 public:
  RungMaker(const Snapshot& s, std::span<const Preset> presets)
      : kind_(s.throughput.current.requested.workload), presets_(presets) {}

  void add(const Segment& segment, bool present) {
    if (segment.requested.workload != kind_) return;
    const bool slow = segment.requested.pipe.slow_motion;
    const bool known = segment.rate.has_value() && !slow;
    if (!known && !present) return;
    Rung& rung = of(segment);
    rung.present = present;
    rung.rate = known ? std::optional(segment.rate->mean) : std::nullopt;
  }

  std::vector<Rung> take() {
    std::vector<Rung> rungs;
    for (RungOf& one : made_) rungs.push_back(std::move(one.rung));
    const bool compared = !rungs.empty() && rungs.front().rate.value_or(0) > 0;
    for (Rung& rung : rungs)
      if (compared && rung.rate) rung.times = *rung.rate / *rungs.front().rate;
    return rungs;
  }

 private:
  Rung& of(const Segment& segment) {
    const Settings settings = compared_settings(segment.requested);
    const auto found = std::ranges::find(made_, settings, &RungOf::settings);
    if (found != made_.end()) return found->rung;
    const auto preset = std::ranges::find_if(
        presets_, [&](const Preset& p) { return compared_settings(p.settings) == settings; });
    const bool named = preset != presets_.end();
    Rung rung;
    rung.name = named ? preset->name : segment.label;
    if (named) rung.article = preset->article_gib_per_s;
    made_.push_back({settings, std::move(rung)});
    return made_.back().rung;
  }

  WorkloadKind kind_;
  std::span<const Preset> presets_;
  std::vector<RungOf> made_;
};

}  // namespace

const Preset* find_exact(std::span<const Preset> presets, const Settings& settings) {
  const auto found = std::ranges::find(presets, settings,
                                       [&](const Preset& preset) { return preset.from(settings); });
  return found == presets.end() ? nullptr : &*found;
}

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

std::vector<Rung> rungs_of(const Snapshot& s, std::span<const Preset> presets) {
  RungMaker maker(s, presets);
  for (const auto& segment : s.throughput.segments) maker.add(*segment, false);
  maker.add(s.throughput.current, true);
  return maker.take();
}

}  // namespace pipetop::tui
