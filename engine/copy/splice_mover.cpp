#include <fcntl.h>

#include <cerrno>

#include "engine/copy/mover.h"

namespace pipetop {
namespace {

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

}  // namespace

std::unique_ptr<ByteMover> make_splice_mover(const CopyEnd& in, const CopyEnd& out) {
  return std::make_unique<SpliceMover>(in, out);
}

}  // namespace pipetop
