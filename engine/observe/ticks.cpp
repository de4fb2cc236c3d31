#include "engine/observe/ticks.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/meter/statistics.h"
#include "engine/process/pipe_owner.h"

namespace pipetop::observe {
namespace {

// Half of what all observers may cost: the programs, the scheduler's events and the process that
// collects it all take about as much again.
constexpr double kAffordable = 0.005;
// Twice as much until five seconds have a thousand samples, by which a share is known to 3 points.
constexpr double kMostForEnough = 0.01;
constexpr double kEnoughHz = 200;
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

// By pairs of slices: steal and other processes disturb only some of them.
std::optional<TickCost> measure_tick_cost() try {
  const uint32_t hz = std::min(kProbeHz, max_sample_hz());
  const UniqueFd ticks = open_own_ticks(hz);
  if (!ticks) return {};
  const PipeOwner pipe;
  std::vector<double> ratios;
  for (int i = 0; i < kPairs; ++i) {
    const double first = i % 2 ? work_with_ticks(pipe, ticks) : work(pipe);
    const double second = i % 2 ? work(pipe) : work_with_ticks(pipe, ticks);
    const double with = i % 2 ? first : second, without = i % 2 ? second : first;
    if (without <= 0) return {};
    ratios.push_back(with / without);
  }
  const PairedComparison compared = compare_ratios(ratios);
  const auto cost_ns = [&](double ratio) { return (1 - ratio) * 1e9 / hz; };
  const TickCost cost{cost_ns(compared.ratio), cost_ns(compared.high), cost_ns(compared.low)};
  return cost.ns > 0 ? std::optional(cost) : std::nullopt;
} catch (const std::exception&) {  // there can be no pipe
  return {};
}

double price_of(double hz, double tick_ns, double share) {
  return std::min(1.0, 2 * hz * share * tick_ns / 1e9);
}

uint32_t affordable_hz(double tick_ns, double share) {
  const double one = price_of(1, tick_ns, share);
  const double hz = std::max(kAffordable / one, std::min(kMostForEnough / one, kEnoughHz));
  const double within = std::clamp(hz, double{kLeastAutoHz}, double{kMostAutoHz});
  return static_cast<uint32_t>(within + 1) / 50 * 50 - 1;
}

bool SleepJudge::many(uint64_t now_ns, uint64_t sleeps) {
  if (judged_at_ns_ != 0 && now_ns < judged_at_ns_ + kInterval_ns) return many_;
  if (judged_at_ns_ != 0) {
    const double seconds = double(now_ns - judged_at_ns_) / 1e9;
    many_ = double(sleeps - sleeps_then_) > double(many_ ? kFew : kMany) * seconds;
  }
  judged_at_ns_ = now_ns;
  sleeps_then_ = sleeps;
  return many_;
}

// A slice begins at a random time, so that it beats with nothing. Its end may be slightly early:
// waiting for the next call would make it much longer.
bool TickSlices::in_slice(uint64_t now_ns) {
  if (now_ns >= cycle_end_ns_) {
    const bool on_time = now_ns < cycle_end_ns_ + kCycle_ns;
    cycle_end_ns_ = (on_time ? cycle_end_ns_ : now_ns) + kCycle_ns;
    due_ns_ = cycle_end_ns_ - kSlice_ns - random_() % (kCycle_ns - 2 * kSlice_ns);
    end_ns_ = 0;
  }
  if (end_ns_ == 0 && now_ns >= due_ns_) end_ns_ = now_ns + kSlice_ns - kSlice_ns / 10;
  return now_ns < end_ns_;
}

// In a thread of its own: it takes as long as the kernel's symbols. Without one the cost stays
// unknown.
TickControl::TickControl(uint32_t hz, Measure measure)
    : is_fixed_(hz != 0),
      most_hz_(std::min(is_fixed_ ? hz : kMostAutoHz, max_sample_hz())),
      measuring_(std::async(std::launch::async | std::launch::deferred, measure)) {}

void TickControl::adopt_cost() {
  if (measuring_.valid() &&
      measuring_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    tick_ = measuring_.get();
}

uint32_t TickControl::hz() const {
  if (is_fixed_ || !tick_) return most_hz_;
  return std::min(affordable_hz(tick_->ns, share()), most_hz_);
}

TickRate TickControl::poll(uint64_t now_ns, std::optional<uint64_t> sleeps) {
  adopt_cost();
  const bool in_slices = !is_fixed_ && sleeps && judge_.many(now_ns, *sleeps);
  const uint32_t steady_hz = now_ns < hurry_until_ns_ ? most_hz_ : hz();
  return rate_ = in_slices ? slices_.rate(now_ns, hz()) : TickRate{steady_hz};
}

void TickControl::restart() {
  judge_.restart();
  slices_.restart();
}

double TickControl::mean_hz() const {
  return has_slices() ? share() * hz() + (1 - share()) * TickSlices::kRareHz : hz();
}

uint32_t TickControl::stands_for_ns() const {
  if (rate_.lasts) return static_cast<uint32_t>(kSecond / rate_.hz);
  return static_cast<uint32_t>(double(kSecond) / mean_hz());
}

Ticks TickControl::ticks() const {
  if (rate_.lasts) return Ticks::steady;
  return rate_.hz == TickSlices::kRareHz ? Ticks::rare : Ticks::slice;
}

Reading<Price> TickControl::price() const {
  if (!tick_) return Reading<Price>::warming("the cost of a tick is not known");
  const double hz = mean_hz();
  return Reading<Price>::of(
      {price_of(hz, tick_->ns), price_of(hz, tick_->low_ns), price_of(hz, tick_->high_ns)});
}

void TickControl::describe(SamplingEvent& event) const {
  event.hz = hz();
  event.share = share();
  event.between_ticks = Reading<double>::unavailable("the ticks do not pause");
  event.set_price(price());
}

}  // namespace pipetop::observe
