// Whether two snapshots hold the same, all of it.
#pragma once

#include <algorithm>
#include <span>

#include "engine/recording/equal.h"

namespace pipetop::recording {

// Segments are the same if they hold the same: those that were read are other objects.
inline bool same_segments(const Throughput& a, const Throughput& b) {
  const auto same = [](const auto& x, const auto& y) {
    return (!x && !y) || (x && y && Equal::of(*x, *y));
  };
  return same(a.previous, b.previous) && std::ranges::equal(a.segments, b.segments, same);
}
inline bool same(Snapshot a, Snapshot b) {
  if (!same_segments(a.throughput, b.throughput)) return false;
  const std::span<const RatePoint> x = a.throughput.history, y = b.throughput.history;
  if (!std::ranges::equal(x, y, [](auto& p, auto& q) { return Equal::of(p, q); })) return false;
  for (Snapshot* s : {&a, &b}) {
    s->throughput.previous = nullptr;
    s->throughput.segments.clear();
  }
  return Equal::of(a, b);
}

}  // namespace pipetop::recording
