#include "engine/watch/ring_fill.h"

#include <algorithm>

namespace pipetop {
namespace {

// A write of so much is not split, and waits until there is room for all of it.
constexpr uint64_t kPipeBuf = 4096;

}  // namespace

std::optional<RingFill> fill_of(const ScannedPipe& pipe, bool writer_waits) {
  if (pipe.ring && pipe.ring->slots > 0) {
    const RingCounts& ring = *pipe.ring;
    return RingFill{std::min(1.0, double(ring.used()) / double(ring.slots)), ring.used() == 0,
                    ring.used() >= ring.slots};
  }
  if (!pipe.queued || pipe.capacity.value_or(0) == 0) return {};
  const bool full = writer_waits || *pipe.queued + kPipeBuf > *pipe.capacity;
  const double used = std::min(1.0, double(*pipe.queued) / double(*pipe.capacity));
  return RingFill{full ? 1 : used, !full && *pipe.queued == 0, full};
}

}  // namespace pipetop
