// Whether what is measured is throttled to be watched, and the unit of its rates.
#pragma once

#include <string_view>

#include "engine/snapshot.h"

namespace pipetop::tui {

enum class Pace : uint8_t { normal, slow_motion };

// From the change that asks for it until the one that ends it is in force.
inline Pace pace_of(const Snapshot& s) {
  const bool slow = s.requested.slow_motion || s.effective.settings.slow_motion;
  return slow ? Pace::slow_motion : Pace::normal;
}

struct RateUnit {
  double per_gib = 1;     // so many of it are a GiB/s
  std::string_view name;  // "GiB/s", "pages/s"
};

// Pages where a rate in slow motion would read 0.00 GiB/s.
inline RateUnit unit_of(double gib_per_s, Pace pace) {
  const bool pages = pace == Pace::slow_motion && gib_per_s < 0.005;
  if (pages) return {kGiB / static_cast<double>(kPageBytes), "pages/s"};
  return {1, "GiB/s"};
}

}  // namespace pipetop::tui
