#include "tui/state/ring_state.h"

#include <algorithm>

namespace pipetop::tui {
namespace {

constexpr uint64_t kMoment_ns = 400'000'000;
constexpr uint64_t kRecent_ns = 300'000'000;

}  // namespace

bool SlotTrail::recent(const std::vector<uint64_t>& at_ns, uint32_t index) const {
  return index < last_.slots && at_ns[index] != 0 && at_ns[index] + kMoment_ns > last_.at_ns;
}

// Free-running indices from `from` to `to`; more than a full turn is every slot.
void SlotTrail::mark(std::vector<uint64_t>& at_ns, uint32_t from, uint32_t to) {
  const uint32_t count = std::min(to - from, last_.slots);
  for (uint32_t i = 0; i < count; ++i) at_ns[(from + i) % last_.slots] = last_.at_ns;
}

void SlotTrail::update(const RingFrame& frame) {
  if (frame.torn || frame.slots == 0 || frame.at_ns == last_.at_ns) return;
  const Ends before = last_;
  last_ = {frame.at_ns, frame.slots, frame.head, frame.tail};
  // A resize restarts the indices at 0, and may keep the number of slots.
  const bool goes_on = before.slots == frame.slots && frame.head - before.head < 1u << 31 &&
                       frame.tail - before.tail < 1u << 31;
  if (!goes_on) {
    filled_ns_.assign(frame.slots, 0);
    freed_ns_.assign(frame.slots, 0);
    return;
  }
  mark(filled_ns_, before.head, frame.head);
  mark(freed_ns_, before.tail, frame.tail);
}

void WholeFrames::replace_torn(RingView& ring) {
  if (!ring.frame.has_value()) return;
  const RingFrame& now = *ring.frame.value;
  if (!now.torn) {
    last_ = now;
    return;
  }
  if (last_.slots == 0 || last_.slots != ring.slots) return;
  if (now.at_ns > last_.at_ns + kRecent_ns) {
    ring.frame.status = ReadingStatus::stale;
    ring.frame.reason = "torn: both ends moved while it was read";
  }
  ring.frame.value = last_;
}

}  // namespace pipetop::tui
