// What the two roles of a pipe share: the choice of the loop that was compiled for a kind of
// wait and a pace, and the main function.
#pragma once

#include <fcntl.h>

#include <cerrno>

#include "engine/model/control_block.h"
#include "engine/model/settings.h"
#include "engine/worker/flow.h"
#include "engine/worker/pipe_command.h"
#include "engine/worker/worker_life.h"

namespace pipetop {

struct LoopKind {
  Wait wait = Wait::block;
  bool slow = false;
};

template <class Pace, class Compiled>
auto loop_of_wait(Wait wait, Compiled compiled) {
  switch (wait) {
    case Wait::poll:
      return compiled.template operator()<Wait::poll, Pace>();
    case Wait::busy:
      return compiled.template operator()<Wait::busy, Pace>();
    case Wait::busy_poll:
      return compiled.template operator()<Wait::busy_poll, Pace>();
    case Wait::adaptive:
      return compiled.template operator()<Wait::adaptive, Pace>();
    case Wait::block:
      break;
  }
  return compiled.template operator()<Wait::block, Pace>();
}

// compiled<wait, Pace>() -> the technique's loop.
template <class Compiled>
auto technique_table(LoopKind kind, Compiled compiled) {
  return kind.slow ? loop_of_wait<SlowPace>(kind.wait, compiled)
                   : loop_of_wait<FreePace>(kind.wait, compiled);
}

// O_NONBLOCK belongs to the open file, which the engine's own descriptor of this
// end shares; the engine never transfers through it.
inline void set_nonblocking(int fd, bool on) {
  const int flags = ::fcntl(fd, F_GETFL);
  const int wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (flags != wanted) ::fcntl(fd, F_SETFL, wanted);
}

// Whether the transfers themselves must not sleep: an adaptive wait sleeps in poll().
constexpr bool is_nonblocking(Wait wait) { return is_busy(wait) || wait == Wait::adaptive; }

// Both roles pass SPLICE_F_NONBLOCK if transfers must not sleep; each adds its flag for `gift`.
inline unsigned splice_flags(const PipeCommand& command, unsigned gift_flag) {
  const unsigned nonblock = is_nonblocking(static_cast<Wait>(command.wait)) ? SPLICE_F_NONBLOCK : 0;
  return nonblock | (command.gift ? gift_flag : 0);
}

inline LoopKind loop_kind(const PipeCommand& command) {
  return {static_cast<Wait>(command.wait), command.slow_ring_bytes != 0};
}

// prepare(command, report) -> false if there was no memory, with the reason in the
// report; move(command, flow) -> why the flow ended.
template <class Prepare, class Move>
int run_pipe_role(ControlBlock& block, int pipe_fd, Prepare prepare, Move move) {
  return run_worker<PipeCommand>(
      block,
      [&](const PipeCommand& command, WorkerReport& report) {
        set_nonblocking(pipe_fd, is_nonblocking(static_cast<Wait>(command.wait)));
        return prepare(command, report);
      },
      [&](const PipeCommand& command, uint32_t generation) {
        Flow flow(block, pipe_fd, generation);
        return move(command, flow);
      });
}

}  // namespace pipetop
