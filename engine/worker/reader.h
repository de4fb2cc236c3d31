// The reader process: its buffer, its check of stamps, its table of techniques.
#pragma once

#include "engine/memory/buffer.h"
#include "engine/model/control_block.h"
#include "engine/worker/flow.h"
#include "engine/worker/role_loop.h"
#include "engine/worker/stamp.h"

namespace pipetop {

// The context of a technique's loop.
struct ReaderLoop {
  Flow& flow;
  char* data;      // where read() puts the bytes
  uint64_t bytes;  // requested per call
  int sink_fd;     // where splice() sends them: /dev/null
  unsigned splice_flags;
  StampChecker& checker;
  SlowMotion motion;
};

// The loop, for any system call that takes bytes out of the pipe.
//
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

using ReadTechnique = LoopEnd (*)(ReaderLoop&);

// One per file under read/.
ReadTechnique read_technique(LoopKind kind);
ReadTechnique read_checked_technique(LoopKind kind);  // checks every stamp
ReadTechnique splice_technique(LoopKind kind);

// Runs until it is told to quit. Returns the exit status.
int run_reader(ControlBlock& block, int pipe_fd);

}  // namespace pipetop
