// bpf/ring.bpf.c, loaded: for a pipe of ours as for those of others.
#pragma once

#include <cstdint>

#include "bpf/ring.h"

// The skeleton has variables of these types.
#include <ring.skel.h>

#include "engine/base/mapping.h"
#include "engine/observe/libbpf.h"
#include "engine/observe/symbols.h"

namespace pipetop::observe {

class RingProgram {
 public:
  RingProgram();  // throws Error

  const bpf_program* iterator() const { return skeleton_->progs.take_snapshot; }
  int copies_fd() const { return bpf_map__fd(skeleton_->maps.copies); }
  const ring_copy& copy(ring_copier copier) const {
    return static_cast<const ring_copy*>(copies_.data())[copier];
  }

  // Used to identify a slot's kind; until set, every slot is `other`.
  void learn_kinds(const Symbols& symbols);

  // Which pipe is read from now on: what a descriptor of the process refers to.
  void choose(int fd, uint64_t inode);

  // Through a link to the process that holds it. Null if it doesn't hold it there; else valid until
  // the next call. Throws SystemError.
  const ring_snapshot* read(const Link& process, ring_copier copier);

 private:
  Skeleton<ring_bpf> skeleton_;
  Mapping snapshots_, copies_;
};

}  // namespace pipetop::observe
