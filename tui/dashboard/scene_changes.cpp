#include "tui/dashboard/scene_changes.h"

#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>

#include "engine/judge/change_rules.h"
#include "engine/workload/table/workloads.h"

namespace pipetop::tui {
namespace {

// "same settings: look at gup_fast_fallback"
std::string same_settings(const std::string& highlight) {
  if (highlight.empty()) return "same settings as before";
  const bool is_part = highlight == "slots" || highlight == "rate" || highlight == "verdict";
  return fmt::format("same settings: look at {}{}", is_part ? "the " : "", highlight);
}

}  // namespace

void SceneChanges::keep(size_t index, Segment segment) {
  if (is_settled(segment.rate)) kept_[index] = std::make_shared<const Segment>(std::move(segment));
}

Reading<Change> SceneChanges::of(std::span<const Scene> scenes, size_t index,
                                 const Segment& segment) const {
  const Scene& scene = scenes[index];
  std::optional<size_t> first, before;
  for (size_t i = 0; i < index; ++i) {
    if (!are_comparable(scenes[i], scene)) continue;
    before = i;
    if (!first) first = i;
  }
  if (!before) return Reading<Change>::unavailable("");
  if (scenes[*before].settings == scene.settings)
    return Reading<Change>::unavailable(same_settings(scene.highlight));
  const auto kept = kept_.find(*before);
  if (kept == kept_.end())
    return Reading<Change>::unavailable(
        fmt::format("scene {} was not measured yet: nothing to compare with", *before + 1));
  Reading<Change> change = explain_change(*kept->second, segment, terms_of(scene.settings));
  const auto start = kept_.find(*first);
  if (change.has_value() && first != before && start != kept_.end())
    change.value->since_start = change->after / start->second->rate->mean;
  return change;
}

}  // namespace pipetop::tui
