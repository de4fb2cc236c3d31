// What the person chose to see of the ring, and what its panel remembers of the
// frames before.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/model/ring_view.h"

namespace pipetop::tui {

// Which slots were filled and freed a moment ago, from one ring frame to the next:
// what makes a ring in slow motion lively.
class SlotTrail {
 public:
  // Frames as they come; a repeated one changes nothing, a ring of another size
  // begins anew. Torn frames say nothing.
  void see(const RingFrame& frame);
  void clear() { last_ = {}; }

  // Within the moment before the last frame; by index in the ring.
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

// Holds the last ring frame that was read whole, to be shown in place of torn
// ones: what is drawn was true, and does not flicker.
class WholeFrames {
 public:
  // Replaces a torn frame of `ring` by the last whole one of the ring's present
  // size, if there is any; once that is no longer recent, the reading is stale.
  // Keeps a whole one.
  void steady(RingView& ring);

 private:
  RingFrame last_;
};

// What stands below the slots.
enum class RingPicture : uint8_t { both, histogram, heat_map };

struct RingState {
  RingPicture picture = RingPicture::both;
  std::optional<uint32_t> inspected;  // a slot, by its index in the ring
  SlotTrail trail;                    // in slow motion
};

}  // namespace pipetop::tui
