#include "tui/dashboard/whole_frames.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kRecent_ns = 300'000'000;

}  // namespace

void WholeFrames::steady(RingView& ring) {
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
