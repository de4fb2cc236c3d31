#include "engine/copy/methods.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/adaptive_spin.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/handles.h"

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

// What write() or splice() has come to.
void note_given(ssize_t done, Moved& moved) {
  moved.given = done > 0 ? uint64_t(done) : 0;
  if (done > 0) return;
  moved.error = done < 0 ? errno : ENOSPC;  // 0: a device that is full, or takes nothing
  moved.side = CopySide::out;
}

// Waits awake for a fast neighbour, after whoever else wants to run has. Measured: 1.2 to 4 times
// as fast as to sleep at once.
class PipeWaits {
 public:
  // Until it has data, or room; -1: not waited for. False: a signal came before. Whoever can't ask
  // finds out by the call that follows, which waits, too.
  bool wait(int fd, short event) {
    while (fd >= 0 && !is_ready(fd, event, 0)) {
      spin_.missed(monotonic_ns);
      if (spin_.sleeps()) return is_ready(fd, event, -1);
      ::sched_yield();
    }
    return true;
  }

  void moved(uint64_t bytes) { spin_.moved(monotonic_ns, bytes); }

 private:
  static bool is_ready(int fd, short event, int timeout_ms) {
    pollfd end{fd, event, 0};
    const int ready = ::poll(&end, 1, timeout_ms);
    return ready > 0 || (ready < 0 && errno != EINTR);
  }

  AdaptiveSpin spin_;
};

// A pipe's wrong end is never ready.
int waited_in(const CopyEnd& end) {
  return end.kind == EndKind::pipe && end.readable ? end.fd : -1;
}
int waited_out(const CopyEnd& end) {
  return end.kind == EndKind::pipe && end.writable ? end.fd : -1;
}

// Between two pipes, and to /dev/null, a splice that waits holds the lock of neither.
class SpliceMover : public ByteMover {
 public:
  SpliceMover(const CopyEnd& in, const CopyEnd& out)
      : in_(in.fd), out_(out.fd), pipe_in_(waited_in(in)), pipe_out_(waited_out(out)) {}

  Moved move(uint64_t most) override {
    if (!waits_.wait(pipe_in_, POLLIN) || !waits_.wait(pipe_out_, POLLOUT)) return {.error = EINTR};
    const ssize_t done = ::splice(in_, nullptr, out_, nullptr, most, 0);
    waits_.moved(done > 0 ? uint64_t(done) : 0);
    if (done > 0) return {.taken = uint64_t(done), .given = uint64_t(done)};
    if (done == 0) return {.ended = true};
    // A pipe has no errors but a closed other end.
    return {.error = errno, .side = errno == EAGAIN ? CopySide::none : CopySide::out};
  }

 private:
  int in_, out_, pipe_in_, pipe_out_;
  PipeWaits waits_;
};

// A quarter of what an ordinary user may have; more is hardly faster.
constexpr int kOwnPipeBytes = 256 << 10;

// A splice from or to anything but a pipe waits with the pipe's lock held: until there is data,
// room or a page from the disk, nobody else can read the pipe, write to it, or be killed while they
// try. Of our own pipe nobody minds. Without SPLICE_F_MORE: a socket would hold the last bytes
// back.
class PipeMover : public ByteMover {
 public:
  PipeMover(const CopyEnd& in, const CopyEnd& out)
      : in_(in.fd), out_(out.fd), pipe_out_(waited_out(out)) {
    if (!pipe_) throw SystemError("a pipe to splice through", errno);
    (void)!::fcntl(pipe_.write.get(), F_SETPIPE_SZ, kOwnPipeBytes);  // as it is, it does, too
  }

  Moved move(uint64_t most) override {
    Moved moved;
    if (held_ == 0) moved = take(most);
    if (held_ > 0) give(moved);
    return moved;
  }

  uint64_t held() const override { return held_; }

  Leftover give_up() override { return {std::move(pipe_.read), std::exchange(held_, 0)}; }

 private:
  Moved take(uint64_t most) {
    const ssize_t done = ::splice(in_, nullptr, pipe_.write.get(), nullptr, most, 0);
    if (done < 0) return {.error = errno, .side = CopySide::in};
    held_ = uint64_t(done);
    return {.taken = held_, .ended = done == 0};
  }

