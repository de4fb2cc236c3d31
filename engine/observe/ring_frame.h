// Converts what the BPF program wrote to what front ends draw.
#pragma once

#include <array>
#include <cstdint>

#include "bpf/ring.h"
#include "engine/model/snapshot.h"

namespace pipetop::observe {

// A ring of more than RING_SLOTS slots has a head and a tail but no slots, and the
// reading says so.
Reading<RingFrame> frame_of(const ring_snapshot& snapshot);

// Occupied slots seen, by SlotKind.
struct KindCounts {
  std::array<uint64_t, kSlotKinds> by_kind{};

  void add(const ring_snapshot& snapshot);
  Reading<std::array<double, kSlotKinds>> shares() const;
};

}  // namespace pipetop::observe
