// What the screen remembers of a ring from one look to the next: the last whole frame, whether it
// turns too fast for an eye, and how full it was within the last seconds.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "engine/model/pipeline.h"
#include "tui/state/ring_state.h"
#include "tui/widgets/ring.h"

namespace pipetop::tui {

class RingMemory {
 public:
  // Takes each look at the pipe. What it says of the last seconds changes twice a second.
  void update(const Pipe& live, uint64_t now_ns);

  // nullptr if there are no slots to draw: absent() says why.
  const RingFrame* frame() const { return drawable_frame(frame_, slots_); }
  std::string absent() const { return absent_slots(frame_, slots_); }

  // Its slots are other ones in every frame: a strip of them would only flicker.
  bool fast() const { return tempo_.fast(); }
  const Occupancy& occupancy() const { return occupancy_; }
  const Reading<KindShares>& kinds() const { return kinds_; }
  bool usually_huge() const { return usually_huge_; }

 private:
  struct Sample {
    uint64_t at_ns = 0;
    size_t bin = 0;
    double used_share = 0;
    std::array<uint32_t, kSlotKinds> kinds{};
    uint32_t huge = 0;
  };
  void look_at(const RingFrame& frame);
  void sum_up(uint64_t now_ns);

  uint32_t slots_ = 0;
  Reading<RingFrame> frame_;
  WholeFrames whole_;
  RingTempo tempo_;
  std::deque<Sample> samples_;  // oldest first
  uint64_t summed_up_ns_ = 0;
  Occupancy occupancy_;
  Reading<KindShares> kinds_;
  bool usually_huge_ = false;
};

}  // namespace pipetop::tui
