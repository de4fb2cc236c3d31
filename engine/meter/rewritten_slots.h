// Which slots of a ring hold pages that the writer has rewritten since it lent them. The slots say
// nothing of that: it follows from the stream positions of what they hold, which are known while
// nothing moves.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/model/counts.h"
#include "engine/model/ring_view.h"

namespace pipetop {

// What went into a pipe, and out of it, since its start: bytes.
struct Passage {
  uint64_t written = 0, read = 0;
  WorkerMarks writer;
};

class RewrittenSlots {
 public:
  // Sets Slot::rewritten where it is known. A page that was rewritten stays so until it leaves the
  // ring; a new one is noticed once two calls in a row have found the same passage, so that the
  // frame is of the same moment.
  void mark(RingFrame& frame, const Passage& passage);

 private:
  void find(const RingFrame& frame, const Passage& passage);

  uint64_t written_ = 0, read_ = 0, at_ns_ = 0;  // of the last call
  uint32_t slots_ = 0, head_ = 0;
  std::vector<bool> rewritten_;  // by index in the ring
};

}  // namespace pipetop
