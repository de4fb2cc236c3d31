#include "tui/state/rungs.h"

#include <algorithm>

namespace pipetop::tui {
namespace {

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

std::vector<Rung> rungs_of(const Snapshot& s, std::span<const Preset> presets) {
  RungMaker maker(s, presets);
  for (const auto& segment : s.throughput.segments) maker.add(*segment, false);
  maker.add(s.throughput.current, true);
  return maker.take();
}

}  // namespace pipetop::tui
