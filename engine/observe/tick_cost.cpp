#include "engine/observe/tick_cost.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/meter/statistics.h"
#include "engine/observe/perf_events.h"
#include "engine/process/pipe_owner.h"

namespace pipetop::observe {
namespace {

// Half of what all observers may cost: the programs, the scheduler's events and the process that
// collects it all take about as much again.
constexpr double kAffordable = 0.005;
// Often enough to be told from noise in a few slices, and so seldom that the caches are warm again.
constexpr uint32_t kProbeHz = 10'000;
constexpr uint64_t kSlice_ns = 500'000;
constexpr int kPairs = 24;

// What a thread does per nanosecond while it writes and reads a pipe for a slice.
double work(const PipeOwner& pipe) {
  std::array<char, 4096> page{};
  const uint64_t begin_ns = monotonic_ns();
  uint64_t done = 0, now_ns = begin_ns;
  for (; now_ns < begin_ns + kSlice_ns; now_ns = monotonic_ns(), ++done)
    if (::write(pipe.write_fd(), page.data(), page.size()) < 0 ||
        ::read(pipe.read_fd(), page.data(), page.size()) < 0)
      return 0;
  return double(done) / double(now_ns - begin_ns);
}

double work_with_ticks(const PipeOwner& pipe, const UniqueFd& ticks) {
  enable(ticks, true);
  const double rate = work(pipe);
  enable(ticks, false);
  return rate;
}

}  // namespace

// The median of pairs of slices: steal and other processes disturb only some of them.
std::optional<double> measure_tick_ns() try {
  const uint32_t hz = std::min(kProbeHz, max_sample_hz());
  const UniqueFd ticks = open_own_ticks(hz);
  if (!ticks) return {};
  const PipeOwner pipe;
  std::vector<double> costs;
  for (int i = 0; i < kPairs; ++i) {
    const double first = i % 2 ? work_with_ticks(pipe, ticks) : work(pipe);
    const double second = i % 2 ? work(pipe) : work_with_ticks(pipe, ticks);
    const double with = i % 2 ? first : second, without = i % 2 ? second : first;
    if (without <= 0) return {};
    costs.push_back((1 - with / without) * 1e9 / hz);
  }
  const double cost = median(std::move(costs));
  return cost > 0 ? std::optional(cost) : std::nullopt;
} catch (const std::exception&) {  // there can be no pipe
  return {};
}

double price_of(double hz, double tick_ns, double share) {
  return std::min(1.0, 2 * hz * share * tick_ns / 1e9);
}

uint32_t affordable_hz(double tick_ns, double share) {
  const double hz = kAffordable / price_of(1, tick_ns, share);
  const double within = std::clamp(hz, double{kLeastAutoHz}, double{kMostAutoHz});
  return static_cast<uint32_t>(within + 1) / 50 * 50 - 1;
}

}  // namespace pipetop::observe
