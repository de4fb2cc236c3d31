#include "engine/worker/pipe_worker.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

constexpr double kPerSecond = 12;  // of the writer
constexpr double kSwing = 0.5;     // of that, the reader's
// Each swing puts the reader behind, and ahead, by kSwing * kPerSecond / pi times
// its length: a quarter more than the ring holds.
constexpr double kSecondsAnOperation = 1.25 * std::numbers::pi / (kSwing * kPerSecond);

double swing_seconds(uint64_t operations) {
  return kSecondsAnOperation * double(std::max(operations, kSlowOperations));
}

}  // namespace

SlowMotion slow_motion_of(Role role, const PipeCommand& command) {
  if (command.slow_ring_bytes == 0) return {};
  return {role, slow_bytes(command.slow_ring_bytes, command.buf_bytes),
          slow_operations(command.slow_ring_bytes, command.buf_bytes), command.single_step != 0};
}

uint64_t slow_interval_ns(const SlowMotion& motion, uint64_t since_ns) {
  double per_second = kPerSecond;
  if (motion.role == Role::reader) {
    const double turns = double(since_ns) / 1e9 / swing_seconds(motion.operations);
    per_second *= 1 - kSwing * std::sin(2 * std::numbers::pi * turns);
  }
  return static_cast<uint64_t>(1e9 / per_second);
}

SlowPace::SlowPace(const SlowMotion& motion)
    : motion_(motion), began_ns_(monotonic_ns()), due_ns_(began_ns_) {}

// False: interrupted by a signal, perhaps for a change.
bool SlowPace::sleep() {
  const timespec due = {static_cast<time_t>(due_ns_ / 1'000'000'000),
                        static_cast<long>(due_ns_ % 1'000'000'000)};
  if (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr) != 0) return false;
  // Relative to when it was due, so that delays do not add up; but time lost to a
  // full or empty ring is not made up for.
  const uint64_t now_ns = monotonic_ns();
  const uint64_t interval_ns = slow_interval_ns(motion_, due_ns_ - began_ns_);
  if (now_ns - due_ns_ > interval_ns) due_ns_ = now_ns;
  due_ns_ += interval_ns;
  return true;
}

}  // namespace pipetop
