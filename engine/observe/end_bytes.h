// Exact bytes by end, counted by bpf/end_bytes.bpf.c while this lives.
#pragma once

#include <end_bytes.skel.h>

#include <cstdint>
#include <vector>

#include "bpf/stages.h"
#include "engine/observe/libbpf.h"
#include "engine/observe/stage_pipes.h"
#include "engine/observe/stage_threads.h"

namespace pipetop::observe {

class EndByteCounter {
 public:
  EndByteCounter(const StagePipes& pipes, const StageThreads& threads);  // throws Error

  // By process, descriptor and pipe. Ends of pipes and processes that have long gone are forgotten.
  // Throws Error.
  std::vector<EndBytes> read() const;

 private:
  const StagePipes& pipes_;
  const StageThreads& threads_;
  // The link is destroyed first, so that no program runs when the maps are released.
  Skeleton<end_bytes_bpf> skeleton_;
  Link link_;
};

}  // namespace pipetop::observe
