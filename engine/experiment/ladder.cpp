#include "engine/experiment/ladder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/host/host.h"
#include "engine/judge/change_words.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

EngineOptions engine_options(const LadderOptions& options) {
  EngineOptions engine = options.engine;
  engine.settings = options.rungs.front().settings;
  return engine;
}

uint64_t expected_ns(const TrialLength& length) {
  return length.bytes != 0 ? 0 : length.warmup_ns + length.duration_ns;
}

// Otherwise the histories in every run's two snapshots would take most of our memory.
void forget_histories(Snapshot& s) {
  s.throughput.history = {};
  s.throughput.marks = {};
  s.throughput.segments = {};
  s.throughput.previous = {};
  s.ring.frame = {};
  s.ring.history = {};
  for (WorkerReadings& worker : s.workers) worker.functions = {}, worker.blocked = {};
  s.notices = {};
}

class LadderRunner {
 public:
  LadderRunner(const LadderOptions& options, Interrupts& interrupts, const StepReport& progress)
      : progress_(progress),
        interrupts_(interrupts),
        to_come_(options.rungs.size(), options.rounds),
        time_left_(options.rungs.size(), expected_ns(options.length)) {
    ladder_.options = options;
  }

  Ladder all() {
    const LadderOptions& options = ladder_.options;
    const bool renews = terms_of(options.rungs.front().settings).process_has_its_pace;
    for (uint32_t round = 1; round <= options.rounds; ++round) {
      if (!session_ || renews) session_.emplace(engine_options(options), interrupts_);
      for (const size_t rung : ladder_order(options.rungs.size(), options.seed, round))
        if (!measure(rung, round)) return std::move(ladder_);
    }
    return std::move(ladder_);
  }

 private:
  // False if it was asked to stop before the run was complete.
  bool measure(size_t rung, uint32_t round) {
    const Preset& preset = ladder_.options.rungs[rung];
    const uint64_t began_ns = now_ns();
    TrialListener listener;
    listener.waiting = [&] { progress_(step(rung, round, now_ns() - began_ns)); };
    listener.waiting();
    try {
      Trial trial = run_trial(*session_, preset.settings, ladder_.options.length, listener);
      if (!trial.cut_short) keep({rung, round, std::move(trial)}, now_ns() - began_ns);
    } catch (const Error& e) {
      throw Error(fmt::format("{}: {}", preset.name, e.what()), e.exit());
    }
    return !interrupts_.ended();
  }

  ExperimentStep step(size_t rung, uint32_t round, uint64_t elapsed_ns) const {
    const LadderOptions& options = ladder_.options;
    Reading<uint64_t> left_ns = time_left_.of(to_come_);
    if (left_ns.has_value()) left_ns.value = *left_ns - std::min(*left_ns, elapsed_ns);
    const size_t runs = options.rounds * options.rungs.size();
    return {options.rungs[rung].name,          round,          options.rounds,
            uint32_t(ladder_.runs.size()) + 1, uint32_t(runs), left_ns};
  }

  void keep(LadderRun run, uint64_t taken_ns) {
    time_left_.add(run.rung, taken_ns);
    --to_come_[run.rung];
    forget_histories(run.trial.begin);
    forget_histories(run.trial.end);
    ladder_.runs.push_back(std::move(run));
  }

  uint64_t now_ns() const { return interrupts_.now_ns(); }

  const StepReport& progress_;
  Interrupts& interrupts_;
  std::optional<Session> session_;
  Ladder ladder_;
  std::vector<uint32_t> to_come_;  // runs, by rung
  TimeLeft time_left_;
};

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

std::vector<size_t> ladder_order(size_t rungs, std::optional<uint32_t> seed, uint32_t round) {
  std::vector<size_t> order(rungs);
  std::iota(order.begin(), order.end(), size_t{0});
  if (!seed && round % 2 == 0) std::ranges::reverse(order);
  if (!seed) return order;
  // Not std::shuffle, whose result differs between libraries.
  std::mt19937_64 random(uint64_t{*seed} << 32 | round);
  for (size_t left = rungs; left > 1; --left) std::swap(order[left - 1], order[random() % left]);
  return order;
}

Ladder run_ladder(const LadderOptions& options, Interrupts& interrupts,
                  const StepReport& progress) {
  Ladder ladder = LadderRunner(options, interrupts, progress).all();
  ladder.ended_by_signal = interrupts.signal();
  return ladder;
}

// ---- report -----------------------------------------------------------------

