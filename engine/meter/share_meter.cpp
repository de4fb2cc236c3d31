#include "engine/meter/share_meter.h"

#include <algorithm>

namespace pipetop {
namespace {

// The scheduler updates the totals of a running task on its ticks, at least 100
// times a second.
constexpr uint64_t kShortestNs = 100'000'000;

TimeShares all(const Reading<double>& reading) { return {reading, reading, reading}; }

}  // namespace

void ShareMeter::begin(uint64_t now_ns, const std::optional<TaskTimes>& totals) {
  running_ = Stretch{now_ns, totals};
}

void ShareMeter::pause(uint64_t now_ns, const std::optional<TaskTimes>& totals) {
  if (!running_ || now_ns <= running_->begin_ns) return running_.reset();
  if (!running_->totals || !totals) {
    unknown_ = true;
  } else {
    sum_.on_cpu_ns += totals->on_cpu_ns - running_->totals->on_cpu_ns;
    sum_.runnable_ns += totals->runnable_ns - running_->totals->runnable_ns;
    wall_ns_ += now_ns - running_->begin_ns;
  }
  running_.reset();
}

TimeShares ShareMeter::shares(uint64_t now_ns, const std::optional<TaskTimes>& totals) const {
  ShareMeter ended = *this;
  ended.pause(now_ns, totals);
  if (ended.unknown_ && ended.wall_ns_ == 0)
    return all(
        Reading<double>::unavailable("the process's files in /proc cannot be read; mount /proc"));
  if (ended.wall_ns_ < kShortestNs) return all(Reading<double>::warming("too short to measure"));
  const auto wall = static_cast<double>(ended.wall_ns_);
  const double on_cpu = std::min(1.0, static_cast<double>(ended.sum_.on_cpu_ns) / wall);
  const double runnable =
      std::min(1.0 - on_cpu, static_cast<double>(ended.sum_.runnable_ns) / wall);
  return {Reading<double>::of(on_cpu), Reading<double>::of(runnable),
          Reading<double>::of(1.0 - on_cpu - runnable)};
}

}  // namespace pipetop
