// Shared by the loops of both roles: when to stop, how to wait, what to count.
#pragma once

#include <poll.h>

#include <cerrno>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/model/control_block.h"
#include "engine/model/settings.h"
#include "engine/worker/adaptive_spin.h"
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

}  // namespace pipetop
