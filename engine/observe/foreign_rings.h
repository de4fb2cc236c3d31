// Every slot of a pipe that other processes hold, through bpf/ring.bpf.c: read where it is, without
// opening it.
#pragma once

#include <memory>
#include <optional>

#include "engine/model/pipe_scan.h"
#include "engine/model/ring_view.h"

namespace pipetop::observe {

class ForeignRings {
 public:
  virtual ~ForeignRings() = default;

  // The ring now, through any end of it; unavailable once that end is closed.
  virtual Reading<RingFrame> frame(PipeId pipe, const PipeEnd& end) = 0;
};

// Throws Error, "why; remedy".
std::unique_ptr<ForeignRings> make_foreign_rings();

}  // namespace pipetop::observe
