// A worker whose other side is slow.
#pragma once

#include "engine/model/settings.h"

namespace pipetop::bench {

struct SlowPeerCost {
  double cpu_share;   // of one CPU, by the worker
  double operations;  // of the other side, a second
};

// Runs a worker alone. The benchmark is its other side, and fills or empties the
// whole pipe ten times a second.
SlowPeerCost slow_peer_cost(Role role, Wait wait, double seconds);

}  // namespace pipetop::bench
