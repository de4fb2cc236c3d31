#include "engine/workload/page_cache/efficiency.h"

#include <algorithm>

namespace pipetop {
namespace {

// For one client, shared and own files are the same.
PageCacheSettings alone(const Settings& s) {
  PageCacheSettings one = s.page_cache;
  one.clients = 1;
  one.files = Files::same;
  return one;
}

bool was_alone(const Segment& segment, const Settings& in_force) {
  return segment.effective.page_cache.clients == 1 && segment.rate.has_value() &&
         segment.rate->mean > 0 && alone(segment.effective) == alone(in_force);
}

}  // namespace

Reading<double> efficiency_of(const Throughput& t, const Settings& in_force) {
  const auto one = std::find_if(t.segments.rbegin(), t.segments.rend(),
                                [&](const auto& segment) { return was_alone(*segment, in_force); });
  if (one == t.segments.rend()) return Reading<double>::warming("run with 1 client first");
  if (!t.current.rate.has_value()) return Reading<double>::warming(t.current.rate.reason);
  const double all = (*one)->rate->mean * in_force.page_cache.clients;
  return Reading<double>::of(t.current.rate->mean / all);
}

}  // namespace pipetop
