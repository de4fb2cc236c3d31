#include "engine/process/foreign_end.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include <atomic>
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

// For a FIFO on these, stat shows another device than BPF sees, which is the superblock's.
bool has_devices_of_its_own(int fd) {
  struct statfs system = {};
  if (::fstatfs(fd, &system) != 0) return false;
  return system.f_type == BTRFS_SUPER_MAGIC || system.f_type == OVERLAYFS_SUPER_MAGIC;
}

bool is_still(int fd, PipeId pipe) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode) || status.st_ino != pipe.inode)
    return false;
  const auto device = static_cast<uint32_t>(status.st_dev);
  if (device == pipe.device) return true;
  const uint32_t nameless = device_of_nameless_pipes();
  return device != nameless && pipe.device != nameless && has_devices_of_its_own(fd);
}

}  // namespace

uint32_t device_of_nameless_pipes() {
  static std::atomic<uint32_t> known = 0;
  if (known != 0) return known;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return 0;
  const UniqueFd read_end(ends[0]), write_end(ends[1]);
  struct stat status = {};
  if (::fstat(read_end.get(), &status) == 0) known = static_cast<uint32_t>(status.st_dev);
  return known;
}

// The start time is read when we have the pidfd: from then on it can't be another process's.
int copy_end(PipeId pipe, const PipeEnd& end, UniqueFd& copy) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, end.process.pid, 0)));
  if (!process) return errno;
  if (const int error = look_for(end.process)) return error;
  copy.reset(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), end.fd, 0)));
  if (!copy) return errno;
  if (is_still(copy.get(), pipe)) return 0;
  copy.reset();
  return EBADF;
}

ForeignEnd::ForeignEnd(PipeId pipe, const PipeEnd& end) {
  if (const int error = copy_end(pipe, end, copy_)) throw SystemError(end_text(pipe, end), error);
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
