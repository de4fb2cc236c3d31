#include "engine/pipeline/culprit.h"

#include <algorithm>

#include "engine/pipeline/blame.h"
#include "engine/pipeline/bottleneck.h"

namespace pipetop {
namespace {

// Side by side: both write to, or both read from, the same pipe.
bool side_by_side(const Flow& flow, size_t a, size_t b) {
  const auto share = [&](const std::vector<size_t>& x, const std::vector<size_t>& y) {
    return std::ranges::find_first_of(x, y) != x.end();
  };
  return share(flow.stages[a].inputs, flow.stages[b].inputs) ||
         share(flow.stages[a].outputs, flow.stages[b].outputs);
}

}  // namespace

std::optional<Culprit> culprit_of(const Flow& flow) {
  const std::vector<double> ends = blame(flow);
  if (ends.empty()) return {};
  Culprit culprit;
  culprit.stage = size_t(std::ranges::max_element(ends) - ends.begin());
  culprit.blame = ends[culprit.stage];
  for (size_t i = 0; i < ends.size(); ++i) {
    if (i == culprit.stage || ends[i] < culprit.blame / 2 || flow.stages[i].own < kOwnWork)
      continue;
    if (side_by_side(flow, i, culprit.stage)) culprit.like.push_back(i);
  }
  for (const size_t i : culprit.like) culprit.blame += ends[i];
  if (culprit.blame < kBlame) return {};
  const BlameAt step = blame_steps(flow)[culprit.stage];
  culprit.outside_reading = step.outside_reading >= kBlame;
  culprit.outside_writing = step.outside_writing >= kBlame;
  if (flow.stages[culprit.stage].own < kOwnWork && !culprit.outside_reading &&
      !culprit.outside_writing)
    return {};
  return culprit;
}

std::vector<size_t> busy_stages(const Flow& flow) {
  std::vector<size_t> busy;
  for (const size_t i : stages_that(flow, [&](size_t stage) {
         return flow.stages[stage].known && flow.stages[stage].own >= kBusy;
       }))
    if (std::ranges::none_of(busy, [&](size_t other) { return side_by_side(flow, i, other); }))
      busy.push_back(i);
  return busy;
}

}  // namespace pipetop
