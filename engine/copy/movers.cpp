#include "engine/copy/movers.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/handles.h"

namespace pipetop {
namespace {

// What write() or splice() has come to.
void note_given(ssize_t done, Moved& moved) {
  moved.given = done > 0 ? uint64_t(done) : 0;
  if (done > 0) return;
  moved.error = done < 0 ? errno : ENOSPC;  // 0: a device that is full, or takes nothing
  moved.side = CopySide::out;
}

class SpliceMover : public ByteMover {
 public:
  SpliceMover(const CopyEnd& in, const CopyEnd& out)
      : in_(in.fd), out_(out.fd), other_(other_than_pipe(in, out)) {}

  // Without SPLICE_F_MORE: a socket would hold the last bytes back.
  Moved move(uint64_t most) override {
    const ssize_t done = ::splice(in_, nullptr, out_, nullptr, most, 0);
    if (done > 0) return {.taken = uint64_t(done), .given = uint64_t(done)};
    if (done == 0) return {.ended = true};
    return {.error = errno, .side = side_of(errno)};
  }

 private:
  // A pipe has no errors but a closed other end.
  CopySide side_of(int error) const {
    if (error == EAGAIN) return CopySide::none;
    return error == EPIPE ? CopySide::out : other_;
  }
  static CopySide other_than_pipe(const CopyEnd& in, const CopyEnd& out) {
    const bool from_pipe = in.kind == EndKind::pipe;
    return out.kind == EndKind::pipe && !from_pipe ? CopySide::in : CopySide::out;
  }

  int in_, out_;
  CopySide other_;
};

// A quarter of what an ordinary user may have; more is hardly faster.
constexpr int kOwnPipeBytes = 256 << 10;

class PipeMover : public ByteMover {
 public:
  PipeMover(const CopyEnd& in, const CopyEnd& out) : in_(in.fd), out_(out.fd) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw SystemError("a pipe to splice through", errno);
    read_end_.reset(ends[0]);
    write_end_.reset(ends[1]);
    (void)!::fcntl(ends[1], F_SETPIPE_SZ, kOwnPipeBytes);  // as it is, it does, too
  }

  Moved move(uint64_t most) override {
    Moved moved;
    if (held_ == 0) moved = take(most);
    if (held_ > 0) give(moved);
    return moved;
  }

  uint64_t held() const override { return held_; }

  Leftover give_up() override { return {std::move(read_end_), held_}; }

 private:
  Moved take(uint64_t most) {
    const ssize_t done = ::splice(in_, nullptr, write_end_.get(), nullptr, most, 0);
    if (done < 0) return {.error = errno, .side = CopySide::in};
    held_ = uint64_t(done);
    return {.taken = held_, .ended = done == 0};
  }

  void give(Moved& moved) {
    note_given(::splice(read_end_.get(), nullptr, out_, nullptr, held_, 0), moved);
    held_ -= moved.given;
  }

  int in_, out_;
  UniqueFd read_end_, write_end_;
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
constexpr size_t kBufferBytes = 256 << 10, kPipeBufferBytes = 64 << 10;

Mapping make_buffer(size_t bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw SystemError("a buffer to copy through", errno);
  return {data, bytes};
}

class CopyMover : public ByteMover {
 public:
  CopyMover(const CopyEnd& in, const CopyEnd& out, Leftover leftover)
      : in_(in.fd),
        out_(out.fd),
        leftover_(std::move(leftover)),
        buffer_(make_buffer(in.kind == EndKind::pipe ? kPipeBufferBytes : kBufferBytes)) {}

  Moved move(uint64_t most) override {
    Moved moved;
    if (begin_ == end_) moved = leftover_.bytes > 0 ? take_leftover() : take(most);
    if (begin_ < end_) give(moved);
    return moved;
  }

  uint64_t held() const override { return end_ - begin_ + leftover_.bytes; }

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
    const ssize_t got = ::read(in_, data(), std::min<uint64_t>(buffer_.size(), most));
    if (got < 0) return {.error = errno, .side = CopySide::in};
    hold(size_t(got));
    return {.taken = uint64_t(got), .ended = got == 0};
  }

  void hold(size_t bytes) {
    begin_ = 0;
    end_ = bytes;
  }

  void give(Moved& moved) {
    note_given(::write(out_, data() + begin_, end_ - begin_), moved);
    begin_ += size_t(moved.given);
  }

  int in_, out_;
  Leftover leftover_;
  Mapping buffer_;
  size_t begin_ = 0, end_ = 0;  // of what is held in the buffer
};

}  // namespace

std::unique_ptr<ByteMover> make_splice_mover(const CopyEnd& in, const CopyEnd& out) {
  return std::make_unique<SpliceMover>(in, out);
}

std::unique_ptr<ByteMover> make_pipe_mover(const CopyEnd& in, const CopyEnd& out) {
  return std::make_unique<PipeMover>(in, out);
}

std::unique_ptr<ByteMover> make_range_mover(const CopyEnd& in, const CopyEnd& out) {
  return std::make_unique<RangeMover>(in, out);
}

std::unique_ptr<ByteMover> make_copy_mover(const CopyEnd& in, const CopyEnd& out,
                                           Leftover leftover) {
  return std::make_unique<CopyMover>(in, out, std::move(leftover));
}

}  // namespace pipetop
