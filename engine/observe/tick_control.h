// How often the sampler ticks: at a fixed frequency, or as often as its price allows.
#pragma once

#include <cstdint>
#include <future>
#include <optional>

#include "engine/model/functions.h"
#include "engine/observe/perf_events.h"
#include "engine/observe/tick_cost.h"
#include "engine/observe/tick_schedule.h"

namespace pipetop::observe {

enum class Ticks : uint8_t {
  steady,  // at the frequency, all the time
  slice,   // at the frequency, for a moment
  rare,    // until the next slice
};

class TickControl {
 public:
  // How long many ticks follow a change.
  static constexpr uint64_t kHurry_ns = 500'000'000;

  using Measure = std::optional<double> (*)();

  // Begins to measure what a tick costs. 0 Hz: automatic.
  explicit TickControl(uint32_t hz, Measure tick_ns = measure_tick_ns);

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
  // While they are fewest.
  uint32_t least_hz() const { return has_slices() ? TickSlices::kRareHz : hz(); }

  // Sets frequency, share and price.
  void describe(SamplingEvent& event) const;

 private:
  void adopt_cost();
  bool has_slices() const { return judge_.many(); }
  double share() const { return has_slices() ? TickSlices::kShare : 1; }
  uint32_t hz() const;

  const bool is_fixed_;
  const uint32_t most_hz_;
  std::future<std::optional<double>> measuring_;
  std::optional<double> tick_ns_;
  uint64_t hurry_until_ns_ = 0;
  SleepJudge judge_;
  TickSlices slices_;
  TickRate rate_{most_hz_};
};

}  // namespace pipetop::observe
