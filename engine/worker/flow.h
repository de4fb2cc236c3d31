// Shared by the loops of both roles: when to stop, how to wait, what to count, and at
// which pace.
#pragma once

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/model/control_block.h"
#include "engine/model/settings.h"
#include "engine/worker/adaptive_spin.h"
#include "engine/worker/pipe_command.h"
#include "engine/worker/worker_life.h"

namespace pipetop {

class Flow {
 public:
  Flow(ControlBlock& block, int pipe_fd, uint32_t generation)
      : block_(block), pipe_fd_(pipe_fd), generation_(generation) {}

  int pipe_fd() const { return pipe_fd_; }
  WorkerCounts& counts() { return block_.counts; }

  // Whether there is a newer command than the current one.
  bool changed() const { return is_changed(block_, generation_); }

  // Waits before a transfer. It also returns if the pipe does not become ready, so
  // that the loop can see a change.
  template <Wait wait>
  void await(short events) {
    if constexpr (wait == Wait::poll) {
      sleep_until_ready(events);
    } else if constexpr (wait == Wait::adaptive) {
      if (spin_.sleeps()) sleep_until_ready(events);
    } else if constexpr (wait == Wait::busy_poll) {
      while (!poll_once(events) && !changed()) {
      }
    }
  }

  // Whether a transfer may succeed now.
  bool poll_once(short events) {
    pollfd pipe = {pipe_fd_, events, 0};
    add(counts().polls, 1);
    return ::poll(&pipe, 1, 0) > 0;
  }

  // Counts the result of a transfer of `asked` bytes. False if it failed permanently.
  template <Wait wait>
  bool account(ssize_t moved, uint64_t asked) {
    WorkerCounts& c = counts();
    add(c.syscalls, 1);
    if (moved > 0) {
      if constexpr (wait == Wait::adaptive) spin_.moved(monotonic_ns);
      add(c.items, static_cast<uint64_t>(moved));
      if (static_cast<uint64_t>(moved) < asked) add(c.short_calls, 1);
      return true;
    }
    if (moved < 0 && errno == EAGAIN) {
      if constexpr (wait == Wait::adaptive) spin_.missed(monotonic_ns);
      return add(c.eagain, 1), true;
    }
    if (moved < 0 && errno == EINTR) return add(c.interrupted, 1), true;
    // The engine holds both ends, so there is no end of file and no EPIPE.
    if (moved == 0) errno = EPIPE;
    return false;
  }

 private:
  // Or until a signal comes.
  void sleep_until_ready(short events) {
    pollfd pipe = {pipe_fd_, events, 0};
    add(counts().polls, 1);
    ::poll(&pipe, 1, -1);
  }

  ControlBlock& block_;
  const int pipe_fd_;
  const uint32_t generation_;
  AdaptiveSpin spin_;
};

// ---- the pace: full speed, or slow enough to watch. Loops are compiled for each, so that
// the fast one pays nothing ----

// Of one worker in slow motion.
struct SlowMotion {
  Role role = Role::writer;
  uint64_t bytes = 0;       // of one operation
  uint64_t operations = 0;  // that fill the ring
};
SlowMotion slow_motion_of(Role role, const PipeCommand& command);

// The time from one operation to the next, `since_ns` after the first. The writer's
// pace is even; the reader's alternates between half and one and a half times that,
// long enough for the ring to fill up and to run empty.
uint64_t slow_interval_ns(const SlowMotion& motion, uint64_t since_ns);

class FreePace {
 public:
  explicit FreePace(const SlowMotion&) {}

  // Waits until a transfer is due and may succeed. False: check for a change first.
  template <Wait wait>
  bool ready(Flow& flow, short events) {
    flow.await<wait>(events);
    return true;
  }
  // How much of `bytes` to request in one transfer.
  uint64_t limit(uint64_t bytes) const { return bytes; }
};

class SlowPace {
 public:
  explicit SlowPace(const SlowMotion& motion);

  template <Wait wait>
  bool ready(Flow& flow, short events) {
    if (!sleep()) return false;
    if constexpr (wait == Wait::busy_poll) return flow.poll_once(events);
    // There is nothing to gain from spinning.
    flow.await<wait == Wait::adaptive ? Wait::poll : wait>(events);
    return true;
  }
  uint64_t limit(uint64_t bytes) const { return std::min(bytes, motion_.bytes); }

 private:
  bool sleep();

  SlowMotion motion_;
  uint64_t began_ns_;
  uint64_t due_ns_;
};

}  // namespace pipetop
