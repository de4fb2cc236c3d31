#include "engine/experiment/tune.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "engine/base/clock.h"
#include "engine/meter/statistics.h"

namespace pipetop {
namespace {

// When each phase ends, as a share of the budget. Unused time goes to the next phase.
constexpr double kScreened = 0.20, kHalved = 0.42, kRefined = 0.70, kDecided = 0.90;
// Below this there is time for a final, but not for the sensitivity.
constexpr uint64_t kSmallBudget_ns = 15'000 * kMs;
// Reserved for the end: stopping workers and printing.
constexpr uint64_t kReserve_ns = 100 * kMs;

constexpr size_t kLeastCandidates = 4, kMostCandidates = 150;
constexpr size_t kFinalists = 4, kLastFinalists = 3;
constexpr int kScreenRounds = 2;
// Heats of a final: enough to be sure of small differences even if the host disturbs some.
constexpr uint64_t kHeats = 16;
constexpr uint64_t kLongest_ns = 400 * kMs;

// The shortest trial for a budget, used when there are many candidates.
TrialLength trial_length(uint64_t budget_ns) {
  const uint64_t duration = std::clamp(budget_ns / 750, 40 * kMs, 80 * kMs);
  return {duration / 3, duration, 0};
}
// The reference's share in a round comes on top.
size_t trials_of_round(size_t contenders) { return contenders + contenders / 6 + 2; }

class Search {
 public:
  Search(const TuneSpace& space, const Settings& reference, const TuneOptions& options,
         RaceHooks hooks, const std::function<void(const TuneProgress&)>& progress)
      : space_(space),
        options_(options),
        progress_(progress),
        race_(reference, with_progress(std::move(hooks)), options.seed),
        short_(trial_length(options.budget_ns)),
        long_{short_.warmup_ns, 2 * short_.duration_ns, 0} {
    result_.reference = reference;
  }

  TuneResult run() {
    screen();
    halve();
    refine();
    decide();
    measure_sensitivity();
    conclude();
    return std::move(result_);
  }

 private:
  using Field = std::vector<Contender*>;

  RaceHooks with_progress(RaceHooks hooks) {
    hooks.measured = [this] {
      if (progress_) progress_(progress());
    };
    return hooks;
  }
  TuneProgress progress() const {
    const uint64_t end = options_.begin_ns + options_.budget_ns, now = race_.now_ns();
    return {phase_, leader_, race_.contenders().size(), race_.trials(), end > now ? end - now : 0};
  }
  uint64_t at(double share) const {
    return options_.begin_ns + static_cast<uint64_t>(share * double(options_.budget_ns));
  }
  uint64_t end_ns() const { return options_.begin_ns + options_.budget_ns - kReserve_ns; }
  uint64_t time_until(uint64_t when_ns) const {
    return when_ns > race_.now_ns() ? when_ns - race_.now_ns() : 0;
  }

  // The best, where the last one may be replaced by the best with another placement: whether one or
  // two CPUs are faster depends on how the host schedules its virtual CPUs, and this changes over
  // time.
  void keep(size_t count, const Field& of) {
    field_ = best_of(of, count);
    leader_ = field_.empty() ? nullptr : field_.front();
    Contender* rival = leader_ != nullptr ? best_elsewhere(of) : nullptr;
    if (count > 2 && rival != nullptr && std::ranges::find(field_, rival) == field_.end())
      field_.back() = rival;
  }
  Contender* best_elsewhere(const Field& of) const {
    Field others = of;
    std::erase_if(others, [&](const Contender* c) {
      return (c->settings.pipe.placement == Placement::same_cpu) ==
             (leader_->settings.pipe.placement == Placement::same_cpu);
    });
    others = best_of(others, 1);
    return others.empty() ? nullptr : others.front();
  }
  // The trial length with which `count` trials fit into the time, but at least the shortest.
  TrialLength fitting(size_t count, uint64_t time_ns) const {
    const uint64_t each = time_ns / count, besides = race_.cost_ns({short_.warmup_ns, 0, 0});
    const uint64_t duration = each > besides ? each - besides : 0;
    return {short_.warmup_ns, std::clamp(duration, short_.duration_ns, kLongest_ns), 0};
  }
  void rounds(int count, const Field& field, const TrialLength& length, uint64_t deadline_ns) {
    for (int i = 0; i < count; ++i)
      if (!race_.round(field, length, deadline_ns)) return;
  }

