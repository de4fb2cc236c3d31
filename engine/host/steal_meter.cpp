#include "engine/host/steal_meter.h"

namespace pipetop {
namespace {

constexpr uint64_t kStealInterval = 1'000'000'000;
constexpr uint64_t kStealWindow = 5 * kStealInterval;

}  // namespace

void StealMeter::sample(uint64_t now_ns) {
  if (!samples_.empty() && now_ns < samples_.back().first + kStealInterval) return;
  samples_.emplace_back(now_ns, read_cpu_times());
  while (samples_.size() > 2 && samples_[1].first + kStealWindow <= now_ns) samples_.pop_front();
}

Reading<double> StealMeter::share() const {
  if (samples_.size() < 2) return Reading<double>::warming("no interval measured yet");
  return Reading<double>::of(steal_share(samples_.front().second, samples_.back().second));
}

}  // namespace pipetop
