#include "engine/experiment/ladder_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine/experiment/ladder_doubts.h"
#include "engine/host/host.h"

namespace pipetop {
namespace {

constexpr const char* kNoRun = "no run of it was completed";
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

// Of each round that has both.
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
    rungs[i].gib_per_s = spread_or(values_of(rates[i]), kNoRun);
    rungs[i].times_first =
        spread_or(ratios(rates[i], rates[0]), rates[i].empty() ? kNoRun : kNoPair);
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
    const double median = spread_of(values_of(of_rung)).median;
    // Where most runs stood still, no round is told from another.
    if (median > 0) logarithms += std::log(of_rung.at(round) / median);
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
  if (paces.size() < 2)
    return Reading<LadderDrift>::warming("it takes two whole rounds to see a drift");
  const double median = spread_of(paces).median;
  if (median <= 0) return Reading<LadderDrift>::warming("most rounds stood still");
  for (RoundPace& pace : drift.rounds) pace.ratio /= median;
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
  if (all_ns == 0) return Reading<LadderSteal>::warming("the runs were too short to tell");
  steal.mean = stolen_ns / all_ns;
  return Reading<LadderSteal>::of(steal);
}

// ---- falls ------------------------------------------------------------------

std::string fall_words(const std::string& name, const std::string& before, const Spread& ratio) {
  const std::string middle = ratio.count < 2
                                 ? "one round only"
                                 : fmt::format("middle half of {} rounds: {:.2f} to {:.2f} times",
                                               ratio.count, ratio.lower, ratio.upper);
  return fmt::format("{} fell below {} by {:.1f} % ({}{})", name, before, 100 * (1 - ratio.median),
                     middle, ratio.upper >= 1 ? ", so within the spread" : "");
}

std::vector<LadderFall> falls_of(const Ladder& ladder, const std::vector<Rates>& rates) {
  std::vector<LadderFall> falls;
  for (size_t i = 1; i < rates.size(); ++i) {
    const std::vector<double> over_before = ratios(rates[i], rates[i - 1]);
    if (over_before.empty()) continue;
    const Spread ratio = spread_of(over_before);
    const auto& rungs = ladder.options.rungs;
    if (ratio.median < 1)
      falls.push_back({i, ratio, fall_words(rungs[i].name, rungs[i - 1].name, ratio)});
  }
  return falls;
}

Reading<bool> monotone(const LadderReport& report, const std::vector<Rates>& rates) {
  if (!report.falls.empty()) return Reading<bool>::of(false);
  for (size_t i = 1; i < rates.size(); ++i)
    if (ratios(rates[i], rates[i - 1]).empty())
      return Reading<bool>::warming("no round has both of two neighbouring rungs");
  return Reading<bool>::of(true);
}

}  // namespace

LadderReport report(Ladder ladder) {
  const std::vector<Rates> rates = rates_of(ladder);
  LadderReport report;
  report.rungs = rungs_of(ladder, rates);
  report.drift = drift_of(ladder, rates);
  report.steal = steal_of(ladder);
  report.falls = falls_of(ladder, rates);
  report.monotone = monotone(report, rates);
  report.ladder = std::move(ladder);
  add_doubts(report);
  return report;
}

}  // namespace pipetop
