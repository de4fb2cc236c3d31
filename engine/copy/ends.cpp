#include "engine/copy/ends.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
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

CopyMethods only_copy(std::string why) { return {{CopyMethod::copy}, std::move(why)}; }

bool is_file(const CopyEnd& end) {
  return end.kind == EndKind::regular || end.kind == EndKind::block;
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

std::string_view name_of(CopyMethod method) {
  constexpr std::array<std::string_view, 4> kNames = {"splice", "splice through a pipe of its own",
                                                      "copy_file_range", "read and write"};
  return kNames[static_cast<size_t>(method)];
}

CopyMethods methods_for(const CopyEnd& in, const CopyEnd& out, bool may_splice) {
  using enum CopyMethod;
  if (!may_splice) return only_copy("copying was asked for (-C)");
  if (out.appends && out.kind == EndKind::regular)
    return only_copy(out.name + " appends (>>), and splice doesn't");
  for (const CopyEnd* end : {&in, &out})
    if (end->kind == EndKind::terminal) return only_copy(end->name + " is a terminal");
  // From a pipe into a file splice copies, too, and no other program gets at the pipe meanwhile. A
  // pipe of our own in between would end that; but then a program that lends its pages by vmsplice
  // would write to them again before they are in the file.
  if (in.kind == EndKind::pipe && is_file(out))
    return only_copy("splice would lock the pipe while " + out.name + " is written");
  if (in.kind == EndKind::pipe || out.kind == EndKind::pipe) return {{splice, copy}, ""};
  if (in.kind == EndKind::device || in.kind == EndKind::null)
    return only_copy(in.name + " is a device, which has no pages to share");
  // A file of /proc, for example: nothing but read() knows what it holds.
  if (is_file(in) && !bytes_left(in.fd)) return only_copy(in.name + " has no size");
  if (in.kind == EndKind::regular && out.kind == EndKind::regular)
    return {{copy_file_range, splice_by_pipe, copy}, ""};
  return {{splice_by_pipe, copy}, ""};
}

}  // namespace pipetop
