// An end of a pipe that another process holds: a copy of its descriptor, by pidfd_getfd. While we
// have it, nobody gets end of file or SIGPIPE: it must live for a few microseconds only, and never
// across a wait.
#pragma once

#include <cstdint>

#include "engine/base/unique_fd.h"
#include "engine/model/pipe_scan.h"

namespace pipetop {

// Of all pipes that are no FIFOs, as stat shows it; 0 if no pipe can be made to ask.
uint32_t device_of_nameless_pipes();

// Async-signal-safe. Returns 0 or errno: ESRCH, the process has exited; EBADF, it no longer holds
// this pipe there; EPERM, we may not.
int copy_end(PipeId pipe, const PipeEnd& end, UniqueFd& copy);

class ForeignEnd {
 public:
  // Throws SystemError, with the same numbers.
  ForeignEnd(PipeId pipe, const PipeEnd& end);

  // These throw SystemError.
  uint64_t capacity() const;  // bytes
  uint64_t queued() const;    // bytes

  // Returns the size that the kernel granted.
  uint64_t resize(uint64_t bytes);

 private:
  UniqueFd copy_;
};

}  // namespace pipetop
