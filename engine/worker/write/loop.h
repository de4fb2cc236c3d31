// The writer's loop, for any system call that moves bytes from memory into the
// pipe. Instantiated per technique, wait and pace, so that an iteration does not
// test any options.
#pragma once

#include "engine/worker/writer.h"

namespace pipetop {

// transfer(fd, data, bytes, flags) -> bytes moved, or -1 with errno.
template <Wait wait, class Pace, class Transfer>
[[gnu::always_inline]] inline LoopEnd write_loop(WriterLoop& loop, Transfer transfer) {
  Flow& flow = loop.flow;
  Pace pace(loop.motion);
  for (;;) {
    auto [data, left] = loop.buffers.next(flow.counts().items);
    while (left > 0) {
      if (flow.changed()) return LoopEnd::changed;
      if (!pace.template ready<wait>(flow, POLLOUT)) continue;
      const uint64_t asked = pace.limit(left);
      const ssize_t moved = transfer(flow.pipe_fd(), data, asked, loop.splice_flags);
      if (!flow.account<wait>(moved, asked)) return LoopEnd::failed;
      if (moved <= 0) continue;
      data += moved;
      left -= static_cast<uint64_t>(moved);
    }
  }
}

}  // namespace pipetop
