#include "engine/experiment/ladder.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "engine/base/error.h"
#include "engine/registry/workloads.h"

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

}  // namespace pipetop
