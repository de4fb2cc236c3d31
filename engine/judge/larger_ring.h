// What a larger ring would gain: the bursts of a writer and a reader, as they were measured,
// replayed with rings of other sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/model/pipeline.h"

namespace pipetop {

// A look at a ring, and how long, until then, its writer and its reader were blocked in it.
struct FlowPoint {
  uint64_t at_ns = 0;
  uint32_t head = 0, tail = 0;  // free-running; slots
  uint64_t writer_ns = 0, reader_ns = 0;
};

// The smallest ring, of at most kLargePipe, that gains nearly as much as any. Nothing if that isn't
// worth it; nor if replaying with the ring as it is doesn't give the rate that was measured: then
// the looks were too few for these bursts, or something else than the ring held them up.
std::optional<LargerRing> larger_ring(std::span<const FlowPoint> flow, uint64_t capacity);

}  // namespace pipetop
