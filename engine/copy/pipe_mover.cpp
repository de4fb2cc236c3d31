#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "engine/base/error.h"
#include "engine/copy/mover.h"

namespace pipetop {
namespace {

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
    const ssize_t done = ::splice(read_end_.get(), nullptr, out_, nullptr, held_, 0);
    if (done <= 0) {
      moved.error = done < 0 ? errno : ENOSPC;  // 0: a device that takes nothing
      moved.side = CopySide::out;
      return;
    }
    moved.given = uint64_t(done);
    held_ -= moved.given;
  }

  int in_, out_;
  UniqueFd read_end_, write_end_;
  uint64_t held_ = 0;
};

}  // namespace

std::unique_ptr<ByteMover> make_pipe_mover(const CopyEnd& in, const CopyEnd& out) {
  return std::make_unique<PipeMover>(in, out);
}

}  // namespace pipetop
