#include "engine/experiment/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/registry/knobs.h"

namespace pipetop {
namespace {

constexpr uint32_t kMostValues = 64;

uint32_t number_in(const Knob& knob, std::string_view text, std::string_view range) {
  uint32_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size())
    throw Error(fmt::format("--{}: \"{}\" is not a range: give a number, or two such as 1..4",
                            knob.name, range));
  return n;
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

class SweepEngine {
 public:
  SweepEngine(const SweepOptions& options, Sweep& sweep, Interrupts& interrupts)
      : options_(options), sweep_(sweep), session_(first_options(options), interrupts) {}

  // False if it was cut short; then nothing is kept.
  bool run_round(int round, const std::function<void(size_t row)>& before) {
    std::vector<SweepRun> runs(sweep_.rows.size());
    for (size_t i = 0; i < sweep_.rows.size(); ++i) {
      // In alternating direction.
      const size_t at = round % 2 == 0 ? i : sweep_.rows.size() - 1 - i;
      before(at);
      const Trial trial = run_trial(session_, sweep_.rows[at].settings, options_.length);
      if (trial.cut_short) return false;
      // Without its snapshots, which contain the history.
      runs[at] = {round, trial.rate(), trial.steal_share, trial.end.parts};
      SweepRow& row = sweep_.rows[at];
      row.mismatches = trial.end.effective.mismatches;
      row.figures = trial.end.figures;
      sweep_.event = trial.end.event;
      for (size_t role = 0; role < kRoles; ++role)
        row.functions[role] = trial.segment.roles[role].functions;
    }
    for (size_t i = 0; i < runs.size(); ++i) sweep_.rows[i].runs.push_back(std::move(runs[i]));
    return true;
  }

 private:
  static EngineOptions first_options(const SweepOptions& options) {
    EngineOptions first = options.engine;
    options.plan.knob->set(first.settings, options.plan.values.front());
    validate(first.settings);
    return first;
  }

  const SweepOptions& options_;
  Sweep& sweep_;
  Session session_;
};

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

std::vector<double> SweepRow::rates() const {
  std::vector<double> rates;
  for (const SweepRun& run : runs) rates.push_back(run.rate);
  return rates;
}

std::vector<double> SweepRow::times(const SweepRow& first) const {
  std::vector<double> times;
  for (size_t i = 0; i < std::min(runs.size(), first.runs.size()); ++i)
    if (first.runs[i].rate > 0) times.push_back(runs[i].rate / first.runs[i].rate);
  return times;
}

Sweep run_sweep(const SweepOptions& options, Interrupts& interrupts,
                const std::function<void(const std::string& value, int done, int all)>& progress) {
  Sweep sweep;
  sweep.plan = options.plan;
  for (const std::string& value : options.plan.values) {
    SweepRow row;
    row.value = value;
    row.settings = options.engine.settings;
    options.plan.knob->set(row.settings, value);
    validate(row.settings);
    sweep.rows.push_back(std::move(row));
  }
  SweepEngine engine(options, sweep, interrupts);
  const int values = static_cast<int>(sweep.rows.size()), all = options.rounds * values;
  int done = 0;
  for (int round = 0; round < options.rounds; ++round) {
    const bool whole =
        engine.run_round(round, [&](size_t row) { progress(sweep.rows[row].value, done++, all); });
    if (!whole) break;
    ++sweep.rounds;
  }
  return sweep;
}

}  // namespace pipetop
