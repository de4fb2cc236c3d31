// The stage in which most of the blame ends.
#pragma once

#include <optional>
#include <vector>

#include "engine/judge/wait_graph.h"

namespace pipetop {

struct Culprit {
  size_t stage = 0;
  std::vector<size_t> like;  // side by side with it, and as much to blame
  double blame = 0;          // of all of them
  bool outside_reading = false, outside_writing = false;  // it waits for somebody who isn't seen
};

// Nothing if no stage has enough of the blame, or enough to do by itself.
std::optional<Culprit> culprit_of(const WaitGraph& graph);

// Busy nearly all the time; of stages side by side only one.
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
