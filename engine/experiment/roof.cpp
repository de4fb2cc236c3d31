#include "engine/experiment/roof.h"

#include <algorithm>
#include <vector>

#include "engine/model/segment.h"
#include "engine/model/settings.h"

namespace pipetop {
namespace {

constexpr uint64_t kSmallestBytes = 16 * kPageBytes;
// The difference of two figures needs some distance between them.
constexpr uint64_t kDistance = 4;

double pages_of(const RingCost& ring) { return double(ring.ring_bytes) / double(kPageBytes); }

// The cost per additional page, from one ring size to a larger one.
RingCost further_page(const RingCost& small, const RingCost& large) {
  const double from = pages_of(small), to = pages_of(large);
  const auto slope = [&](double a, double b) { return (b * to - a * from) / (to - from); };
  return {large.ring_bytes, slope(small.vmsplice_ns, large.vmsplice_ns),
          slope(small.release_ns, large.release_ns)};
}

template <class Cost>
RoofFigure cheapest(std::span<const RingCost> rings, Cost cost) {
  const RingCost& best = *std::ranges::min_element(rings, {}, cost);
  return {best.ring_bytes, cost(best)};
}

}  // namespace

double RoofFigure::gib_per_s() const { return double(kPageBytes) / kGiB / (ns_per_page / 1e9); }

Reading<Roof> roof_of(std::span<const RingCost> rings) {
  std::vector<RingCost> usable;
  for (const RingCost& ring : rings)
    if (ring.ring_bytes >= kSmallestBytes) usable.push_back(ring);
  std::ranges::sort(usable, {}, &RingCost::ring_bytes);
  std::vector<RingCost> further;
  for (const RingCost& ring : usable)
    if (ring.ring_bytes >= kDistance * usable.front().ring_bytes)
      further.push_back(further_page(usable.front(), ring));
  if (further.empty()) return Reading<Roof>::unavailable("it needs rings of 64KiB and 256KiB");
  const auto both = [](const RingCost& c) { return c.vmsplice_ns + c.release_ns; };
  const auto slower = [](const RingCost& c) { return std::max(c.vmsplice_ns, c.release_ns); };
  // Guards against differences on a machine that was busy with something else.
  if (!(cheapest(further, both).ns_per_page > 0) || !(cheapest(further, slower).ns_per_page > 0))
    return Reading<Roof>::unavailable("the machine was too busy to measure it");
  const Roof roof = {cheapest(usable, both), cheapest(further, both), cheapest(further, slower)};
  return Reading<Roof>::of(roof);
}

}  // namespace pipetop
