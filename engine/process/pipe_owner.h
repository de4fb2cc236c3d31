// The pipe. The engine keeps both ends open, so that a worker's death never
// breaks the other worker, and it alone changes the ring's size.
#pragma once

#include <cstdint>

#include "engine/base/unique_fd.h"

namespace pipetop {

class PipeOwner {
 public:
  PipeOwner();  // throws SystemError

  int read_fd() const { return read_.get(); }
  int write_fd() const { return write_.get(); }

  // As the kernel granted it. Remembered, for nobody else resizes the pipe, and
  // to ask would take the mutex that writer and reader contend for.
  uint64_t capacity_bytes() const { return capacity_bytes_; }

  // Returns 0, or errno: EBUSY while more is in the ring than would fit, EPERM
  // above pipe-max-size. The kernel rounds up to a power of two pages.
  int resize(uint64_t bytes);

 private:
  UniqueFd read_;
  UniqueFd write_;
  uint64_t capacity_bytes_ = 0;
};

}  // namespace pipetop
