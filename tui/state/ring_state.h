// The user's choices for the ring panel, and what it remembers from earlier frames.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/model/ring_view.h"

namespace pipetop::tui {

// Which slots were recently filled and freed, from one ring frame to the next:
// shows the movement in slow motion.
class SlotTrail {
 public:
  // Takes each frame; a repeated one changes nothing, a ring of another size starts
  // over. Torn frames are ignored.
  void update(const RingFrame& frame);
  void clear() { last_ = {}; }

  // Shortly before the last frame; by index in the ring.
  bool filled(uint32_t index) const { return recent(filled_ns_, index); }
  bool freed(uint32_t index) const { return recent(freed_ns_, index); }

 private:
  bool recent(const std::vector<uint64_t>& at_ns, uint32_t index) const;
  void mark(std::vector<uint64_t>& at_ns, uint32_t from, uint32_t to);

  struct Ends {
    uint64_t at_ns = 0;
    uint32_t slots = 0, head = 0, tail = 0;
  };
  Ends last_;
  std::vector<uint64_t> filled_ns_, freed_ns_;  // by index; 0: not seen
};

// Holds the last complete ring frame, to be shown instead of torn ones: what is
// drawn was correct, and does not flicker.
class WholeFrames {
 public:
  // Replaces a torn frame of `ring` with the last complete one of the same ring
  // size, if any; if that is not recent, the reading is stale. Keeps complete ones.
  void replace_torn(RingView& ring);

 private:
  RingFrame last_;
};

// The chart below the slots.
enum class RingPicture : uint8_t { both, histogram, heat_map };

struct RingState {
  RingPicture picture = RingPicture::both;
  std::optional<uint32_t> inspected;  // a slot, by its index in the ring
  SlotTrail trail;                    // in slow motion
};

}  // namespace pipetop::tui
