#include "engine/pipeline/flow.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/pipeline/bottleneck.h"
#include "engine/pipeline/flow_order.h"

namespace pipetop {
namespace {

// A ring that is so much more often empty than full has a reader that keeps up with its writers,
// and the other way round.
constexpr double kLeans = 0.5;
// Of the time that a ring holds data: less is a chance.
constexpr double kHoldsData = 0.1;
// Of the window, besides a wait that is over: less tells nothing.
constexpr double kLeastRest = 0.01;
// Of a stage that doesn't spin in calls that return at once.
constexpr double kWaitsAtAll = 0.01;

bool is_alive(const PipelineView& pipeline, const EndView& end) {
  return end.active && end.stage < pipeline.stages.size() && !pipeline.stages[end.stage].gone;
}

void add_ends(const PipelineView& pipeline, const std::vector<EndView>& ends,
              std::vector<size_t>& stages) {
  for (const EndView& end : ends)
    if (is_alive(pipeline, end) && std::ranges::find(stages, end.stage) == stages.end())
      stages.push_back(end.stage);
}

// The rate is of the last second only; its history knows of the rest.
std::optional<bool> moved_in(const PipeView& pipe, uint64_t window_ns) {
  if (!pipe.bytes_per_s.has_value()) return {};
  return *pipe.bytes_per_s > 0 || std::ranges::any_of(pipe.rates, [&](const FlowPoint& point) {
    return point.bytes_per_s > 0 && point.at_ns + window_ns > pipe.rates.back().at_ns;
  });
}

// Without the kernel's count: all that were seen have exited.
bool has_no_writer(const PipelineView& pipeline, const PipeView& pipe) {
  if (pipe.kernel_writers) return *pipe.kernel_writers == 0;
  return !pipe.writers.empty() && std::ranges::all_of(pipe.writers, [&](const EndView& end) {
    return end.stage < pipeline.stages.size() && pipeline.stages[end.stage].gone;
  });
}

FlowRing ring_of(const PipelineView& pipeline, const PipeView& pipe) {
  FlowRing ring;
  if (pipe.own || pipe.closed) return ring;
  add_ends(pipeline, pipe.writers, ring.writers);
  add_ends(pipeline, pipe.readers, ring.readers);
  if (pipe.shares.has_value() && pipe.shares->samples >= kLeastSamples) {
    ring.known = true;
    ring.empty = std::clamp(pipe.shares->empty, 0.0, 1.0);
    ring.full = std::clamp(pipe.shares->full, 0.0, 1.0);
  }
  ring.moved = moved_in(pipe, pipeline.window_ns);
  ring.over = ring.writers.empty() && has_no_writer(pipeline, pipe);
  return ring;
}

bool is_in_use(const FlowRing& ring) {
  return ring.moved.value_or(true) || (ring.known && 1 - ring.empty > kHoldsData);
}

// Of these pipes those that moved data, or are not known not to; all of them if there are none.
std::vector<size_t> moving(const Flow& flow, const std::vector<size_t>& pipes) {
  std::vector<size_t> result;
  for (const size_t pipe : pipes)
    if (flow.rings[pipe].moved.value_or(true)) result.push_back(pipe);
  return result.empty() ? pipes : result;
}

// Those that somebody can still write to.
std::vector<size_t> open_inputs(const Flow& flow, const FlowStage& stage) {
  std::vector<size_t> inputs = stage.inputs;
  std::erase_if(inputs, [&](size_t pipe) { return flow.rings[pipe].over; });
  return inputs;
}

// How often there was nothing to read: in none of its inputs.
double starved(const Flow& flow, const FlowStage& stage) {
  const std::vector<size_t> inputs = open_inputs(flow, stage);
  double share = inputs.empty() ? 0 : 1;
  for (const size_t pipe : moving(flow, inputs))
    share = std::min(share, flow.rings[pipe].known ? flow.rings[pipe].empty : 0);
  return share;
}

// How often it could not write: to one of its outputs.
double stuck(const Flow& flow, const FlowStage& stage) {
  double share = 0;
  for (const size_t pipe : moving(flow, stage.outputs))
    share = std::max(share, flow.rings[pipe].known ? flow.rings[pipe].full : 0);
  return share;
}

// It has more or less time of its own than it seemed; what that is made of stays the same.
void scale_own(FlowStage& stage, double own) {
  const double factor = stage.own > 0 ? own / stage.own : 0;
  stage.own = own;
  stage.on_cpu *= factor;
  stage.runnable *= factor;
  for (double& share : stage.elsewhere) share *= factor;
}

void take_shares(const StageShares& shares, double sum, FlowStage& stage) {
  stage.known = true;
  stage.reading = shares.reading / sum;
  stage.writing = shares.writing / sum;
  stage.own = std::max(0.0, 1 - stage.reading - stage.writing);
  stage.on_cpu = shares.on_cpu / sum;
  stage.runnable = shares.runnable / sum;
  for (size_t i = 0; i < stage.elsewhere.size(); ++i)
    stage.elsewhere[i] = shares.elsewhere[i] / sum;
}

// Its rings tell how long it waits, and a look at it what it does else.
void take_rings(const Flow& flow, const StageState& state, FlowStage& stage) {
  const auto knows = [&](size_t pipe) { return flow.rings[pipe].known; };
  stage.known =
      std::ranges::any_of(stage.inputs, knows) || std::ranges::any_of(stage.outputs, knows);
  if (!stage.known) return;
  stage.reading = starved(flow, stage);
  stage.writing = stuck(flow, stage);
  const double sum = stage.reading + stage.writing;
  if (sum > 1) stage.reading /= sum, stage.writing /= sum;
  stage.own = std::max(0.0, 1 - stage.reading - stage.writing);
  const bool in_pipe = state.wait == WaitsFor::pipe_read || state.wait == WaitsFor::pipe_write;
  if (state.kind == StageState::Kind::running)
    stage.on_cpu = stage.own;
  else if (state.kind == StageState::Kind::runnable)
    stage.runnable = stage.own;
  else
    stage.elsewhere[size_t(in_pipe ? WaitsFor::other : state.wait)] = stage.own;
}

// The time that it waited for writers who have all left since is over, and tells nothing of now.
void forget_reading(const Flow& flow, FlowStage& stage) {
  const double rest = 1 - stage.reading;
  if (stage.inputs.empty() || !open_inputs(flow, stage).empty() || rest < kLeastRest) return;
  stage.reading = 0;
  stage.writing /= rest;
  scale_own(stage, stage.own / rest);
}

// In poll it waits for its pipes as far as they are empty or full, and for something else else.
void split_poll(const Flow& flow, FlowStage& stage) {
  double& poll = stage.elsewhere[size_t(WaitsFor::poll)];
  const double read = starved(flow, stage), write = stuck(flow, stage);
  if (!(poll > 0) || !(read + write > 0)) return;
  const double in_pipes = std::min(poll, read + write);
  poll -= in_pipes;
  stage.reading += in_pipes * read / (read + write);
  stage.writing += in_pipes * write / (read + write);
  stage.own = std::max(0.0, stage.own - in_pipes);
}

// Who has nothing to read does not hold up anybody, whatever it does meanwhile: it spins, sleeps or
// works on little. In a circle it may be what its own writer waits for.
void shift_to_neighbours(const Flow& flow, const std::vector<size_t>& circle, size_t number,
                         FlowStage& stage) {
  const auto leans = [&](const std::vector<size_t>& pipes, bool empty) {
    return !pipes.empty() && std::ranges::all_of(pipes, [&](size_t pipe) {
      const FlowRing& ring = flow.rings[pipe];
      const double by = empty ? ring.empty - ring.full : ring.full - ring.empty;
      return ring.known && ring.moved.value_or(false) && by > kLeans &&
             circle[flow.stages.size() + pipe] != circle[number];
    });
  };
  if (leans(moving(flow, stage.inputs), true)) {
    const double more = stage.own * starved(flow, stage);
    stage.reading += more;
    scale_own(stage, stage.own - more);
  }
  if (leans(moving(flow, stage.outputs), false)) {
    const double more = stage.own * stuck(flow, stage);
    stage.writing += more;
    scale_own(stage, stage.own - more);
  }
}

// An idle pipe closes no circle: that of whoever started a pipeline, and reads its output.
std::vector<size_t> circles_of(const Flow& flow) {
  std::vector<std::vector<size_t>> arrows(flow.stages.size() + flow.rings.size());
  for (size_t i = 0; i < flow.rings.size(); ++i) {
    if (!is_in_use(flow.rings[i])) continue;
    for (const size_t writer : flow.rings[i].writers)
      arrows[writer].push_back(flow.stages.size() + i);
    for (const size_t reader : flow.rings[i].readers)
      arrows[flow.stages.size() + i].push_back(reader);
  }
  return circles(arrows);
}

// For each stage a number that connected ones have in common.
std::vector<size_t> parts_of(const Flow& flow) {
  std::vector<size_t> part(flow.stages.size());
  std::iota(part.begin(), part.end(), size_t(0));
  // Labels spread until they agree; pipelines are short.
  for (bool changed = true; std::exchange(changed, false);) {
    for (const FlowRing& ring : flow.rings) {
      size_t least = SIZE_MAX;
      for (const auto* side : {&ring.writers, &ring.readers})
        for (const size_t stage : *side) least = std::min(least, part[stage]);
      for (const auto* side : {&ring.writers, &ring.readers})
        for (const size_t stage : *side)
          if (part[stage] != least) part[stage] = least, changed = true;
    }
  }
  return part;
}

// Of several unconnected parts only the one that moves most takes part.
void leave_out_small_parts(const PipelineView& pipeline, Flow& flow) {
  const std::vector<size_t> part = parts_of(flow);
  std::vector<double> rate(flow.stages.size());
  // One more, for those that moved data in the window, but not in the last second.
  for (size_t i = 0; i < flow.rings.size(); ++i)
    if (flow.rings[i].moved.value_or(false))
      for (const auto* side : {&flow.rings[i].writers, &flow.rings[i].readers})
        if (!side->empty()) rate[part[side->front()]] += 1 + *pipeline.pipes[i].bytes_per_s;
  const auto most = size_t(std::ranges::max_element(rate) - rate.begin());
  for (size_t i = 0; i < flow.stages.size(); ++i)
    if (part[i] != most) flow.stages[i].takes_part = false;
}

void find_who_takes_part(const PipelineView& pipeline, Flow& flow) {
  const auto in_use = [&](size_t pipe) { return is_in_use(flow.rings[pipe]); };
  for (FlowStage& stage : flow.stages) {
    stage.is_source = std::ranges::none_of(stage.inputs, in_use);
    // If nothing moved, nothing has got to the output of a stage that others wait for.
    stage.is_sink =
        flow.moved ? std::ranges::none_of(stage.outputs, in_use) : stage.outputs.empty();
    stage.takes_part = stage.alive && (!flow.moved || !stage.is_source || !stage.is_sink);
  }
  if (flow.moved) leave_out_small_parts(pipeline, flow);
}

}  // namespace

Flow flow_of(const PipelineView& pipeline) {
  Flow flow;
  for (const PipeView& pipe : pipeline.pipes) flow.rings.push_back(ring_of(pipeline, pipe));
  flow.stages.resize(pipeline.stages.size());
  flow.still = true;
  for (size_t i = 0; i < flow.rings.size(); ++i) {
    const FlowRing& ring = flow.rings[i];
    for (const size_t writer : ring.writers) flow.stages[writer].outputs.push_back(i);
    for (const size_t reader : ring.readers) flow.stages[reader].inputs.push_back(i);
    if (ring.writers.empty() && ring.readers.empty()) continue;
    flow.moved = flow.moved || ring.moved.value_or(false);
    flow.still = flow.still && !ring.moved.value_or(true);
  }
  const std::vector<size_t> circle = circles_of(flow);
  for (size_t i = 0; i < flow.stages.size(); ++i) {
    FlowStage& stage = flow.stages[i];
    const StageView& view = pipeline.stages[i];
    stage.alive = !stage.inputs.empty() || !stage.outputs.empty();
    if (!stage.alive) continue;
    double sum = 0;
    if (view.shares.has_value())
      sum = std::accumulate(view.shares->elsewhere.begin(), view.shares->elsewhere.end(),
                            view.shares->on_cpu + view.shares->runnable + view.shares->reading +
                                view.shares->writing);
    if (sum > 0.02) {
      take_shares(*view.shares, sum, stage);
      split_poll(flow, stage);
    } else {
      take_rings(flow, view.state, stage);
    }
    forget_reading(flow, stage);
    // One that works nearly all the time, but does wait now and then, isn't spinning.
    const double waits = stage.reading + stage.writing;
    if (waits < kWaitsAtAll || stage.own < kBusy) shift_to_neighbours(flow, circle, i, stage);
  }
  find_who_takes_part(pipeline, flow);
  return flow;
}

}  // namespace pipetop