namespace {

constexpr const char* kNoRun = "none of its runs was completed";
constexpr const char* kNoPair = "no round has both it and the first rung";

// The rates by round of one rung.
using Rates = std::map<uint32_t, double>;

std::vector<Rates> rates_of(const Ladder& ladder) {
  std::vector<Rates> rates(ladder.options.rungs.size());
  for (const LadderRun& run : ladder.runs) rates[run.rung][run.round] = run.trial.rate();
  return rates;
}

Reading<Spread> spread_or(const std::vector<double>& figures, const char* why_not) {
  return figures.empty() ? Reading<Spread>::warming(why_not)
                         : Reading<Spread>::of(spread_of(figures));
}

std::vector<double> values_of(const Rates& rates) {
  std::vector<double> values;
  for (const auto& [round, rate] : rates) values.push_back(rate);
  return values;
}

// For each round that has both.
std::vector<double> ratios(const Rates& of, const Rates& over) {
  std::vector<double> ratios;
  for (const auto& [round, rate] : of) {
    const auto other = over.find(round);
    if (other != over.end() && other->second > 0) ratios.push_back(rate / other->second);
  }
  return ratios;
}

void add_new(std::vector<Mismatch>& all, const std::vector<Mismatch>& more) {
  for (const Mismatch& m : more) {
    const bool known = std::ranges::any_of(all, [&](const Mismatch& k) {
      return k.knob == m.knob && k.effective == m.effective && k.reason == m.reason;
    });
    if (!known) all.push_back(m);
  }
}

std::vector<LadderRung> rungs_of(const Ladder& ladder, const std::vector<Rates>& rates) {
  std::vector<LadderRung> rungs(rates.size());
  for (size_t i = 0; i < rates.size(); ++i) {
    rungs[i].rate = spread_or(values_of(rates[i]), kNoRun);
    rungs[i].times_first =
        spread_or(ratios(rates[i], rates[0]), rates[i].empty() ? kNoRun : kNoPair);
    rungs[i].over_first = ratio_interval(ratios(rates[i], rates[0]));
  }
  for (const LadderRun& run : ladder.runs)
    add_new(rungs[run.rung].mismatches, run.trial.end.effective.mismatches);
  return rungs;
}

// ---- drift ------------------------------------------------------------------

bool is_whole(uint32_t round, const std::vector<Rates>& rates) {
  return std::ranges::all_of(rates, [&](const Rates& r) { return r.contains(round); });
}

double pace_of(uint32_t round, const std::vector<Rates>& rates) {
  double logarithms = 0;
  for (const Rates& of_rung : rates) {
    const double middle = median(values_of(of_rung));
    // If most runs moved nothing, rounds cannot be compared.
    if (middle > 0) logarithms += std::log(of_rung.at(round) / middle);
  }
  return std::exp(logarithms / double(rates.size()));
}

double distance(const RoundPace& pace) { return std::abs(std::log(pace.ratio)); }

Reading<LadderDrift> drift_of(const Ladder& ladder, const std::vector<Rates>& rates) {
  LadderDrift drift;
  std::vector<double> paces;
  for (uint32_t round = 1; round <= ladder.options.rounds; ++round) {
    if (!is_whole(round, rates)) continue;
    drift.rounds.push_back({round, pace_of(round, rates)});
    paces.push_back(drift.rounds.back().ratio);
  }
  if (paces.size() < 2) return Reading<LadderDrift>::warming("drift needs two complete rounds");
  const double middle = median(paces);
  if (middle <= 0) return Reading<LadderDrift>::warming("in most rounds nothing moved");
  for (RoundPace& pace : drift.rounds) pace.ratio /= middle;
  drift.farthest = *std::ranges::max_element(drift.rounds, {}, distance);
  return Reading<LadderDrift>::of(std::move(drift));
}

// ---- steal ------------------------------------------------------------------

Reading<LadderSteal> steal_of(const Ladder& ladder) {
  LadderSteal steal;
  double stolen_ns = 0, all_ns = 0;
  for (const LadderRun& run : ladder.runs) {
    if (!run.trial.steal_share.has_value()) continue;
    const double share = *run.trial.steal_share;
    if (steal.runs++ == 0 || share > steal.most) {
      steal.most = share;
      steal.rung = run.rung;
      steal.round = run.round;
    }
    if (share > kMuchSteal) ++steal.above;
    stolen_ns += share * double(run.trial.duration_ns());
    all_ns += double(run.trial.duration_ns());
  }
  if (all_ns == 0) return Reading<LadderSteal>::warming("the runs were too short");
  steal.mean = stolen_ns / all_ns;
  return Reading<LadderSteal>::of(steal);
}

// ---- falls ------------------------------------------------------------------

std::string fall_text(const std::string& name, const std::string& before,
                      const RatioInterval& ratio, size_t rounds) {
  return fmt::format("{} fell below {} by {:.1f} % ({:.2f}{} times in {} rounds)", name, before,
                     100 * (1 - ratio.ratio), ratio.ratio, interval_text(ratio.low, ratio.high),
                     rounds);
}

std::vector<LadderFall> falls_of(const Ladder& ladder, const std::vector<Rates>& rates) {
  std::vector<LadderFall> falls;
  for (size_t i = 1; i < rates.size(); ++i) {
    const std::vector<double> over_before = ratios(rates[i], rates[i - 1]);
    const RatioInterval ratio = ratio_interval(over_before);
    const auto& rungs = ladder.options.rungs;
    if (ratio.high < 1)
      falls.push_back({i, spread_of(over_before), ratio,
                       fall_text(rungs[i].name, rungs[i - 1].name, ratio, over_before.size())});
  }
  return falls;
}

Reading<bool> monotone(const LadderReport& report, const Ladder& ladder,
                       const std::vector<Rates>& rates) {
  if (!report.falls.empty()) return Reading<bool>::of(false);
  for (size_t i = 1; i < rates.size(); ++i) {
    if (ratios(rates[i], rates[i - 1]).empty())
      return Reading<bool>::warming("no round has two adjacent rungs");
    if (report.rungs[i].rate->median < report.rungs[i - 1].rate->median)
      return Reading<bool>::warming(
          fmt::format("{} is below {}, within the noise: more rounds would tell",
                      ladder.options.rungs[i].name, ladder.options.rungs[i - 1].name));
  }
  return Reading<bool>::of(true);
}

// ---- warnings ---------------------------------------------------------------

std::string place(const LadderReport& report, size_t rung, uint32_t round) {
  return fmt::format("{}, round {}", report.preset(rung).name, round);
}

void warn_of_workers(LadderReport& report, const LadderRun& run) {
  for (const WorkerReadings& after : run.trial.end.workers) {
    const uint32_t deaths = after.restarts - run.trial.begin.worker(after.role).restarts;
    if (deaths == 0 && after.state != ProcessState::restarting) continue;
    report.warn(Exit::worker_failed,
                fmt::format("the {} died during the measurement ({})", to_text(after.role),
                            place(report, run.rung, run.round)));
  }
}

uint64_t damaged(const Snapshot& s) {
  if (!s.integrity.has_value()) return 0;
  return s.integrity->misplaced + s.integrity->torn + s.integrity->unstamped;
}

// With a single buffer, damage is expected.
void warn_of_pages(LadderReport& report, const LadderRun& run) {
  const uint64_t before = damaged(run.trial.begin), after = damaged(run.trial.end);
  if (after <= before || run.trial.settings.pipe.buffers == Buffers::single) return;
  report.warn(Exit::untrustworthy, fmt::format("{} pages arrived damaged ({})", after - before,
                                               place(report, run.rung, run.round)));
}

void warn_of_steal(LadderReport& report) {
  if (!report.steal.has_value() || report.steal->above == 0) return;
  const LadderSteal& steal = *report.steal;
  report.warn(
      Exit::untrustworthy,
      fmt::format("the host stole more than {:.0f} % of the time in {} of {} runs, {:.1f} % in the "
                  "worst ({})",
                  100 * kMuchSteal, steal.above, steal.runs, 100 * steal.most,
                  place(report, steal.rung, steal.round)));
}

std::string noise_of(const LadderReport& report) {
  size_t disturbed = 0;
  std::string example;
  for (const LadderRun& run : report.ladder.runs)
    if (std::string noise = run.trial.noise(false); !noise.empty() && disturbed++ == 0)
      example = fmt::format("{} ({})", noise, place(report, run.rung, run.round));
  if (disturbed == 0) return "";
  return fmt::format("{} of {} runs were disturbed, the first: {}", disturbed,
                     report.ladder.runs.size(), example);
}

void warn_of_drift(LadderReport& report) {
  if (!report.drift.has_value()) return;
  const RoundPace& pace = report.drift->farthest;
  if (pace.ratio <= kMuchDrift && pace.ratio >= 1 / kMuchDrift) return;
  report.warn(
      Exit::untrustworthy,
      fmt::format("the machine drifted: round {} ran at {:.2f} times the speed of the median "
                  "round; the limit is a factor of {}",
                  pace.round, pace.ratio, kMuchDrift));
}

}  // namespace

LadderReport report(Ladder ladder) {
  const std::vector<Rates> rates = rates_of(ladder);
  LadderReport report;
  report.rungs = rungs_of(ladder, rates);
  report.drift = drift_of(ladder, rates);
  report.steal = steal_of(ladder);
  report.falls = falls_of(ladder, rates);
  report.monotone = monotone(report, ladder, rates);
  report.ladder = std::move(ladder);
  report.noise = noise_of(report);
  // The warnings, which also set the exit code.
  for (const LadderRun& run : report.ladder.runs) warn_of_workers(report, run);
  for (const LadderRun& run : report.ladder.runs) warn_of_pages(report, run);
  warn_of_steal(report);
  // What goes there and back again is compared within a round.
  if (report.ladder.options.seed) warn_of_drift(report);
  return report;
}

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
