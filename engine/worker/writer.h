// The writer process: its buffers and its loop's table of techniques.
#pragma once

#include <array>
#include <cstdint>

#include "engine/memory/buffer.h"
#include "engine/model/control_block.h"
#include "engine/worker/flow.h"
#include "engine/worker/pace.h"
#include "engine/worker/pipe_command.h"
#include "engine/worker/technique_table.h"
#include "engine/worker/tee_source.h"

namespace pipetop {

// The writer's memory as one stream of pieces, used round and round.
//
// All but write lend pages to the pipe, so a piece must not be rewritten before the
// ring has let go of it: there are two buffers, and each alone is at least what
// the ring can hold, so that whatever is written anew was pushed out of the ring
// by the other buffer. With constant payload nothing is ever rewritten and each
// buffer is one piece, as in the article.
//
// splice lends the pages of a memfd: there both buffers are parts of one.
//
// `single` breaks that rule for the sight of it: one buffer, rewritten as soon as
// its last byte has gone in.
class WriterBuffers {
 public:
  // What the command makes necessary. False when memory was refused.
  bool prepare(const PipeCommand& command);
  // What was granted, and errno when memory was refused.
  PipeReport granted() const;
  int error_number() const { return first_error(&Buffer::error_number); }

  struct Piece {
    char* data;
    uint64_t bytes;
  };
  // The piece that is due; stamped from stream position `position_bytes` on when
  // the payload is stamped.
  Piece next(uint64_t position_bytes);

  // The memfd that holds all pieces, and where its first byte is mapped. -1: none.
  int file() const { return buffer_[0].file.get(); }
  const char* file_start() const { return start_[0]; }

 private:
  struct Layout {
    BufferRequest request;     // of each mapping
    bool file = false;         // in the page cache
    uint64_t buffers = 1;      // 1 or 2
    uint64_t halves = 1;       // 2: both are halves of one mapping
    uint64_t piece_bytes = 0;  // handed to one round of calls
    bool stamped = false;
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
};

// What a technique's loop is given.
struct WriterLoop {
  Flow& flow;
  WriterBuffers& buffers;
  TeeSource& tee_source;  // empty
  unsigned splice_flags;  // for all but write
  SlowMotion motion;
};

using WriteTechnique = LoopEnd (*)(WriterLoop&);

// One a file under write/.
WriteTechnique write_technique(LoopKind kind);
WriteTechnique vmsplice_technique(LoopKind kind);
WriteTechnique tee_technique(LoopKind kind);
WriteTechnique tee_once_technique(LoopKind kind);  // no page twice, for stamps
WriteTechnique file_splice_technique(LoopKind kind);

// Runs until told to quit. Returns the exit status.
int run_writer(ControlBlock& block, int pipe_fd);

}  // namespace pipetop
