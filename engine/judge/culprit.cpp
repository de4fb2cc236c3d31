#include "engine/judge/culprit.h"

#include <algorithm>

#include "engine/judge/blame.h"
#include "engine/judge/bottleneck.h"

namespace pipetop {
namespace {

// Side by side: both write to, or both read from, the same pipe.
bool side_by_side(const WaitGraph& graph, size_t a, size_t b) {
  const auto share = [&](const std::vector<size_t>& x, const std::vector<size_t>& y) {
    return std::ranges::find_first_of(x, y) != x.end();
  };
  return share(graph.stages[a].inputs, graph.stages[b].inputs) ||
         share(graph.stages[a].outputs, graph.stages[b].outputs);
}

}  // namespace

std::optional<Culprit> culprit_of(const WaitGraph& graph) {
  const std::vector<double> ends = blame(graph);
  if (ends.empty()) return {};
  Culprit culprit;
  culprit.stage = size_t(std::ranges::max_element(ends) - ends.begin());
  culprit.blame = ends[culprit.stage];
  for (size_t i = 0; i < ends.size(); ++i) {
    if (i == culprit.stage || ends[i] < culprit.blame / 2 || graph.stages[i].own < kOwnWork)
      continue;
    if (side_by_side(graph, i, culprit.stage)) culprit.like.push_back(i);
  }
  for (const size_t i : culprit.like) culprit.blame += ends[i];
  if (culprit.blame < kBlame) return {};
  const BlameAt step = blame_steps(graph)[culprit.stage];
  culprit.outside_reading = step.outside_reading >= kBlame;
  culprit.outside_writing = step.outside_writing >= kBlame;
  if (graph.stages[culprit.stage].own < kOwnWork && !culprit.outside_reading &&
      !culprit.outside_writing)
    return {};
  return culprit;
}

std::vector<size_t> busy_stages(const WaitGraph& graph) {
  std::vector<size_t> busy;
  for (const size_t i : stages_that(graph, [&](size_t stage) {
         return graph.stages[stage].known && graph.stages[stage].own >= kBusy;
       }))
    if (std::ranges::none_of(busy, [&](size_t other) { return side_by_side(graph, i, other); }))
      busy.push_back(i);
  return busy;
}

}  // namespace pipetop
