// From what a page costs to the most that a pipe of lent pages can carry: pure
// arithmetic.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/base/reading.h"

namespace pipetop {

// In calls that fill, and empty, a whole ring; the best steady figures, since a roof
// of typical ones would be broken half of the time.
struct RingCost {
  uint64_t ring_bytes = 0;
  double vmsplice_ns = 0;  // a page
  double release_ns = 0;   // a page: splice to /dev/null
};

struct RoofFigure {
  uint64_t ring_bytes = 0;  // the best of those that were measured
  double ns_per_page = 0;

  double gib_per_s() const;
};

struct Roof {
  // Writer and reader in turns: all that both do adds up. Left out is the switch from
  // one to the other, twice a ring.
  RoofFigure one_cpu;
  // All that a call does with a page happens under the pipe's mutex, so pages are
  // lent and let go of one after the other even on two CPUs; only what a call costs by
  // itself can go on beside it. So it is what each page more costs both of them, from the
  // smallest ring to a large one. Left out are the wait for the mutex, the cache lines
  // that travel between the CPUs, and all that calls do not for the sake of a page.
  RoofFigure two_cpus;
  // The slower side alone: what two CPUs could carry if no mutex held them.
  RoofFigure without_mutex;
};

// Unavailable unless there is a ring of 16 pages or more, the number that vmsplice
// gets at a time, and one of at least four times the smallest of these, and unless
// larger rings cost more.
Reading<Roof> roof_of(std::span<const RingCost> rings);

}  // namespace pipetop