  void give(Moved& moved) {
    if (!waits_.wait(pipe_out_, POLLOUT)) return void(moved.error = EINTR);
    note_given(::splice(pipe_.read.get(), nullptr, out_, nullptr, held_, 0), moved);
    waits_.moved(moved.given);
    held_ -= moved.given;
  }

  int in_, out_, pipe_out_;
  PipeWaits waits_;
  PipeEnds pipe_ = open_pipe();
  uint64_t held_ = 0;
};

// The kernel may take it whole, and no signal ends that.
constexpr uint64_t kRangeBytes = 16 << 20;

class RangeMover : public ByteMover {
 public:
  RangeMover(const CopyEnd& in, const CopyEnd& out) : in_(in.fd), out_(out.fd) {}

  Moved move(uint64_t most) override {
    const ssize_t done =
        ::copy_file_range(in_, nullptr, out_, nullptr, std::min(most, kRangeBytes), 0);
    if (done < 0) return {.error = errno};
    return {.taken = uint64_t(done), .given = uint64_t(done), .ended = done == 0};
  }

 private:
  int in_, out_;
};

// Measured: larger ones leave the cache between read and write, smaller ones cost more calls. A
// pipe seldom has more.
constexpr size_t kBufferBytes = 256 << 10, kPipeBufferBytes = 128 << 10;

Mapping make_buffer(size_t bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw SystemError("a buffer to copy through", errno);
  return {data, bytes};
}

class CopyMover : public ByteMover {
 public:
  CopyMover(const CopyEnd& in, const CopyEnd& out, Leftover& leftover, const CopyBuffer& buffer)
      : in_(in.fd),
        out_(out.fd),
        pipe_in_(waited_in(in)),
        leftover_(std::move(leftover)),
        counts_(buffer.counts),
        keeps_(buffer.keeps),
        limits_counted_(buffer.limits_counted),
        buffer_(make_buffer(buffer.bytes != 0          ? buffer.bytes
                            : in.kind == EndKind::pipe ? kPipeBufferBytes
                                                       : kBufferBytes)) {}

  Moved move(uint64_t most) override {
    Moved moved;
    if (begin_ == end_)
      moved = leftover_.bytes > 0 ? take_leftover() : take(limits_counted_ ? UINT64_MAX : most);
    if (begin_ < end_) give(moved, limits_counted_ ? behind(most) : end_);
    return moved;
  }

  uint64_t held() const override { return end_ - begin_ + leftover_.bytes; }
  std::optional<double> used() const override { return double(end_) / double(buffer_.size()); }
  std::string_view last() const override { return last_; }

  uint64_t hold_zeros(uint64_t bytes) override {
    const auto count = size_t(std::min<uint64_t>(bytes, buffer_.size()));
    std::memset(data(), 0, count);
    hold(count);
    return count;
  }

 private:
  char* data() const { return static_cast<char*>(buffer_.data()); }

  // They were counted when they came into the pipe.
  Moved take_leftover() {
    const size_t wanted = std::min<uint64_t>(buffer_.size(), leftover_.bytes);
    const ssize_t got = ::read(leftover_.pipe.get(), data(), wanted);
    if (got < 0) return {.error = errno};
    hold(size_t(got));
    leftover_.bytes -= uint64_t(got);
    return {};
  }

  Moved take(uint64_t most) {
    if (!waits_.wait(pipe_in_, POLLIN)) return {.error = EINTR};
    const ssize_t got = ::read(in_, data(), std::min<uint64_t>(buffer_.size(), most));
    waits_.moved(got > 0 ? uint64_t(got) : 0);
    if (got < 0) return {.error = errno, .side = CopySide::in};
    hold(size_t(got));
    return {.taken = uint64_t(got), .ended = got == 0};
  }

  void hold(size_t bytes) {
    begin_ = 0;
    end_ = bytes;
  }

  // The place after so many of those that are counted.
  size_t behind(uint64_t most) const {
    size_t at = begin_;
    for (; most > 0 && at < end_; --most) {
      const void* found = std::memchr(data() + at, *counts_, end_ - at);
      if (!found) return end_;
      at = size_t(static_cast<const char*>(found) - data()) + 1;
    }
    return at;
  }

