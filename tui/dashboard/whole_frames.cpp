#include "tui/dashboard/whole_frames.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kRecent_ns = 300'000'000;

}  // namespace

void WholeFrames::steady(RingView& ring) {
  if (!ring.frame.has_value()) return;
  RingFrame& now = *ring.frame.value;
  if (!now.torn) {
    last_ = now;
  } else if (last_.slots == now.slots && now.at_ns < last_.at_ns + kRecent_ns) {
    now = last_;
  }
}

}  // namespace pipetop::tui
