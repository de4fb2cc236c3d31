// The ways to move bytes. One file each; Transfer chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/base/unique_fd.h"
#include "engine/transfer/transfer.h"

namespace pipetop {

// What a call has come to. Bytes may have moved, and an error followed.
struct Moved {
  uint64_t taken = 0;                      // from in
  uint64_t given = 0;                      // to out
  bool ended = false;                      // in has nothing more
  int error = 0;                           // errno
  TransferSide side = TransferSide::none;  // whose error it is; none: of either
};

// Bytes in a pipe of our own, which a method that is given up leaves behind.
struct Leftover {
  UniqueFd pipe;
  uint64_t bytes = 0;
};

class TransferMover {
 public:
  virtual ~TransferMover() = default;

  // Takes at most `most` bytes, and gives what it can.
  virtual Moved move(uint64_t most) = 0;
  // Taken, and not given yet. Nothing more is taken before it is.
  virtual uint64_t held() const { return 0; }
  virtual Leftover give_up() { return {}; }
};

std::unique_ptr<TransferMover> make_splice_mover(const TransferEnd& in, const TransferEnd& out);
// Throws SystemError if there is no pipe to be had.
std::unique_ptr<TransferMover> make_pipe_mover(const TransferEnd& in, const TransferEnd& out);
std::unique_ptr<TransferMover> make_range_mover(const TransferEnd& in, const TransferEnd& out);
std::unique_ptr<TransferMover> make_copy_mover(const TransferEnd& in, const TransferEnd& out,
                                               Leftover leftover);

}  // namespace pipetop
