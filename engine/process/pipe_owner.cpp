#include "engine/process/pipe_owner.h"

#include <fcntl.h>

#include <cerrno>

#include "engine/error.h"

namespace pipetop {

PipeOwner::PipeOwner() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw SystemError("pipe2", errno);
  read_ = UniqueFd(ends[0]);
  write_ = UniqueFd(ends[1]);
}

uint64_t PipeOwner::capacity_bytes() const {
  const int bytes = ::fcntl(write_.get(), F_GETPIPE_SZ);
  return bytes < 0 ? 0 : static_cast<uint64_t>(bytes);
}

int PipeOwner::resize(uint64_t bytes) {
  return ::fcntl(write_.get(), F_SETPIPE_SZ, static_cast<int>(bytes)) < 0 ? errno : 0;
}

}  // namespace pipetop
