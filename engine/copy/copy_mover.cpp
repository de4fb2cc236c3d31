#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/mapping.h"
#include "engine/copy/mover.h"

namespace pipetop {
namespace {

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
    const ssize_t done = ::write(out_, data() + begin_, end_ - begin_);
    if (done <= 0) {
      moved.error = done < 0 ? errno : ENOSPC;  // 0: a device that is full
      moved.side = CopySide::out;
      return;
    }
    moved.given = uint64_t(done);
    begin_ += size_t(done);
  }

  int in_, out_;
  Leftover leftover_;
  Mapping buffer_;
  size_t begin_ = 0, end_ = 0;  // of what is held in the buffer
};

}  // namespace

std::unique_ptr<ByteMover> make_copy_mover(const CopyEnd& in, const CopyEnd& out,
                                           Leftover leftover) {
  return std::make_unique<CopyMover>(in, out, std::move(leftover));
}

}  // namespace pipetop
