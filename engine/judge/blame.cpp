#include "engine/judge/blame.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

// A stage that has less time of its own than that only waits; the rest is noise.
constexpr double kOwnNoise = 0.1;
// How much more a stage keeps than its share: one that waits for a fifth of the time isn't the
// one, whatever it does in the other four.
constexpr double kSharpness = 8;
// A pipe that moved nothing, beside one that did: hardly what a stage waits for.
constexpr double kUnmoved = 0.02;
// In all: too little waiting to follow it.
constexpr double kLeastWaiting = 0.25;
constexpr int kMostSweeps = 200;

// By its clock it was blocked for so much of what it waits for in all: it tells of the rest, too.
constexpr double kTold = 0.5;

// The shares in which a stage waits for the pipes of one side; all together 1.
std::vector<std::pair<size_t, double>> weights(const WaitGraph& graph, const WaitStage& stage,
                                               bool writing) {
  const std::vector<size_t>& pipes = writing ? stage.outputs : stage.inputs;
  std::vector<std::pair<size_t, double>> by_clock = writing ? stage.written_to : stage.read_from;
  double told = 0;
  for (const auto& part : by_clock) told += part.second;
  if (told > 0 && told >= kTold * (writing ? stage.writing : stage.reading)) {
    for (auto& part : by_clock) part.second /= told;
    return by_clock;
  }
  const bool some_moved = std::ranges::any_of(
      pipes, [&](size_t pipe) { return graph.rings[pipe].moved.value_or(false); });
  std::vector<std::pair<size_t, double>> result;
  double sum = 0;
  for (const size_t pipe : pipes) {
    const WaitRing& ring = graph.rings[pipe];
    double weight = (ring.known ? (writing ? ring.full : ring.empty) : 0.5) + 0.001;
    if (some_moved && !ring.moved.value_or(true)) weight *= kUnmoved;
    result.emplace_back(pipe, weight);
    sum += weight;
  }
  for (auto& weighted : result) weighted.second /= sum;
  return result;
}

// To those at the other side of a stage's connections: who reads there what it writes; if there is
// no such one, who writes what it reads.
void pass_to_peers(const WaitGraph& graph, size_t from, double share, BlameAt& blame) {
  const WaitStage& stage = graph.stages[from];
  for (const bool writing : {true, false}) {
    std::vector<size_t> to;
    for (const size_t pipe : writing ? stage.outputs : stage.inputs) {
      const WaitRing& ring = graph.rings[pipe];
      if (ring.socket)
        std::ranges::copy(writing ? ring.readers : ring.writers, std::back_inserter(to));
    }
    for (const size_t other : to) blame.on.push_back({other, share / double(to.size())});
    if (!to.empty()) return;
  }
}

// Through the pipes of one side to who is beyond them.
void pass_on(const WaitGraph& graph, size_t from, bool writing, double share, BlameAt& blame) {
  const WaitStage& stage = graph.stages[from];
  const auto ways = weights(graph, stage, writing);
  double passed = 0;
  for (const auto& way : ways) {
    std::vector<size_t> to =
        writing ? graph.rings[way.first].readers : graph.rings[way.first].writers;
    if (to.size() > 1) std::erase(to, from);
    for (const size_t other : to) {
      blame.on.push_back({other, share * way.second / double(to.size())});
      passed += blame.on.back().share;
    }
  }
  // Nobody is there: it waits for what cannot be seen.
  const double rest = std::max(0.0, share - passed);
  blame.keeps += rest;
  (writing ? blame.outside_writing : blame.outside_reading) = rest;
}

// Side by side: both write to, or both read from, the same pipe.
bool side_by_side(const WaitGraph& graph, size_t a, size_t b) {
  const auto share = [&](const std::vector<size_t>& x, const std::vector<size_t>& y) {
    return std::ranges::find_first_of(x, y) != x.end();
  };
  return share(graph.stages[a].inputs, graph.stages[b].inputs) ||
         share(graph.stages[a].outputs, graph.stages[b].outputs);
}

}  // namespace

std::vector<BlameAt> blame_steps(const WaitGraph& graph) {
  std::vector<BlameAt> steps(graph.stages.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const WaitStage& stage = graph.stages[i];
    const double waits = stage.waits();
    if (!stage.takes_part || !(waits > 0)) continue;
    steps[i].keeps = stage.sets_pace         ? 1
                     : stage.own < kOwnNoise ? 0
                                             : std::pow(stage.own, kSharpness);
    const double passes = 1 - steps[i].keeps;
    pass_on(graph, i, false, passes * stage.reading / waits, steps[i]);
    pass_on(graph, i, true, passes * stage.writing / waits, steps[i]);
    pass_to_peers(graph, i, passes * stage.peers / waits, steps[i]);
  }
  return steps;
}

std::vector<double> blame(const WaitGraph& graph) {
  const std::vector<BlameAt> steps = blame_steps(graph);
  const size_t n = graph.stages.size();
  std::vector<double> here(n), ends(n);
  double sum = 0;
  for (size_t i = 0; i < n; ++i)
    if (graph.stages[i].takes_part) sum += here[i] = graph.stages[i].waits();
  if (sum < kLeastWaiting)
    for (size_t i = 0; i < n; ++i) here[i] = graph.stages[i].takes_part ? 1 : 0;
  sum = std::accumulate(here.begin(), here.end(), 0.0);
  if (!(sum > 0)) return ends;
  for (double& share : here) share /= sum;

  // With the flow, and against it: along a chain the blame gets to its end at once.
  const auto visit = [&](size_t i) {
    const double arrived = std::exchange(here[i], 0.0);
    if (!(arrived > 0)) return;
    ends[i] += arrived * steps[i].keeps;
    for (const BlameAt::Share& on : steps[i].on) here[on.stage] += arrived * on.share;
  };
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    for (size_t i = 0; i < n; ++i) visit(i);
    for (size_t i = n; i-- > 0;) visit(i);
    if (std::accumulate(here.begin(), here.end(), 0.0) < 1e-4) break;
  }
  return ends;
}

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
  const WaitStage& stage = graph.stages[culprit.stage];
  if (stage.own < kOwnWork && !stage.sets_pace && !culprit.outside_reading &&
      !culprit.outside_writing)
    return {};
  return culprit;
}

std::vector<size_t> busy_stages(const WaitGraph& graph) {
  std::vector<size_t> busy;
  for (const size_t i : stages_that(graph, [&](size_t stage) { return graph.stages[stage].busy; }))
    if (std::ranges::none_of(busy, [&](size_t other) { return side_by_side(graph, i, other); }))
      busy.push_back(i);
  return busy;
}

}  // namespace pipetop
