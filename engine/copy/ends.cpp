#include "engine/copy/ends.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "engine/base/error.h"

namespace pipetop {
namespace {

EndKind kind_of(int fd, const struct stat& status) {
  switch (status.st_mode & S_IFMT) {
    case S_IFIFO:
      return EndKind::pipe;
    case S_IFREG:
      return EndKind::regular;
    case S_IFBLK:
      return EndKind::block;
    case S_IFSOCK:
      return EndKind::socket;
    case S_IFCHR:
      if (status.st_rdev == makedev(1, 3)) return EndKind::null;
      return ::isatty(fd) == 1 ? EndKind::terminal : EndKind::device;
    default:
      return EndKind::other;
  }
}

}  // namespace

CopyEnd end_of_descriptor(int fd, std::string name) {
  struct stat status {};
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fstat(fd, &status) != 0) throw SystemError(name, errno);
  return {.fd = fd,
          .name = std::move(name),
          .kind = kind_of(fd, status),
          .appends = (flags & O_APPEND) != 0,
          .directory = S_ISDIR(status.st_mode),
          .device = status.st_dev,
          .inode = status.st_ino};
}

std::optional<uint64_t> bytes_left(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return {};
  uint64_t size = 0;
  if (S_ISREG(status.st_mode))
    size = uint64_t(status.st_size);
  else if (!S_ISBLK(status.st_mode) || ::ioctl(fd, BLKGETSIZE64, &size) != 0)
    return {};
  const off_t at = ::lseek(fd, 0, SEEK_CUR);
  if (size == 0 || at < 0 || uint64_t(at) > size) return {};
  return size - uint64_t(at);
}

bool feeds_itself(const CopyEnd& in, const CopyEnd& out) {
  const bool same = in.kind == EndKind::regular && out.kind == EndKind::regular &&
                    in.device == out.device && in.inode == out.inode;
  if (!same) return false;
  if (out.appends) return bytes_left(in.fd).value_or(0) > 0;
  return ::lseek(in.fd, 0, SEEK_CUR) < ::lseek(out.fd, 0, SEEK_CUR);
}

}  // namespace pipetop
