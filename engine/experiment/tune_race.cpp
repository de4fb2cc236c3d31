#include "engine/experiment/tune_race.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "engine/base/error.h"
#include "engine/experiment/tune_space.h"

namespace pipetop {
namespace {

// Trials between two of the reference.
constexpr size_t kBlock = 6;
// Assumed until it is known: buffers must be mapped and filled.
constexpr double kFirstSettling_ns = 30e6;
// Two trials of the reference that differ by more than this (as a log) are suspect.
constexpr double kSuspect = 0.3;
// The weight of the newest value in the moving average.
constexpr double kWeight = 0.1;

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

// Half of the 95 % interval of a ratio of two medians. A candidate with few figures does not show
// its scatter; the winner's is used instead.
Reading<double> error_of(double change, const Contender& one, const Contender& winner) {
  const std::vector<double> groups[] = {one.ratios, winner.ratios};
  const double deviation = pooled_log_deviation(groups);
  if (!std::isfinite(deviation)) return Reading<double>::warming("too few trials");
  const double trials = 1 / (1.0 / double(one.ratios.size()) + 1.0 / double(winner.ratios.size()));
  const double freedom = std::max(1.0, double(one.ratios.size() + winner.ratios.size()) - 2);
  return Reading<double>::of(student(freedom) * deviation / std::sqrt(trials) * (1 + change));
}

}  // namespace

RaceHooks live_trials(Session& session) {
  const auto measure = [&session, restarts = uint32_t{0}](
                           const Settings& settings,
                           const TrialLength& length) mutable -> Measured {
    try {
      const Trial trial = run_trial(session, settings, length);
      if (trial.cut_short) return {Reading<double>::warming("cut short"), {}};
      const Effective& effective = trial.end.effective;
      uint32_t now = 0;
      for (const Role role : kBothRoles) now += trial.end.worker(role).restarts;
      const bool died = std::exchange(restarts, now) != now;
      if (!effective.settled && died) return {Reading<double>::warming("a worker died"), {}};
      if (!effective.settled)
        return {Reading<double>::unavailable("the settings do not take effect"), {}};
      return {Reading<double>::of(trial.rate()), searched_mismatch(settings, effective)};
    } catch (const Error& e) {
      if (e.exit() != Exit::refused) throw;
      return {Reading<double>::unavailable(e.what()), {}};
    }
  };
  const Interrupts& interrupts = session.interrupts();
  return {measure,
          [&interrupts] { return interrupts.now_ns(); },
          [&interrupts] { return !interrupts.ended(); },
          {}};
}

Race::Race(Settings reference, RaceHooks hooks, uint64_t seed)
    : reference_(reference),
      hooks_(std::move(hooks)),
      random_(seed),
      settling_ns_(kFirstSettling_ns) {}

Contender& Race::enter(const Settings& settings) {
  const auto same = std::ranges::find(contenders_, settings, &Contender::settings);
  if (same != contenders_.end()) return *same;
  return contenders_.emplace_back(Contender{settings, {}, {}, 0, {}});
}

uint64_t Race::cost_ns(const TrialLength& length) const {
  return length.warmup_ns + length.duration_ns + static_cast<uint64_t>(settling_ns_);
}

bool Race::has_time(size_t trials, const TrialLength& length, uint64_t deadline_ns) const {
  return hooks_.go_on() && hooks_.now_ns() + trials * cost_ns(length) <= deadline_ns;
}

Measured Race::measure(const Settings& settings, const TrialLength& length) {
  const uint64_t begin = hooks_.now_ns();
  Measured measured = hooks_.measure(settings, length);
  const double took = double(hooks_.now_ns() - begin);
  const double settling = took - double(length.warmup_ns + length.duration_ns);
  settling_ns_ += kWeight * (std::max(0.0, settling) - settling_ns_);
  ++trials_;
  if (hooks_.measured) hooks_.measured();
  return measured;
}

std::optional<double> Race::rate_of(Contender& contender, const TrialLength& length) {
  const Measured measured = measure(contender.settings, length);
  const bool impossible = measured.gib_per_s.status == ReadingStatus::unavailable;
  if (impossible || !measured.mismatch.empty()) {
    ++contender.refusals;
    contender.refusal = impossible ? measured.gib_per_s.reason : measured.mismatch;
    return {};
  }
  if (!measured.gib_per_s.has_value() || *measured.gib_per_s <= 0) return {};
  return *measured.gib_per_s;
}

// Again, if something ran in between.
std::optional<double> Race::reference_rate(const TrialLength& length, uint64_t deadline_ns) {
  while (has_time(1, length, deadline_ns)) {
    const Measured measured = measure(reference_, length);
    if (measured.gib_per_s.status == ReadingStatus::unavailable)
      throw Error("the reference: " + measured.gib_per_s.reason, Exit::refused);
    if (measured.gib_per_s.has_value() && *measured.gib_per_s > 0) return *measured.gib_per_s;
  }
  return {};
}

// Its rate during a block, from `before` and a new measurement, which then serves the next block.
// If the two differ a lot, one may have been disturbed, and with it the block: a third one decides.
double Race::reference_around(double& before, const TrialLength& length, uint64_t deadline_ns) {
  const double first = before;
  const auto second = reference_rate(length, deadline_ns);
  if (!second) return first;
  before = *second;
  const double mean = (first + *second) / 2;
  if (std::abs(std::log(first / *second)) < kSuspect) return mean;
  const auto third = reference_rate(length, deadline_ns);
  if (!third) return mean;
  before = *third;
  return median({first, *second, *third});
}

// `reference` is its rate right before the block; set to the rate right after it.
bool Race::block(std::span<Contender* const> block, double& reference, const TrialLength& length,
                 uint64_t deadline_ns) {
  std::vector<std::pair<Contender*, double>> rates;
  bool whole = true;
  for (Contender* contender : block) {
    whole = whole && has_time(2, length, deadline_ns);
    if (!whole) break;
    if (const auto rate = rate_of(*contender, length)) rates.emplace_back(contender, *rate);
  }
  const double level = reference_around(reference, length, deadline_ns);
  for (auto& [contender, rate] : rates) {
    contender->gib_per_s.push_back(rate);
    contender->ratios.push_back(rate / level);
  }
  return whole;
}

bool Race::round(std::vector<Contender*> field, const TrialLength& length, uint64_t deadline_ns) {
  std::erase_if(field, std::mem_fn(&Contender::is_out));
  if (field.empty()) return false;
  std::ranges::shuffle(field, random_);
  std::optional<double> reference = reference_rate(length, deadline_ns);
  if (!reference) return false;
  const std::span<Contender* const> all(field);
  for (size_t first = 0; first < all.size(); first += kBlock) {
    const auto next = all.subspan(first, std::min(kBlock, all.size() - first));
    if (!block(next, *reference, length, deadline_ns)) return false;
  }
  return true;
}

std::optional<std::vector<double>> Race::heat(const std::vector<Contender*>& field,
                                              const TrialLength& length, uint64_t deadline_ns) {
  std::vector<size_t> order(field.size() + 1);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::shuffle(order, random_);
  std::vector<double> rates(order.size());
  for (const size_t i : order) {
    const auto rate =
        i == field.size() ? reference_rate(length, deadline_ns) : rate_of(*field[i], length);
    if (!rate) return {};
    rates[i] = *rate;
  }
  for (size_t i = 0; i < field.size(); ++i) {
    field[i]->gib_per_s.push_back(rates[i]);
    field[i]->ratios.push_back(rates[i] / rates.back());
  }
  return rates;
}

std::vector<Contender*> best_of(std::vector<Contender*> field, size_t count) {
  std::erase_if(field, [](const Contender* c) { return !c->is_known(); });
  std::ranges::stable_sort(field, std::ranges::greater(), &Contender::score);
  field.resize(std::min(field.size(), count));
  return field;
}

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
