#include <fcntl.h>

#include <cerrno>

#include "engine/transfer/mover.h"

namespace pipetop {
namespace {

class SpliceMover : public TransferMover {
 public:
  SpliceMover(const TransferEnd& in, const TransferEnd& out)
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
  TransferSide side_of(int error) const {
    if (error == EAGAIN) return TransferSide::none;
    return error == EPIPE ? TransferSide::out : other_;
  }
  static TransferSide other_than_pipe(const TransferEnd& in, const TransferEnd& out) {
    const bool from_pipe = in.kind == EndKind::pipe;
    return out.kind == EndKind::pipe && !from_pipe ? TransferSide::in : TransferSide::out;
  }

  int in_, out_;
  TransferSide other_;
};

}  // namespace

std::unique_ptr<TransferMover> make_splice_mover(const TransferEnd& in, const TransferEnd& out) {
  return std::make_unique<SpliceMover>(in, out);
}

}  // namespace pipetop
