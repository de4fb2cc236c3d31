#include "engine/experiment/sweep.h"

#include <fmt/core.h>

#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

constexpr uint32_t kMostValues = 64;

uint32_t number_in(const Knob& knob, std::string_view text, std::string_view range) {
  if (const auto n = parse_all<uint32_t>(text)) return *n;
  throw Error(fmt::format("--{}: \"{}\" is not a range: give a number, or two such as 1..4",
                          knob.name, range));
}

SweepPlan plan_of_range(const Knob& knob, const std::string& range) {
  const size_t dots = range.find("..");
  const uint32_t first = number_in(knob, range.substr(0, dots), range);
  const uint32_t last = number_in(knob, range.substr(dots + 2), range);
  if (last <= first || last - first >= kMostValues)
    throw Error(fmt::format("--{}: \"{}\" is out of range: give 2 to {} values, from low to high",
                            knob.name, range, kMostValues));
  SweepPlan plan{&knob, {}};
  for (uint32_t n = first; n <= last; ++n) plan.values.push_back(std::to_string(n));
  return plan;
}

}  // namespace

bool names_several(const Knob& knob, std::string_view text) {
  const bool range = knob.kind == KnobKind::number && text.find("..") != text.npos;
  return range || text.find(',') != text.npos;
}

SweepPlan sweep_of(const Knob& knob, const std::string& text) {
  const bool is_list = text.find(',') != text.npos;
  SweepPlan plan = is_list ? SweepPlan{&knob, split(text, ',')} : plan_of_range(knob, text);
  // Each has to be one of its values.
  for (const std::string& value : plan.values) {
    Settings settings;
    try {
      knob.set(settings, value);
    } catch (const Error& e) {
      throw Error(fmt::format("--{}: {}", knob.name, e.what()));
    }
  }
  return plan;
}

SweepPlan sweep_of_values(const Knob& knob) {
  return {&knob, {knob.values.begin(), knob.values.end()}};
}

Sweep run_sweep(const SweepPlan& plan, LadderOptions options, Interrupts& interrupts,
                const StepReport& progress) {
  for (const std::string& value : plan.values) {
    Preset rung{fmt::format("{} {}", plan.knob->name, value), value, options.engine.settings, 0};
    plan.knob->set(rung.settings, value);
    validate(rung.settings);
    options.rungs.push_back(std::move(rung));
  }
  options.seed = std::nullopt;
  Ladder ladder = run_ladder(options, interrupts, progress);
  ladder.options.rounds = uint32_t(ladder.runs.size() / plan.values.size());
  ladder.runs.resize(ladder.options.rounds * plan.values.size());
  return {plan, report(std::move(ladder))};
}

}  // namespace pipetop
