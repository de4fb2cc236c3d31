// Looks at every slot of a pipe that this process holds, through
// bpf/ring.bpf.c.
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

  // By which a slot's kind is told; before it every slot is `other`.
  void learn_kinds(const Symbols& symbols);

  // Takes a look now. Valid until the next one. Throws Error.
  const ring_look& look();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipetop::observe