  // As many as can have two trials each; always includes the likeliest ones.
  void screen() {
    phase_ = TunePhase::screen;
    const double trials = double(time_until(at(kScreened))) / double(race_.cost_ns(short_));
    const auto count = static_cast<size_t>(trials / kScreenRounds * 6 / 7);  // the rest: reference
    for (const Settings& s :
         space_.candidates(std::clamp(count, kLeastCandidates, kMostCandidates), race_.random()))
      field_.push_back(&race_.enter(s));
    // Candidates cut off here would never be tried, so this may use the next phases' time.
    race_.round(field_, short_, at(kRefined));
    repeat_best();
    keep(field_.size(), field_);
  }

  // The second round: all candidates if there is time, else those that were ahead in the first. A
  // refusal may have been temporary.
  void repeat_best() {
    Field refused = field_;
    std::erase_if(refused, [](const Contender* c) { return c->refusals == 0; });
    std::erase_if(field_, [](const Contender* c) { return c->ratios.empty(); });
    std::ranges::stable_sort(field_, std::ranges::greater(), &Contender::score);
    const uint64_t trials = time_until(at(kRefined)) / race_.cost_ns(short_);
    field_.resize(std::min(field_.size(), std::max<size_t>(2, trials * 6 / 7)));
    field_.insert(field_.end(), refused.begin(), refused.end());
    race_.round(field_, short_, end_ns());
  }

  void halve() {
    phase_ = TunePhase::halve;
    keep(std::max(kFinalists, field_.size() / 2), field_);
    for (;;) {
      const size_t left = field_.size();
      if (left == 0) return;
      const auto steps = uint64_t(std::bit_width((left - 1) / kFinalists)) + 1;
      const uint64_t time = time_until(at(kHalved)) / steps;
      const TrialLength length = fitting(kScreenRounds * trials_of_round(left), time);
      rounds(kScreenRounds, field_, length, race_.now_ns() + time);
      keep(std::max(kFinalists, (left + 1) / 2), field_);
      if (left <= kFinalists) return;
    }
  }

  void refine() {
    phase_ = TunePhase::refine;
    TuneRefinement refinement(space_, race_, short_, long_);
    while (leader_ != nullptr && race_.has_time(2, short_, at(kRefined))) {
      const Contender* before = leader_;
      keep(kFinalists, refinement.step(field_, at(kRefined)));
      if (leader_ == before) break;
    }
  }

  void decide() {
    phase_ = TunePhase::final;
    const uint64_t end = options_.budget_ns < kSmallBudget_ns ? end_ns() : at(kDecided);
    play_off(race_.now_ns() + time_until(end) / 3);
    duel(end);
    name_winner();
  }

  void play_off(uint64_t deadline_ns) {
    const size_t trials = trials_of_round(field_.size());
    while (field_.size() > kLastFinalists && race_.has_time(trials, long_, deadline_ns))
      if (!race_.round(field_, long_, deadline_ns)) break;
    keep(kLastFinalists, field_);
  }

