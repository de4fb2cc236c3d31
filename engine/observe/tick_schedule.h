// When the sampler ticks at its frequency, and when only now and then. Ticks disturb a pipe whose
// ends sleep and wake each other most, so there they are confined to a slice of each second.
#pragma once

#include <cstdint>
#include <random>

#include "engine/observe/perf_events.h"

namespace pipetop::observe {

// Whether two roles sleep so often that ticks should come in slices.
class SleepJudge {
 public:
  // Per second. It is so above the first, and no longer below the second.
  static constexpr uint64_t kMany = 1000, kFew = 500;
  static constexpr uint64_t kInterval_ns = 200'000'000;  // over which they are counted

  // `sleeps` is cumulative.
  bool many(uint64_t now_ns, uint64_t sleeps);
  bool many() const { return many_; }

  // The count stood still, and goes on.
  void restart() { judged_at_ns_ = 0; }

 private:
  bool many_ = false;
  uint64_t judged_at_ns_ = 0, sleeps_then_ = 0;  // 0: nothing to compare with
};

// One slice in each second.
class TickSlices {
 public:
  static constexpr uint64_t kCycle_ns = 1'000'000'000, kSlice_ns = 100'000'000;
  static constexpr double kShare = double(kSlice_ns) / double(kCycle_ns);
  static constexpr uint32_t kRareHz = 19;  // outside of it, for the ring's frames

  // Whether it is this time's turn. To be called at least ten times per second.
  bool in_slice(uint64_t now_ns);
  // The rate for this time, if slices have `hz`.
  TickRate rate(uint64_t now_ns, uint32_t hz) { return {in_slice(now_ns) ? hz : kRareHz, false}; }

  // Begins with a new second.
  void restart() { cycle_end_ns_ = 0; }

 private:
  uint64_t cycle_end_ns_ = 0;
  uint64_t due_ns_ = 0, end_ns_ = 0;  // of the slice; 0: it has not begun
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace pipetop::observe
