// The memory of the writer process: its buffers, and the pipe that tee duplicates.
#pragma once

#include <array>
#include <cstdint>

#include "engine/base/handles.h"
#include "engine/host/buffer.h"
#include "engine/model/control_block.h"
#include "engine/worker/pipe_command.h"

namespace pipetop {

// The pipe that tee(2) duplicates: the writer's own, filled by vmsplice, so that its
// slots refer to the pages of the writer's buffers.
class TeeSource {
 public:
  // Opens an empty pipe for `bytes`, or for as much as the kernel grants. False,
  // with errno set, on failure.
  bool open(uint64_t bytes);
  // Releases the pages that it holds.
  void close() { *this = {}; }

  // Its size, 0 if closed. Each page takes one slot, so this is also its capacity
  // in whole pages.
  uint64_t capacity_bytes() const { return capacity_bytes_; }
  int fd() const { return pipe_.read.get(); }

  // Fills it up to at least `bytes`; what it already holds is at the beginning of
  // `data`. False, with errno set, if vmsplice fails. Adds its system calls to `calls`.
  bool hold(const char* data, uint64_t bytes, uint64_t& calls) {
    return held_ >= bytes || fill(data, bytes, calls);
  }

  // Removes `bytes` from its head, where the next tee begins. False, with errno set, if splice
  // fails. Adds its system calls to `calls`.
  bool drop(uint64_t bytes, uint64_t& calls);

 private:
  bool fill(const char* data, uint64_t bytes, uint64_t& calls);

  PipeEnds pipe_;
  UniqueFd sink_;
  uint64_t capacity_bytes_ = 0;
  uint64_t held_ = 0;
};

// The writer's memory, as a cyclic stream of pieces.
//
// All but write lend pages to the pipe, so a piece must not be rewritten before the
// ring has released it: there are two buffers, each at least as large as the ring's
// capacity, so that the other buffer has pushed out of the ring what is rewritten.
// With constant payload nothing is rewritten and each buffer is one piece, as in
// the article.
//
// splice lends the pages of a memfd: both buffers are parts of one memfd.
//
// `single` breaks that rule on purpose: one buffer, rewritten as soon as its last
// byte is in the pipe.
class WriterBuffers {
 public:
  // Prepares the memory for the command. False if there was no memory.
  bool prepare(const PipeCommand& command);
  // What was granted, and errno if memory was refused.
  PipeReport granted() const;
  int error_number() const { return first_error(&Buffer::error_number); }

  struct Piece {
    char* data;
    uint64_t bytes;
  };
  // The next piece; stamped from stream position `position_bytes` on if the payload
  // is stamped.
  Piece next(uint64_t position_bytes);
  // Which pages were rewritten although the pipe may refer to them.
  void mark_rewritten(WorkerMarks& marks) const {
    set(marks.rewritten_from, rewritten_from_);
    set(marks.rewritten_to, rewritten_to_);
  }

  // The memfd with all pieces, and the address of its first byte. -1: none.
  int file() const { return buffer_[0].file.get(); }
  const char* file_start() const { return start_[0]; }

 private:
  struct Layout {
    BufferRequest request;     // of each mapping
    bool file = false;         // in the page cache
    uint64_t buffers = 1;      // 1 or 2
    uint64_t halves = 1;       // 2: both are halves of one mapping
    uint64_t piece_bytes = 0;  // for one round of calls
    bool stamped = false;
    bool rewrites_early = false;  // while the ring may hold it
    bool operator==(const Layout&) const = default;
  };
  static Layout layout_for(const PipeCommand& command);
  bool map(const Layout& layout);
  int first_error(int Buffer::*field) const;

  Layout layout_;
  std::array<Buffer, 2> buffer_;
  std::array<char*, 2> start_ = {};
  uint64_t bytes_each_ = 0;
  uint64_t next_buffer_ = 0;
  uint64_t next_offset_ = 0;
  uint64_t epoch_ = 0;
  uint64_t series_ = 0;
  bool began_ = false;  // the stream has reached these buffers, at `rewritten_from_`
  uint64_t rewritten_from_ = 0, rewritten_to_ = 0;  // stream positions
};

}  // namespace pipetop
