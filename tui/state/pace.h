// Whether the flow is throttled (slow motion), and the unit of its rates.
#pragma once

#include <string_view>

#include "engine/model/snapshot.h"
#include "engine/model/terms.h"

namespace pipetop::tui {

enum class Pace : uint8_t { normal, slow_motion };

// From the change that requests it until the change that ends it takes effect.
inline Pace pace_of(const Snapshot& s) {
  const bool slow = s.requested.pipe.slow_motion || s.effective.settings.pipe.slow_motion;
  return slow ? Pace::slow_motion : Pace::normal;
}

struct RateUnit {
  double per_unit = 1;    // this many are one unit of the workload
  std::string_view name;  // "GiB/s", "pages/s"
};

// Pages if a rate in slow motion would be 0.00 GiB/s.
inline RateUnit rate_unit(double rate, Pace pace, const Unit& unit) {
  const bool pages = pace == Pace::slow_motion && rate < 0.005;
  if (pages) return {unit.count / static_cast<double>(kPageBytes), "pages/s"};
  return {1, unit.rate};
}

}  // namespace pipetop::tui
