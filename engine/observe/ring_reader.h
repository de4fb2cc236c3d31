// Reads every slot of a pipe that this process holds, through bpf/ring.bpf.c.
#pragma once

#include <memory>

#include "bpf/ring.h"
#include "engine/observe/symbols.h"

namespace pipetop::observe {

class RingReader {
 public:
  // Throws Error, "why; remedy".
  explicit RingReader(int pipe_fd);
  ~RingReader();
  RingReader(const RingReader&) = delete;
  RingReader& operator=(const RingReader&) = delete;

  // Used to identify a slot's kind; until set, every slot is `other`.
  void learn_kinds(const Symbols& symbols);

  uint64_t pipe_address() const;  // the kernel's

  // Where the sampler's tick puts its copies of the ring.
  int copies_fd() const;

  // Takes a snapshot now, while this process runs, which may have displaced the
  // pipe's writer or reader. Valid until the next call. Throws Error.
  const ring_snapshot& take_snapshot();

  // The snapshot that a tick of the sampler took, once, when it is complete; else
  // null. Valid until the next call. Throws Error.
  const ring_snapshot* snapshot_of_tick();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipetop::observe
