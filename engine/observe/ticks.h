// How often the sampler ticks: at a fixed frequency, or as often as its price allows.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <random>

#include "engine/model/functions.h"
#include "engine/observe/perf_events.h"

namespace pipetop::observe {

// ---- what a tick costs on this machine, and how many can be afforded ----

// Between these an affordable frequency is chosen.
inline constexpr uint32_t kLeastAutoHz = 49, kMostAutoHz = 999;

// How long a tick keeps a thread that writes and reads a pipe from its work: the interrupt, the
// stack that is walked, what a virtual machine's host does for it, and the caches that all of
// these displace.
struct TickCost {
  double ns = 0;
  double low_ns = 0, high_ns = 0;  // with a confidence of 95 %
};
// Takes about 25 ms of CPU time. Nothing if it cannot be measured.
std::optional<TickCost> measure_tick_cost();

// The share of the throughput that ticks at this frequency cost, if they run for `share` of the
// time. Each stops its own CPU, and one role waits for the other: so those of two CPUs count.
double price_of(double hz, double tick_ns, double share = 1);

// The highest frequency whose price is at most 0.5 %, or up to 199 Hz 1 %, if there is one between
// the two above. It is 1 below a multiple of 50, so that it beats with no clock.
uint32_t affordable_hz(double tick_ns, double share = 1);

// ---- when it ticks at its frequency, and when only now and then: ticks disturb a pipe whose ends
// sleep and wake each other most, so there they are confined to a slice of each second ----

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

// ---- both ----

enum class Ticks : uint8_t {
  steady,  // at the frequency, all the time
  slice,   // at the frequency, for a moment
  rare,    // until the next slice
};

class TickControl {
 public:
  // How long many ticks follow a change.
  static constexpr uint64_t kHurry_ns = 500'000'000;

  using Measure = std::optional<TickCost> (*)();

  // Begins to measure what a tick costs. 0 Hz: automatic.
  explicit TickControl(uint32_t hz, Measure measure = measure_tick_cost);

  // The most that will be asked for, and the rate to begin with.
  uint32_t most_hz() const { return most_hz_; }

  // The rate from now on. `sleeps` of both roles are cumulative; nothing: they are not known.
  TickRate poll(uint64_t now_ns, std::optional<uint64_t> sleeps);
  // Ticks had been stopped, and go on.
  void restart();
  // The pipe changes. For a moment there are many ticks, so that a verdict comes soon, and nothing
  // is known of its sleeps.
  void hurry(uint64_t now_ns) {
    hurry_until_ns_ = now_ns + kHurry_ns;
    judge_ = {};
  }

  Ticks ticks() const;  // since poll()
  // The time that a tick of that rate stands for: to the next one. Of slices, those in them and
  // those between them tell the same, so each stands for its part of the cycle.
  uint32_t stands_for_ns() const;
  // While they are fewest.
  uint32_t least_hz() const { return has_slices() ? TickSlices::kRareHz : hz(); }

  // Sets frequency, share and price: what so many ticks cost a thread that never sleeps.
  void describe(SamplingEvent& event) const;

 private:
  void adopt_cost();
  bool has_slices() const { return judge_.many(); }
  double share() const { return has_slices() ? TickSlices::kShare : 1; }
  uint32_t hz() const;
  double mean_hz() const;  // over whole cycles
  Reading<Price> price() const;

  const bool is_fixed_;
  const uint32_t most_hz_;
  std::future<std::optional<TickCost>> measuring_;
  std::optional<TickCost> tick_;
  uint64_t hurry_until_ns_ = 0;
  SleepJudge judge_;
  TickSlices slices_;
  TickRate rate_{most_hz_};
};

}  // namespace pipetop::observe
