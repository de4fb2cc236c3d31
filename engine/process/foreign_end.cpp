#include "engine/process/foreign_end.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <climits>
#include <string>

#include "engine/base/error.h"
#include "engine/process/threads.h"

namespace pipetop {
namespace {

std::string end_text(PipeId pipe, const PipeEnd& end) {
  return fmt::format("pipe {} of process {}, descriptor {}", pipe.inode, end.process.pid, end.fd);
}

// The device that stat shows is another one than BPF sees on btrfs; the descriptor is the same one.
bool is_still(int fd, PipeId pipe) {
  struct stat status = {};
  return ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) && status.st_ino == pipe.inode;
}

}  // namespace

// The start time is read when we have the pidfd: from then on it can't be another process's.
ForeignEnd::ForeignEnd(PipeId pipe, const PipeEnd& end) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, end.process.pid, 0)));
  if (!process) throw SystemError(end_text(pipe, end), errno);
  if (!exists(end.process)) throw SystemError(end_text(pipe, end), ESRCH);
  copy_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), end.fd, 0)));
  if (!copy_) throw SystemError(end_text(pipe, end), errno);
  if (is_still(copy_.get(), pipe)) return;
  copy_.reset();
  throw SystemError(end_text(pipe, end), EBADF);
}

uint64_t ForeignEnd::capacity() const {
  const int bytes = ::fcntl(copy_.get(), F_GETPIPE_SZ);
  if (bytes < 0) throw SystemError("F_GETPIPE_SZ", errno);
  return static_cast<uint64_t>(bytes);
}

uint64_t ForeignEnd::queued() const {
  int bytes = 0;
  if (::ioctl(copy_.get(), FIONREAD, &bytes) != 0) throw SystemError("FIONREAD", errno);
  return static_cast<uint64_t>(bytes);
}

uint64_t ForeignEnd::resize(uint64_t bytes) {
  if (bytes == 0 || bytes > INT_MAX) throw SystemError("F_SETPIPE_SZ", EINVAL);
  const int granted = ::fcntl(copy_.get(), F_SETPIPE_SZ, static_cast<int>(bytes));
  if (granted < 0) throw SystemError("F_SETPIPE_SZ", errno);
  return static_cast<uint64_t>(granted);
}

}  // namespace pipetop
