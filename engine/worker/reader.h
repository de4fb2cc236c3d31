// The reader process: its buffer, its check of stamps, its table of techniques.
#pragma once

#include "engine/memory/buffer.h"
#include "engine/model/control_block.h"
#include "engine/worker/flow.h"
#include "engine/worker/pace.h"
#include "engine/worker/stamp.h"
#include "engine/worker/technique_table.h"

namespace pipetop {

// What a technique's loop is given.
struct ReaderLoop {
  Flow& flow;
  char* data;      // where read() puts the bytes
  uint64_t bytes;  // asked of one call
  int sink_fd;     // where splice() sends them: /dev/null
  unsigned splice_flags;
  StampChecker& checker;
  SlowMotion motion;
};

using ReadTechnique = LoopEnd (*)(ReaderLoop&);

// One a file under read/.
ReadTechnique read_technique(LoopKind kind);
ReadTechnique read_checked_technique(LoopKind kind);  // looks at every stamp
ReadTechnique splice_technique(LoopKind kind);

// Runs until told to quit. Returns the exit status.
int run_reader(ControlBlock& block, int pipe_fd);

}  // namespace pipetop
