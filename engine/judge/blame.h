// Who is to blame for the time that the stages of a pipeline wait: a stage that waits for a
// neighbour passes its blame on to it, and it ends where the time is a stage's own.
#pragma once

#include <cstddef>
#include <optional>
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

// The stage in which most of the blame ends.
struct Culprit {
  size_t stage = 0;
  std::vector<size_t> like;  // side by side with it, and as much to blame
  double blame = 0;          // of all of them
  bool outside_reading = false, outside_writing = false;  // it waits for somebody who isn't seen
};

// Nothing if no stage has enough of the blame, or enough to do by itself.
std::optional<Culprit> culprit_of(const WaitGraph& graph);

// Of those side by side only one.
std::vector<size_t> busy_stages(const WaitGraph& graph);

// Those that take part and are so.
template <class Is>
std::vector<size_t> stages_that(const WaitGraph& graph, Is is) {
  std::vector<size_t> stages;
  for (size_t i = 0; i < graph.stages.size(); ++i)
    if (graph.stages[i].takes_part && is(i)) stages.push_back(i);
  return stages;
}

}  // namespace pipetop
