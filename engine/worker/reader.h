// The reader process: its buffer, its check of stamps, its table of techniques.
#pragma once

#include "engine/memory/buffer.h"
#include "engine/model/control_block.h"
#include "engine/worker/flow.h"
#include "engine/worker/pace.h"
#include "engine/worker/stamp.h"
#include "engine/worker/technique_table.h"

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

using ReadTechnique = LoopEnd (*)(ReaderLoop&);

// One a file under read/.
ReadTechnique read_technique(LoopKind kind);
ReadTechnique read_checked_technique(LoopKind kind);  // checks every stamp
ReadTechnique splice_technique(LoopKind kind);

// Runs until it is told to quit. Returns the exit status.
int run_reader(ControlBlock& block, int pipe_fd);

}  // namespace pipetop
