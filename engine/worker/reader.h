// The reader process: its buffer, its check of stamps, its table of techniques.
#pragma once

#include "engine/control_block.h"
#include "engine/memory/buffer.h"
#include "engine/worker/flow.h"
#include "engine/worker/stamp.h"

namespace pipetop {

// What a technique's loop is given.
struct ReaderLoop {
  Flow& flow;
  char* data;      // where read() puts the bytes
  uint64_t bytes;  // asked of one call
  int sink_fd;     // where splice() sends them: /dev/null
  unsigned splice_flags;
  StampChecker& checker;
};

using ReadTechnique = LoopEnd (*)(ReaderLoop&);

// One a file under read/.
ReadTechnique read_technique(Wait wait);
ReadTechnique read_checked_technique(Wait wait);  // looks at every stamp
ReadTechnique splice_technique(Wait wait);

// Runs until told to quit. Returns the exit status.
int run_reader(ControlBlock& block, int pipe_fd);

}  // namespace pipetop
