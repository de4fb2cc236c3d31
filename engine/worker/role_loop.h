// The life of a worker of either role: take a command, prepare, acknowledge,
// flow until the next one.
#pragma once

#include <fcntl.h>

#include <cerrno>

#include "engine/control_block.h"
#include "engine/worker/flow.h"
#include "engine/worker/technique_table.h"

namespace pipetop {

// O_NONBLOCK belongs to the open file, which the engine's own descriptor of this
// end shares; the engine never transfers through it.
inline void set_nonblocking(int fd, bool on) {
  const int flags = ::fcntl(fd, F_GETFL);
  const int wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (flags != wanted) ::fcntl(fd, F_SETFL, wanted);
}

// Of the transfers themselves: an adaptive wait sleeps in poll().
constexpr bool is_nonblocking(Wait wait) { return is_busy(wait) || wait == Wait::adaptive; }

// Both roles pass SPLICE_F_NONBLOCK when transfers must not sleep; each adds what `gift` means to
// it.
inline unsigned splice_flags(const WorkerCommand& command, unsigned gift_flag) {
  const unsigned nonblock = is_nonblocking(static_cast<Wait>(command.wait)) ? SPLICE_F_NONBLOCK : 0;
  return nonblock | (command.gift ? gift_flag : 0);
}

inline LoopKind loop_kind(const WorkerCommand& command) {
  return {static_cast<Wait>(command.wait), command.slow_ring_bytes != 0};
}

// prepare(command, report) -> false if memory was refused, the report saying why;
// move(command, flow) -> why the flow ended.
template <class Prepare, class Move>
int run_role(ControlBlock& block, int pipe_fd, Prepare prepare, Move move) {
  for (;;) {
    const auto [generation, command] = read_command(block);
    WorkerReport report;
    report.state = WorkerState::held;
    if (command.order == Order::flow) {
      set_nonblocking(pipe_fd, is_nonblocking(static_cast<Wait>(command.wait)));
      const bool prepared = prepare(command, report);
      report.state = prepared ? WorkerState::flowing : WorkerState::refused;
    }
    publish_report(block, generation, report);
    if (command.order == Order::quit) return 0;
    if (report.state == WorkerState::flowing) {
      Flow flow(block, pipe_fd, generation);
      if (move(command, flow) == LoopEnd::changed) continue;
      publish_failure(block, errno);
    }
    wait_for_command(block, generation);
  }
}

}  // namespace pipetop
