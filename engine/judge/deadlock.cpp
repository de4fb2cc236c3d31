#include "engine/judge/deadlock.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pipetop {
namespace {

// A stage that waits in pipes for this share of the time does nothing else.
constexpr double kOnlyWaits = 0.9;

// Whom it waits for at the moment, by the pipe that it is blocked in.
std::vector<size_t> waits_on(const JudgedPipeline& view, size_t number) {
  const WaitStage& stage = view.graph.stages[number];
  const StageState& state = view.pipeline.stages[number].state;
  const bool writing = state.wait == WaitsFor::pipe_write;
  std::vector<size_t> others;
  for (const size_t pipe : writing ? stage.outputs : stage.inputs) {
    if (state.pipe && *state.pipe != view.pipeline.pipes[pipe].id) continue;
    const WaitRing& ring = view.graph.rings[pipe];
    // A pipe that moves isn't where it is stuck.
    if (ring.moved.value_or(true)) return {};
    const std::vector<size_t>& beyond = writing ? ring.readers : ring.writers;
    if (beyond.empty()) return {};
    others.insert(others.end(), beyond.begin(), beyond.end());
  }
  return others;
}

// Any other thread of it might be the one that goes on.
bool only_waits(const JudgedPipeline& view, size_t number) {
  const Stage& stage = view.pipeline.stages[number];
  const WaitStage& graph = view.graph.stages[number];
  const bool in_pipe =
      stage.state.wait == WaitsFor::pipe_read || stage.state.wait == WaitsFor::pipe_write;
  return graph.alive && graph.known && stage.threads == 1 && in_pipe &&
         stage.state.kind == StageState::Kind::waiting &&
         graph.reading + graph.writing >= kOnlyWaits;
}

// Those that wait for nobody who could go on.
std::vector<size_t> stuck_stages(const JudgedPipeline& view) {
  std::vector<size_t> stuck;
  for (size_t i = 0; i < view.graph.stages.size(); ++i)
    if (only_waits(view, i)) stuck.push_back(i);
  const auto could_go_on = [&](size_t i) {
    const std::vector<size_t> others = waits_on(view, i);
    return others.empty() || !std::ranges::all_of(others, [&](size_t other) {
             return std::ranges::find(stuck, other) != stuck.end();
           });
  };
  for (;;) {
    std::vector<size_t> free;
    for (const size_t i : stuck)
      if (could_go_on(i)) free.push_back(i);
    if (free.empty()) return stuck;
    std::erase_if(stuck, [&](size_t i) { return std::ranges::find(free, i) != free.end(); });
  }
}

}  // namespace

std::optional<Bottleneck> deadlock(const JudgedPipeline& view) {
  const std::vector<size_t> stuck = stuck_stages(view);
  if (stuck.empty()) return {};
  const auto writes = [&](size_t i) {
    return view.pipeline.stages[i].state.wait == WaitsFor::pipe_write;
  };
  const bool all_write = std::ranges::all_of(stuck, writes);
  const bool all_read = std::ranges::none_of(stuck, writes);
  const std::string names = names_of(view, stuck);
  Bottleneck b;
  b.kind = Bottleneck::Kind::deadlock;
  b.line = fmt::format("deadlock: {} wait only for each other", names);
  if (stuck.size() == 1)
    b.line = fmt::format("deadlock: {} holds both ends and waits for itself", names);
  else if (all_write)
    b.line = fmt::format("deadlock: {} all write to full pipes", names);
  else if (all_read)
    b.line = fmt::format("deadlock: {} all read from empty pipes", names);
  b.line = first_fitting({b.line, "deadlock: stages wait only for each other"});
  for (const size_t i : stuck) {
    const WaitStage& stage = view.graph.stages[i];
    b.evidence.push_back(fmt::format("{} is blocked {} {}", shown_name(view, i),
                                     writes(i) ? "writing" : "reading",
                                     percent_of(writes(i) ? stage.writing : stage.reading)));
  }
  b.evidence.push_back("no data moved");
  if (all_read) b.evidence.push_back("perhaps output is buffered and never flushed");
  return b;
}

}  // namespace pipetop
