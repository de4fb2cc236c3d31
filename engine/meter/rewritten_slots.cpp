#include "engine/meter/rewritten_slots.h"

namespace pipetop {
namespace {

bool has_all_slots(const RingFrame& frame) {
  return !frame.torn && frame.slots > 0 && frame.slot.size() >= frame.slots;
}

}  // namespace

void RewrittenSlots::mark(RingFrame& frame, const Passage& passage) {
  if (!has_all_slots(frame)) return;
  const bool goes_on = frame.slots == slots_ && frame.head - head_ < 1u << 31;
  if (!goes_on || frame.head - head_ >= frame.slots) {  // a resize restarts the indices
    rewritten_.assign(frame.slots, false);
  } else {
    for (uint32_t index = head_; index != frame.head; ++index)
      rewritten_[index % frame.slots] = false;
  }
  slots_ = frame.slots;
  head_ = frame.head;
  const bool still = passage.written == written_ && passage.read == read_ && frame.at_ns != at_ns_;
  at_ns_ = frame.at_ns;
  written_ = passage.written;
  read_ = passage.read;
  if (still) find(frame, passage);
  for (uint32_t i = 0; i < frame.used; ++i) {
    const uint32_t index = (frame.tail + i) % frame.slots;
    frame.slot[index].rewritten = rewritten_[index];
  }
}

// The oldest slot begins where the reader is.
void RewrittenSlots::find(const RingFrame& frame, const Passage& passage) {
  uint64_t held = 0;
  for (uint32_t i = 0; i < frame.used; ++i)
    held += frame.slot[(frame.tail + i) % frame.slots].length;
  if (passage.written - passage.read != held) return;  // a transfer was not counted yet, or never
  uint64_t position = passage.read;
  for (uint32_t i = 0; i < frame.used; ++i) {
    const uint32_t index = (frame.tail + i) % frame.slots;
    const uint64_t from = position;
    position += frame.slot[index].length;
    if (from >= passage.writer.rewritten_from && position <= passage.writer.rewritten_to)
      rewritten_[index] = true;
  }
}

}  // namespace pipetop
