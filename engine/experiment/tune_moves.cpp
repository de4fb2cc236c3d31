#include "engine/experiment/tune_moves.h"

#include <algorithm>
#include <cmath>

#include "engine/experiment/tune_statistics.h"

namespace pipetop {
namespace {

// Too far behind the leader in a first trial to be worth a second one.
constexpr double kFarBehind = 0.85;
// A value that lost this much against one leader is not tried against the next, except for sizes,
// which depend on each other.
constexpr double kLost = 0.96;
// This share of the moves around a leader is measured more closely, and at least this many.
constexpr size_t kShare = 4, kLeast = 4;

void add_distinct(TuneRefinement::Field& field, Contender& one) {
  if (std::ranges::find(field, &one) == field.end()) field.push_back(&one);
}

// The standard error of a ratio of two medians. A candidate with few figures does not show its
// scatter; the winner's is used instead.
Reading<double> error_of(double change, const Contender& one, const Contender& winner) {
  const std::vector<double> groups[] = {one.ratios, winner.ratios};
  const double deviation = pooled_log_deviation(groups);
  if (!std::isfinite(deviation)) return Reading<double>::warming("too few trials");
  const double trials = 1 / (1.0 / double(one.ratios.size()) + 1.0 / double(winner.ratios.size()));
  return Reading<double>::of(2 * deviation / std::sqrt(trials) * (1 + change));
}

}  // namespace

// Candidates without figures.
TuneRefinement::Field TuneRefinement::moves_around(const Contender& leader) {
  Field moves;
  const auto add = [&](const Settings& settings) {
    Contender& one = race_.enter(settings);
    if (!one.is_out() && !one.is_known()) moves.push_back(&one);
  };
  for (const TuneMove& move : space_.moves(leader.settings)) {
    const auto known = worth_.find({move.knob, move.value});
    if (move.ordered || known == worth_.end() || known->second > kLost) add(move.settings);
  }
  for (const Settings& settings : space_.diagonal_moves(leader.settings)) add(settings);
  return moves;
}

void TuneRefinement::sift(Field& field, const Contender& leader, uint64_t deadline_ns) {
  race_.round(field, brief_, deadline_ns);
  const double least = kFarBehind * leader.score();
  std::erase_if(field, [&](const Contender* c) { return c->ratios.empty() || c->score() < least; });
  race_.round(field, brief_, deadline_ns);
}

void TuneRefinement::learn(const Contender& leader) {
  for (const TuneMove& move : space_.moves(leader.settings)) {
    const Contender& one = race_.enter(move.settings);
    if (one.ratios.empty()) continue;
    double& worth = worth_[{move.knob, move.value}];
    worth = std::max(worth, one.score() / leader.score());
  }
}

// The leader with the best value of every knob, all changed at once: this is a shortcut, and if the
// knobs depend on each other, the candidate just loses.
Settings TuneRefinement::combined(const Contender& leader) {
  std::map<std::string, std::pair<double, std::string>> best;  // value by knob
  for (const TuneMove& move : space_.moves(leader.settings)) {
    const Contender& one = race_.enter(move.settings);
    if (!one.is_known() || one.score() <= leader.score()) continue;
    best[move.knob] = std::max(best[move.knob], std::pair(one.score(), move.value));
  }
  Settings settings = leader.settings;
  for (const auto& [name, value] : best) knob(name).set(settings, value.second);
  return space_.as_planned(settings);
}

TuneRefinement::Field TuneRefinement::step(const Field& field, uint64_t deadline_ns) {
  const Contender& leader = *field.front();
  Field around = moves_around(leader);
  if (around.empty()) return field;
  const size_t closer = std::max(kLeast, around.size() / kShare);
  around.insert(around.end(), field.begin(), field.end());
  sift(around, leader, deadline_ns);
  learn(leader);
  Field better = best_of(around, closer);
  add_distinct(better, race_.enter(combined(leader)));
  for (int round = 0; round < 2; ++round)
    if (!race_.round(better, thorough_, deadline_ns)) break;
  // The old candidates stay: possibly nothing near the leader is as good.
  for (Contender* contender : field) add_distinct(better, *contender);
  return better;
}

std::vector<KnobEffect> knob_effects(Race& race, std::span<const TuneMove> moves,
                                     const Contender& winner) {
  std::vector<KnobEffect> effects;
  if (!winner.is_known()) return effects;
  for (const TuneMove& move : moves) {
    const Contender& one = race.enter(move.settings);
    if (!one.is_known()) continue;
    const double change = one.score() / winner.score() - 1;
    effects.push_back(
        {move.knob, move.value, change, error_of(change, one, winner), one.ratios.size()});
  }
  std::ranges::stable_sort(effects, std::ranges::greater(),
                           [](const KnobEffect& e) { return std::abs(e.change); });
  return effects;
}

}  // namespace pipetop
