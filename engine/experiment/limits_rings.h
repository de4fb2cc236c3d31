// The steps that the roof is made of: lent pages in rings of every size.
#pragma once

#include <vector>

#include "engine/experiment/limits_step.h"
#include "engine/experiment/roof.h"
#include "engine/model/settings.h"

namespace pipetop {

class RingSteps {
 public:
  // Rings of one slot to 1 MiB, as far as pipe-max-size allows; huge pages, the
  // cheapest there are, or small ones where the kernel gives none.
  RingSteps();

  Pages pages() const { return pages_; }
  uint64_t bytes(size_t ring) const { return bytes_[ring]; }
  std::vector<MeasuredStep>& steps() { return steps_; }
  const std::vector<MeasuredStep>& steps() const { return steps_; }

  Reading<Roof> roof() const;

 private:
  Pages pages_ = Pages::thp;
  std::vector<uint64_t> bytes_;      // of each step's ring
  std::vector<MeasuredStep> steps_;  // lent_pages_step() of each size
};

}  // namespace pipetop
