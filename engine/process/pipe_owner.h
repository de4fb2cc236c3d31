// The pipe. The engine keeps both ends open, so that the death of one worker does
// not break the other, and only the engine changes the ring's size.
#pragma once

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>

#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/model/settings.h"

namespace pipetop {

// What the kernel makes of a size that is asked for: a power of two pages.
inline uint64_t ring_bytes_for(uint64_t bytes) {
  return std::max(kPageBytes, std::bit_ceil(bytes));
}

class PipeOwner {
 public:
  PipeOwner() {  // throws SystemError
    if (!pipe_) throw SystemError("pipe2", errno);
    const int granted = ::fcntl(pipe_.write.get(), F_GETPIPE_SZ);
    if (granted < 0) throw SystemError("F_GETPIPE_SZ", errno);
    capacity_bytes_ = static_cast<uint64_t>(granted);
  }

  int read_fd() const { return pipe_.read.get(); }
  int write_fd() const { return pipe_.write.get(); }

  // As granted by the kernel. Cached, because nobody else resizes the pipe, and
  // asking the kernel takes the mutex that writer and reader contend for.
  uint64_t capacity_bytes() const { return capacity_bytes_; }

  // Returns 0 or errno: EBUSY while the ring holds more than would fit, EPERM above
  // pipe-max-size.
  int resize(uint64_t bytes) {
    const int granted = ::fcntl(pipe_.write.get(), F_SETPIPE_SZ, static_cast<int>(bytes));
    if (granted < 0) return errno;
    capacity_bytes_ = static_cast<uint64_t>(granted);
    return 0;
  }

 private:
  PipeEnds pipe_ = open_pipe();
  uint64_t capacity_bytes_ = 0;
};

}  // namespace pipetop
