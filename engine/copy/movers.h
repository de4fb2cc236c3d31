// The ways to move bytes; Copier chooses.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/handles.h"
#include "engine/copy/copier.h"

namespace pipetop {

// What a call has come to. Bytes may have moved, and an error followed.
struct Moved {
  uint64_t taken = 0;              // from in
  uint64_t given = 0;              // to out
  bool ended = false;              // in has nothing more
  int error = 0;                   // errno
  CopySide side = CopySide::none;  // whose error it is; none: of either
};

// Bytes in a pipe of our own, which a method that is given up leaves behind.
struct Leftover {
  UniqueFd pipe;
  uint64_t bytes = 0;
};

class ByteMover {
 public:
  virtual ~ByteMover() = default;

  // Takes at most `most` bytes, and gives what it can.
  virtual Moved move(uint64_t most) = 0;
  // Taken, and not given yet. Nothing more is taken before it is.
  virtual uint64_t held() const { return 0; }
  virtual Leftover give_up() { return {}; }
};

std::unique_ptr<ByteMover> make_splice_mover(const CopyEnd& in, const CopyEnd& out);
// Throws SystemError if there is no pipe to be had.
std::unique_ptr<ByteMover> make_pipe_mover(const CopyEnd& in, const CopyEnd& out);
std::unique_ptr<ByteMover> make_range_mover(const CopyEnd& in, const CopyEnd& out);
std::unique_ptr<ByteMover> make_copy_mover(const CopyEnd& in, const CopyEnd& out,
                                           Leftover leftover);

}  // namespace pipetop
