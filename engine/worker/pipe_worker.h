// What the two roles of a pipe share: when their loops stop, how they wait, what they count and at
// which pace, the choice of the loop that was compiled for a command, and the main function.
#pragma once

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "engine/base/adaptive_spin.h"
#include "engine/base/clock.h"
#include "engine/model/control_block.h"
#include "engine/model/settings.h"
#include "engine/worker/pipe_command.h"
#include "engine/worker/worker_loop.h"

namespace pipetop {

class PipeWorker {
 public:
  PipeWorker(ControlBlock& block, int pipe_fd, uint32_t generation)
      : block_(block), pipe_fd_(pipe_fd), generation_(generation) {}

  int pipe_fd() const { return pipe_fd_; }
  WorkerCounts& counts() { return block_.counts; }
  WorkerMarks& marks() { return block_.marks; }

  // Whether there is a newer command than the current one.
  bool changed() const { return is_changed(block_, generation_); }

  // Whether a single step is allowed. If not, returns once one may be, or after a signal.
  bool may_step() const { return await_permit(block_); }

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

// What one worker needs in slow motion.
struct SlowMotion {
  Role role = Role::writer;
  uint64_t bytes = 0;       // of one operation
  uint64_t operations = 0;  // that fill the ring
  bool steps = false;       // each waits for a permit
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
  bool ready(PipeWorker& worker, short events) {
    worker.await<wait>(events);
    return true;
  }
  // How much of `bytes` to request in one transfer.
  uint64_t limit(uint64_t bytes) const { return bytes; }
  // A transfer moved bytes.
  void moved(PipeWorker&) {}
};

class SlowPace {
 public:
  explicit SlowPace(const SlowMotion& motion);

  template <Wait wait>
  bool ready(PipeWorker& worker, short events) {
    if (!due(worker)) return false;
    if constexpr (wait == Wait::busy_poll) return worker.poll_once(events);
    // There is nothing to gain from spinning.
    worker.await<wait == Wait::adaptive ? Wait::poll : wait>(events);
    return true;
  }
  uint64_t limit(uint64_t bytes) const { return std::min(bytes, motion_.bytes); }
  void moved(PipeWorker& worker) {
    tried_ = false;
    if (motion_.steps) add(worker.marks().steps, 1);
  }

 private:
  // A single step is made at once; only if nothing could be moved it is tried at the usual pace.
  bool due(PipeWorker& worker) {
    if (!motion_.steps) return sleep();
    return worker.may_step() && (!std::exchange(tried_, true) || sleep());
  }
  bool sleep();

  SlowMotion motion_;
  uint64_t began_ns_;
  uint64_t due_ns_;
  bool tried_ = false;  // this single step
};

// Returns loop<wait, Pace>() for the command's kind of wait and its pace.
template <class Loop>
LoopEnd with_kind_of_loop(const PipeCommand& command, Loop loop) {
  const auto at_pace = [&]<class Pace>() {
    switch (command.wait) {
      case Wait::poll:
        return loop.template operator()<Wait::poll, Pace>();
      case Wait::busy:
        return loop.template operator()<Wait::busy, Pace>();
      case Wait::busy_poll:
        return loop.template operator()<Wait::busy_poll, Pace>();
      case Wait::adaptive:
        return loop.template operator()<Wait::adaptive, Pace>();
      case Wait::block:
        break;
    }
    return loop.template operator()<Wait::block, Pace>();
  };
  return command.slow_ring_bytes != 0 ? at_pace.template operator()<SlowPace>()
                                      : at_pace.template operator()<FreePace>();
}

// Whether the transfers themselves must not sleep: an adaptive wait sleeps in poll().
constexpr bool is_nonblocking(Wait wait) { return is_busy(wait) || wait == Wait::adaptive; }

// O_NONBLOCK belongs to the open file, which the engine's own descriptor of this
// end shares; the engine never transfers through it.
inline void set_nonblocking(int fd, bool on) {
  const int flags = ::fcntl(fd, F_GETFL);
  const int wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (flags != wanted) ::fcntl(fd, F_SETFL, wanted);
}

// Both roles pass SPLICE_F_NONBLOCK if transfers must not sleep; each adds its flag for `gift`.
inline unsigned splice_flags(const PipeCommand& command, unsigned gift_flag) {
  return (is_nonblocking(command.wait) ? SPLICE_F_NONBLOCK : 0) | (command.gift ? gift_flag : 0);
}

// prepare(command, report) -> false if there was no memory, with the reason in the
// report; move(command, worker) -> why the loop ended.
template <class Prepare, class Move>
int run_pipe_role(ControlBlock& block, int pipe_fd, Prepare prepare, Move move) {
  return run_worker<PipeCommand>(
      block,
      [&](const PipeCommand& command, uint32_t, WorkerReport& report) {
        set_nonblocking(pipe_fd, is_nonblocking(command.wait));
        return prepare(command, report);
      },
      [&](const PipeCommand& command, uint32_t generation) {
        PipeWorker worker(block, pipe_fd, generation);
        return move(command, worker);
      });
}

}  // namespace pipetop
