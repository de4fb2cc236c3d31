// What the person chose to see of the ring, and what its panel remembers of the
// frames before.
#pragma once

#include <cstdint>
#include <optional>

#include "tui/state/slot_trail.h"

namespace pipetop::tui {

// What stands below the slots.
enum class RingPicture : uint8_t { both, histogram, heat_map };

struct RingState {
  RingPicture picture = RingPicture::both;
  std::optional<uint32_t> inspected;  // a slot, by its index in the ring
  SlotTrail trail;                    // in slow motion
};

}  // namespace pipetop::tui