  // Fresh figures: the earlier ones selected these candidates and are biased in their favour.
  void duel(uint64_t deadline_ns) {
    if (leader_ == nullptr) return;
    const size_t runners = field_.size() + 1;
    const TrialLength length = fitting(kHeats * runners, time_until(deadline_ns));
    std::vector<Finalist> finalists;
    for (const Contender* c : field_) finalists.push_back({c->settings, {}});
    std::vector<double> reference;
    while (race_.has_time(runners, length, deadline_ns) &&
           std::ranges::none_of(field_, &Contender::is_out)) {
      const auto rates = race_.heat(field_, length, deadline_ns);
      if (!rates) continue;
      for (size_t i = 0; i < finalists.size(); ++i) finalists[i].gib_per_s.push_back((*rates)[i]);
      reference.push_back(rates->back());
    }
    if (reference.size() < 2) return;  // a single heat proves nothing
    result_.has_final = true;
    result_.reference_gib_per_s = reference;
    std::ranges::stable_sort(finalists, std::greater{},
                             [](const Finalist& f) { return median(f.gib_per_s); });
    result_.winner.emplace(std::move(finalists.front()));
    if (finalists.size() > 1) result_.runner_up.emplace(std::move(finalists[1]));
  }

  void name_winner() {
    if (!result_.has_final) {
      if (leader_ == nullptr) return;
      result_.winner = Finalist{leader_->settings, leader_->gib_per_s};
      result_.against_reference = compare_ratios(leader_->ratios);
      if (field_.size() > 1) result_.runner_up = {field_[1]->settings, field_[1]->gib_per_s};
      return;
    }
    if (result_.runner_up) {
      const auto compared = [this] {
        return compare_paired(result_.winner->gib_per_s, result_.runner_up->gib_per_s);
      };
      if (compared().ratio < 1) std::swap(*result_.winner, *result_.runner_up);
      result_.against_runner_up = compared();
    }
    result_.against_reference =
        compare_paired(result_.winner->gib_per_s, result_.reference_gib_per_s);
    leader_ = &race_.enter(result_.winner->settings);
  }

  // The knobs' effects are measured around the winner, which may have few figures so far.
  void measure_sensitivity() {
    phase_ = TunePhase::sensitivity;
    if (leader_ == nullptr) return;
    std::vector<TuneMove> moves = space_.moves(leader_->settings);
    Field field = {&race_.enter(leader_->settings)};
    for (const TuneMove& move : moves) field.push_back(&race_.enter(move.settings));
    // First those without any figures: there may not be enough time for all.
    Field unknown = field;
    std::erase_if(unknown, std::mem_fn(&Contender::is_known));
    rounds(kScreenRounds, unknown, short_, end_ns());
    while (race_.round(field, short_, end_ns())) {
    }
    result_.effects = knob_effects(race_, moves, *leader_);
  }

  void conclude() {
    std::map<std::string, size_t> times;  // by reason
    for (const Contender& c : race_.contenders()) {
      if (!c.ratios.empty()) ++result_.candidates;
      if (!c.is_out()) continue;
      ++result_.refused;
      if (times[c.refusal]++ == 0) result_.refusals.push_back(c.refusal);
    }
    std::ranges::stable_sort(result_.refusals, std::greater(),
                             [&](const std::string& why) { return times[why]; });
    result_.trials = race_.trials();
    result_.spent_ns = race_.now_ns() - options_.begin_ns;
  }

  const TuneSpace& space_;
  TuneOptions options_;
  const std::function<void(const TuneProgress&)>& progress_;
  Race race_;
  TrialLength short_, long_;
  TunePhase phase_ = TunePhase::screen;
  Field field_;  // candidates that are still in
  const Contender* leader_ = nullptr;
  TuneResult result_;
};

}  // namespace

const char* to_text(TunePhase phase) {
  constexpr const char* kNames[] = {"screening", "halving", "refining", "final", "sensitivity"};
  return kNames[static_cast<size_t>(phase)];
}

TuneResult tune(const TuneSpace& space, const Settings& reference, const TuneOptions& options,
                RaceHooks hooks, const std::function<void(const TuneProgress&)>& progress) {
  return Search(space, reference, options, std::move(hooks), progress).run();
}

}  // namespace pipetop
