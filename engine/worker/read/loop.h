// The reader's loop, for any system call that takes bytes out of the pipe.
#pragma once

#include "engine/worker/reader.h"

namespace pipetop {

// transfer(requested bytes) -> bytes moved, or -1 with errno; check(bytes, offset) is called with
// what arrived and its offset in the stream.
template <Wait wait, class Pace, class Transfer, class Check>
[[gnu::always_inline]] inline LoopEnd read_loop(ReaderLoop& loop, Transfer transfer, Check check) {
  Flow& flow = loop.flow;
  Pace pace(loop.motion);
  for (;;) {
    if (flow.changed()) return LoopEnd::changed;
    if (!pace.template ready<wait>(flow, POLLIN)) continue;
    const uint64_t asked = pace.limit(loop.bytes);
    const uint64_t offset = flow.counts().items;
    const ssize_t moved = transfer(asked);
    if (!flow.account<wait>(moved, asked)) return LoopEnd::failed;
    if (moved > 0) check(static_cast<uint64_t>(moved), offset);
  }
}

}  // namespace pipetop
