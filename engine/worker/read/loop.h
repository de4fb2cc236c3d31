// The reader's loop, for any system call that takes bytes out of the pipe.
#pragma once

#include "engine/worker/reader.h"

namespace pipetop {

// transfer(bytes asked) -> bytes moved, or -1 with errno; looked_at(bytes, offset) is told
// of what arrived and where in the stream it lies.
template <Wait wait, class Pace, class Transfer, class LookedAt>
[[gnu::always_inline]] inline LoopEnd read_loop(ReaderLoop& loop, Transfer transfer,
                                                LookedAt looked_at) {
  Flow& flow = loop.flow;
  Pace pace(loop.motion);
  for (;;) {
    if (flow.changed()) return LoopEnd::changed;
    if (!pace.template ready<wait>(flow, POLLIN)) continue;
    const uint64_t asked = pace.limit(loop.bytes);
    const uint64_t offset = flow.counts().items;
    const ssize_t moved = transfer(asked);
    if (!flow.account<wait>(moved, asked)) return LoopEnd::failed;
    if (moved > 0) looked_at(static_cast<uint64_t>(moved), offset);
  }
}

}  // namespace pipetop
