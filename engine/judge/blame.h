// Who is to blame for the time that the stages of a pipeline wait: a stage that waits for a
// neighbour passes its blame on to it, and it ends where the time is a stage's own.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/judge/wait_graph.h"

namespace pipetop {

// What becomes of the blame that arrives at a stage.
struct BlameAt {
  struct Share {
    size_t stage;
    double share;
  };
  double keeps = 1;       // it ends here
  std::vector<Share> on;  // the rest goes on
  // The part that it keeps because nobody is visible at the other side of its pipes.
  double outside_reading = 0, outside_writing = 0;
};
std::vector<BlameAt> blame_steps(const WaitGraph& graph);

// How much of the blame ends at each stage; the rest never ends: a deadlock.
std::vector<double> blame(const WaitGraph& graph);

}  // namespace pipetop
