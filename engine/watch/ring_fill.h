// How full a ring is in a scan.
#pragma once

#include <optional>

#include "engine/model/pipe_scan.h"

namespace pipetop {

struct RingFill {
  double used = 0;  // share of its slots; without BPF, of its bytes
  bool empty = false, full = false;
};

// `writer_waits`: one is blocked in a write, so that it is full whatever its bytes say: slots need
// not be filled up. Nothing if neither slots nor bytes are known.
std::optional<RingFill> fill_of(const ScannedPipe& pipe, bool writer_waits);

}  // namespace pipetop
