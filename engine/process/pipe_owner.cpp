#include "engine/process/pipe_owner.h"

#include <fcntl.h>

#include <cerrno>

#include "engine/base/error.h"

namespace pipetop {

PipeOwner::PipeOwner() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw SystemError("pipe2", errno);
  read_ = UniqueFd(ends[0]);
  write_ = UniqueFd(ends[1]);
  const int granted = ::fcntl(write_.get(), F_GETPIPE_SZ);
  if (granted < 0) throw SystemError("F_GETPIPE_SZ", errno);
  capacity_bytes_ = static_cast<uint64_t>(granted);
}

int PipeOwner::resize(uint64_t bytes) {
  const int granted = ::fcntl(write_.get(), F_SETPIPE_SZ, static_cast<int>(bytes));
  if (granted < 0) return errno;
  capacity_bytes_ = static_cast<uint64_t>(granted);
  return 0;
}

}  // namespace pipetop