  void give(Moved& moved, size_t until) {
    note_given(::write(out_, data() + begin_, until - begin_), moved);
    if (counts_)
      moved.counted =
          uint64_t(std::count(data() + begin_, data() + begin_ + moved.given, *counts_));
    if (keeps_ > 0) {
      last_.append(data() + begin_, size_t(moved.given));
      if (last_.size() > keeps_) last_.erase(0, last_.size() - keeps_);
    }
    begin_ += size_t(moved.given);
  }

  int in_, out_, pipe_in_;
  PipeWaits waits_;
  Leftover leftover_;
  std::optional<char> counts_;
  size_t keeps_;
  bool limits_counted_;
  std::string last_;
  Mapping buffer_;
  size_t begin_ = 0, end_ = 0;  // of what is held in the buffer
};

}  // namespace

CopyEnd end_of_descriptor(int fd, std::string name) {
  struct stat status {};
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fstat(fd, &status) != 0) throw SystemError(name, errno);
  return {.fd = fd,
          .name = std::move(name),
          .kind = kind_of(fd, status),
          .appends = (flags & O_APPEND) != 0,
          .readable = (flags & O_ACCMODE) != O_WRONLY,
          .writable = (flags & O_ACCMODE) != O_RDONLY,
          .directory = S_ISDIR(status.st_mode),
          .device = status.st_dev,
          .inode = status.st_ino,
          .disk = S_ISBLK(status.st_mode) ? status.st_rdev : 0};
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

bool same_file(const CopyEnd& one, const CopyEnd& other) {
  if (one.kind != other.kind) return false;
  if (one.kind == EndKind::block) return one.disk == other.disk;
  return (one.kind == EndKind::regular || one.kind == EndKind::pipe) &&
         one.device == other.device && one.inode == other.inode;
}

std::string_view name_of(CopyMethod method) {
  constexpr std::array<std::string_view, 4> kNames = {"splice", "splice through a pipe of its own",
                                                      "copy_file_range", "read and write"};
  return kNames[static_cast<size_t>(method)];
}

CopyMethods methods_for(const CopyEnd& in, const CopyEnd& out, const std::string& why_copy) {
  using enum CopyMethod;
  if (!why_copy.empty()) return only_copy(why_copy);
  if (out.appends && out.kind == EndKind::regular)
    return only_copy(out.name + " appends (>>), and splice doesn't");
  for (const CopyEnd* end : {&in, &out})
    if (end->kind == EndKind::terminal) return only_copy(end->name + " is a terminal");
  // From a pipe splice would hold its lock while the other end takes what comes: nobody could write
  // to the pipe meanwhile. A pipe of our own in between would end that; but then a program that
  // lends its pages by vmsplice would write to them again before they have gone.
  const bool from_pipe = in.kind == EndKind::pipe;
  if (from_pipe && out.kind != EndKind::pipe && out.kind != EndKind::null)
    return only_copy("splice would lock the pipe while " + out.name + " is written");
  if (from_pipe) return {{splice, copy}, ""};
  if (in.kind == EndKind::device || in.kind == EndKind::null)
    return only_copy(in.name + " is a device, which has no pages to share");
  // A file of /proc, for example: nothing but read() knows what it holds.
  if (is_file(in) && !bytes_left(in.fd)) return only_copy(in.name + " has no size");
  if (in.kind == EndKind::regular && out.kind == EndKind::regular)
    return {{copy_file_range, splice_by_pipe, copy}, ""};
  return {{splice_by_pipe, copy}, ""};
}

std::unique_ptr<ByteMover> make_mover(CopyMethod method, const CopyEnd& in, const CopyEnd& out,
                                      Leftover& leftover, const CopyBuffer& buffer) {
  switch (method) {
    case CopyMethod::splice:
      return std::make_unique<SpliceMover>(in, out);
    case CopyMethod::splice_by_pipe:
      return std::make_unique<PipeMover>(in, out);
    case CopyMethod::copy_file_range:
      return std::make_unique<RangeMover>(in, out);
    case CopyMethod::copy:
      break;
  }
  return std::make_unique<CopyMover>(in, out, leftover, buffer);
}

}  // namespace pipetop
