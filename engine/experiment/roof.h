// From the cost of a page to the upper bound for a pipe of lent pages: pure
// arithmetic.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/base/reading.h"

namespace pipetop {

// In calls that fill and drain a whole ring. The best stable figures, because a roof from typical
// figures would be exceeded half of the time.
struct RingCost {
  uint64_t ring_bytes = 0;
  double vmsplice_ns = 0;  // a page
  double release_ns = 0;   // a page: splice to /dev/null
};

struct RoofFigure {
  uint64_t ring_bytes = 0;  // the best of the measured ones
  double ns_per_page = 0;

  double gib_per_s() const;
};

struct Roof {
  // Writer and reader take turns: the costs of both add up. Does not include the switch from one to
  // the other, twice per ring.
  RoofFigure one_cpu;
  // Calls process pages under the pipe's mutex, so pages are lent and released one after the other
  // even on two CPUs; only the fixed cost of calls overlaps. So this is the cost of each additional
  // page on both sides, from the smallest ring to a large one. Does not include waiting for the
  // mutex, cache lines that move between the CPUs, and the fixed cost of calls.
  RoofFigure two_cpus;
  // The slower side alone: the bound for two CPUs without the mutex.
  RoofFigure without_mutex;
};

// Available only if there is a ring of 16 pages or more (vmsplice gets 16 at a
// time) and one at least four times the smallest of these, and if larger rings cost
// more.
Reading<Roof> roof_of(std::span<const RingCost> rings);

}  // namespace pipetop
