#include "engine/judge/wait_graph.h"

#include <algorithm>
#include <numeric>

#include "engine/base/graph_order.h"
#include "engine/judge/evidence.h"
#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

// A ring that is so much more often empty than full has a reader that keeps up with its writers,
// and the other way round.
constexpr double kLeans = 0.5;
// A ring that holds data for a smaller share of the time does so by chance.
constexpr double kHoldsData = 0.1;
// A smaller rest of the window, besides a wait that is over, tells nothing.
constexpr double kLeastRest = 0.01;
// A stage that waits less does not wait: it may spin in calls that return at once.
constexpr double kWaitsAtAll = 0.003;
// A writer that waits so long sets no pace; and so little of it in a pipe doesn't matter.
constexpr double kWaitsElsewhere = 0.3;
constexpr double kHardlyHere = 0.1;
// In poll for a time only, though it has data.
constexpr double kSetsPace = 0.1;
// The same of waits for a peer, which include what in poll nothing else explains.
constexpr double kWaitsForPeer = 0.1;

bool is_in_use(const Pipeline& pipeline, const StageEnd& end) {
  return end.active && end.stage < pipeline.stages.size() && !pipeline.stages[end.stage].gone;
}

void add_ends(const Pipeline& pipeline, const std::vector<StageEnd>& ends,
              std::vector<size_t>& stages) {
  for (const StageEnd& end : ends)
    if (is_in_use(pipeline, end) && std::ranges::find(stages, end.stage) == stages.end())
      stages.push_back(end.stage);
}

// The rate is of the last second only; its history knows of the rest.
std::optional<bool> moved_in(const Pipe& pipe, uint64_t window_ns) {
  if (!pipe.bytes_per_s.has_value()) return {};
  return *pipe.bytes_per_s > 0 || std::ranges::any_of(pipe.rates, [&](const RatePoint& point) {
    return point.rate > 0 && point.at_ns + window_ns > pipe.rates.back().at_ns;
  });
}

// Without the kernel's count: all that were seen have exited.
bool has_no_writer(const Pipeline& pipeline, const Pipe& pipe) {
  if (pipe.kernel_writers) return *pipe.kernel_writers == 0;
  return !pipe.writers.empty() && std::ranges::all_of(pipe.writers, [&](const StageEnd& end) {
    return end.stage < pipeline.stages.size() && pipeline.stages[end.stage].gone;
  });
}

WaitRing ring_of(const Pipeline& pipeline, const Pipe& pipe) {
  WaitRing ring;
  if (pipe.own || pipe.closed) return ring;
  add_ends(pipeline, pipe.writers, ring.writers);
  add_ends(pipeline, pipe.readers, ring.readers);
  if (pipe.level.has_value() && pipe.level->samples >= kLeastSamples) {
    ring.known = true;
    ring.empty = std::clamp(pipe.level->empty_share, 0.0, 1.0);
    ring.full = std::clamp(pipe.level->full_share, 0.0, 1.0);
  }
  ring.moved = moved_in(pipe, pipeline.window_ns);
  ring.socket = pipe.socket.has_value();
  ring.over = ring.writers.empty() && has_no_writer(pipeline, pipe);
  return ring;
}

bool is_in_use(const WaitRing& ring) {
  return ring.moved.value_or(true) || (ring.known && 1 - ring.empty > kHoldsData);
}

// The pipes that moved data, or may have; all of them if there are none.
std::vector<size_t> moving(const WaitGraph& graph, const std::vector<size_t>& pipes) {
  std::vector<size_t> result;
  for (const size_t pipe : pipes)
    if (graph.rings[pipe].moved.value_or(true)) result.push_back(pipe);
  return result.empty() ? pipes : result;
}

// Those that somebody can still write to.
std::vector<size_t> open_inputs(const WaitGraph& graph, const WaitStage& stage) {
  std::vector<size_t> inputs = stage.inputs;
  std::erase_if(inputs, [&](size_t pipe) { return graph.rings[pipe].over; });
  return inputs;
}

// How often there was nothing to read: in none of its inputs.
double starved(const WaitGraph& graph, const WaitStage& stage) {
  const std::vector<size_t> inputs = open_inputs(graph, stage);
  double share = inputs.empty() ? 0 : 1;
  for (const size_t pipe : moving(graph, inputs))
    share = std::min(share, graph.rings[pipe].known ? graph.rings[pipe].empty : 0);
  return share;
}

// How often it could not write: to one of its outputs.
double stuck(const WaitGraph& graph, const WaitStage& stage) {
  double share = 0;
  for (const size_t pipe : moving(graph, stage.outputs))
    share = std::max(share, graph.rings[pipe].known ? graph.rings[pipe].full : 0);
  return share;
}

// It has more or less time of its own than it seemed; what that is made of stays the same.
void scale_own(WaitStage& stage, double own) {
  const double factor = stage.own > 0 ? own / stage.own : 0;
  stage.own = own;
  stage.on_cpu *= factor;
  stage.runnable *= factor;
  for (double& share : stage.elsewhere) share *= factor;
}

void take_shares(const StageShares& shares, double sum, WaitStage& stage) {
  stage.known = true;
  stage.reading = shares.reading / sum;
  stage.writing = shares.writing / sum;
  stage.own = std::max(0.0, 1 - stage.reading - stage.writing);
  stage.on_cpu = shares.on_cpu / sum;
  stage.runnable = shares.runnable / sum;
  for (size_t i = 0; i < stage.elsewhere.size(); ++i)
    stage.elsewhere[i] = shares.elsewhere[i] / sum;
}

// Which of its pipes a stage waits in is known better by its clock than by their rings: one that is
// full while it waits in another one costs it nothing.
void take_blocked(const Pipeline& pipeline, const Stage& view, WaitStage& stage) {
  for (const bool writing : {false, true}) {
    auto& parts = writing ? stage.written_to : stage.read_from;
    for (const size_t pipe : writing ? stage.outputs : stage.inputs)
      for (const ThreadPipe& blocked : view.blocked_in)
        if (blocked.pipe == pipeline.pipes[pipe].id && blocked.writing == writing)
          parts.emplace_back(pipe, blocked.share);
  }
}

// Its rings tell how long it waits, and a look at it what it does else.
void take_rings(const WaitGraph& graph, const StageState& state, WaitStage& stage) {
  const auto knows = [&](size_t pipe) { return graph.rings[pipe].known; };
  stage.known =
      std::ranges::any_of(stage.inputs, knows) || std::ranges::any_of(stage.outputs, knows);
  if (!stage.known) return;
  stage.reading = starved(graph, stage);
  stage.writing = stuck(graph, stage);
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
void forget_reading(const WaitGraph& graph, WaitStage& stage) {
  const double rest = 1 - stage.reading;
  if (stage.inputs.empty() || !open_inputs(graph, stage).empty() || rest < kLeastRest) return;
  stage.reading = 0;
  stage.writing /= rest;
  stage.peers /= rest;
  scale_own(stage, stage.own / rest);
}

// In poll it waits for its pipes as far as they are empty or full, and for something else else.
void split_poll(const WaitGraph& graph, WaitStage& stage) {
  double& poll = stage.elsewhere[size_t(WaitsFor::poll)];
  const double read = starved(graph, stage), write = stuck(graph, stage);
  if (!(poll > 0) || !(read + write > 0)) return;
  const double in_pipes = std::min(poll, read + write);
  poll -= in_pipes;
  stage.reading += in_pipes * read / (read + write);
  stage.writing += in_pipes * write / (read + write);
  stage.own = std::max(0.0, stage.own - in_pipes);
}

// A protocol lets nobody send more than its reader has asked for, as ssh's window does: who polls,
// though it has data and its socket has room, waits for a reader that can't get rid of its own.
void follow_answers(const Pipeline& pipeline, const WaitGraph& graph, WaitStage& stage) {
  double& poll = stage.elsewhere[size_t(WaitsFor::poll)];
  double waits = 0;
  for (const size_t pipe : stage.outputs)
    if (pipeline.pipes[pipe].socket)
      for (const size_t reader : graph.rings[pipe].readers)
        waits = std::max(waits, stuck(graph, graph.stages[reader]));
  waits = std::min(poll, waits - starved(graph, stage));
  if (!(waits > 0)) return;
  poll -= waits;
  stage.writing += waits;
  stage.own = std::max(0.0, stage.own - waits);
}

// For requests, answers and acknowledgements, whose direction of a connection carries too little to
// be a pipe: they come from who is at the other side of the one that is.
void wait_for_peers(const WaitGraph& graph, const Stage& view, double sum, WaitStage& stage) {
  const auto reaches = [&](bool writing) {
    return std::ranges::any_of(writing ? stage.outputs : stage.inputs, [&](size_t pipe) {
      const WaitRing& ring = graph.rings[pipe];
      return ring.socket && !(writing ? ring.readers : ring.writers).empty();
    });
  };
  if (!reaches(true) && !reaches(false)) return;
  double& network = stage.elsewhere[size_t(WaitsFor::network)];
  double& poll = stage.elsewhere[size_t(WaitsFor::poll)];
  const double at_sockets = std::min(network, view.shares->peer / sum);
  const double in_poll = view.polls_peer ? poll : 0;
  network -= at_sockets;
  poll -= in_poll;
  stage.peers = at_sockets + in_poll;
  stage.own = std::max(0.0, stage.own - stage.peers);
}

// Whether somebody waits at the other end of a pipe, by its clock: then its ring excuses nobody.
bool is_waited_for(const Pipeline& pipeline, const WaitGraph& graph, const WaitRing& ring,
                   bool by_writers) {
  return std::ranges::any_of(by_writers ? ring.writers : ring.readers, [&](size_t other) {
    if (ring.socket && graph.stages[other].peers >= kWaitsForPeer) return true;
    const Reading<StageShares>& shares = pipeline.stages[other].shares;
    if (!shares.has_value()) return false;
    return std::min(by_writers ? shares->writing : shares->reading,
                    by_writers ? ring.full : ring.empty) >= kWaitsAtAll;
  });
}

// Where CPUs are short, the scheduler decides who waits for whom, and CPU time is what counts. A
// quota makes its own stage wait.
void find_busy(const Pipeline& pipeline, WaitGraph& graph) {
  double scarce = 1;  // the least CPU time of one that would take more
  for (size_t i = 0; i < graph.stages.size(); ++i) {
    WaitStage& stage = graph.stages[i];
    stage.busy = stage.known && stage.own >= kBusy;
    if (stage.busy && stage.runnable >= kLacksCpu && !pipeline.stages[i].limits.quota)
      scarce = std::min(scarce, stage.on_cpu);
  }
  for (WaitStage& stage : graph.stages)
    if (stage.known && stage.own >= kOwnWork && stage.on_cpu >= kBusy * scarce) stage.busy = true;
}

// Nobody waits for one whose writers all wait, but in other pipes: that of a slower reader beside
// it.
void excuse_the_faster(WaitGraph& graph) {
  const auto waits_elsewhere = [&](size_t writer, size_t pipe) {
    const WaitStage& stage = graph.stages[writer];
    double here = 0, all = 0;
    for (const auto& [other, share] : stage.written_to) {
      all += share;
      if (other == pipe) here += share;
    }
    return all >= kWaitsElsewhere && here < kHardlyHere * all;
  };
  for (WaitStage& stage : graph.stages) {
    if (!stage.busy || stage.inputs.empty()) continue;
    stage.busy = !std::ranges::all_of(stage.inputs, [&](size_t pipe) {
      const std::vector<size_t>& writers = graph.rings[pipe].writers;
      return !writers.empty() && std::ranges::all_of(writers, [&](size_t writer) {
        return waits_elsewhere(writer, pipe);
      });
    });
  }
}

// As pv -L does: it takes so many bytes at once, as fast as they come, and waits for the next time.
// Meanwhile another reader of its writer may be the slower one, but if nobody is busy, nobody gains
// by a faster one: what one loses at once, one makes up for.
void find_who_sets_the_pace(WaitGraph& graph) {
  if (std::ranges::any_of(graph.stages, [](const WaitStage& stage) { return stage.busy; })) return;
  const auto waits_in_several = [&](size_t writer) {
    return graph.stages[writer].written_to.size() > 1;
  };
  for (WaitStage& stage : graph.stages) {
    if (stage.for_time < kSetsPace) continue;
    stage.sets_pace = std::ranges::any_of(stage.inputs, [&](size_t pipe) {
      const WaitRing& ring = graph.rings[pipe];
      return ring.known && ring.full >= kSetsPace &&
             std::ranges::any_of(ring.writers, waits_in_several);
    });
  }
}

// Who has nothing to read does not hold up anybody, whatever it does meanwhile: it spins, sleeps or
// works on little. In a circle it may be what its own writer waits for. That moves the blame only:
// what it is said to do comes from its clock.
void shift_to_neighbours(const Pipeline& pipeline, const WaitGraph& graph,
                         const std::vector<size_t>& circle, size_t number, WaitStage& stage) {
  const auto leans = [&](const std::vector<size_t>& pipes, bool empty) {
    return !pipes.empty() && std::ranges::all_of(pipes, [&](size_t pipe) {
      const WaitRing& ring = graph.rings[pipe];
      const double by = empty ? ring.empty - ring.full : ring.full - ring.empty;
      return ring.known && ring.moved.value_or(false) && by > kLeans &&
             !is_waited_for(pipeline, graph, ring, empty) &&
             circle[graph.stages.size() + pipe] != circle[number];
    });
  };
  if (leans(moving(graph, stage.inputs), true)) {
    const double more = stage.own * starved(graph, stage);
    stage.reading += more;
    scale_own(stage, stage.own - more);
  }
  if (leans(moving(graph, stage.outputs), false)) {
    const double more = stage.own * stuck(graph, stage);
    stage.writing += more;
    scale_own(stage, stage.own - more);
  }
}

// Nobody waits for one that nothing was sent to.
bool got_nothing(const WaitGraph& graph, const WaitStage& stage) {
  return !stage.inputs.empty() && std::ranges::all_of(stage.inputs, [&](size_t pipe) {
    const WaitRing& ring = graph.rings[pipe];
    return ring.known && !ring.moved.value_or(true) && 1 - ring.empty <= kHoldsData;
  });
}

// An idle pipe closes no circle: that of whoever started a pipeline, and reads its output.
std::vector<size_t> circles_of(const WaitGraph& graph) {
  std::vector<std::vector<size_t>> arrows(graph.stages.size() + graph.rings.size());
  for (size_t i = 0; i < graph.rings.size(); ++i) {
    if (!is_in_use(graph.rings[i])) continue;
    for (const size_t writer : graph.rings[i].writers)
      arrows[writer].push_back(graph.stages.size() + i);
    for (const size_t reader : graph.rings[i].readers)
      arrows[graph.stages.size() + i].push_back(reader);
  }
  return circles(arrows);
}

// For each stage a number that connected ones have in common.
std::vector<size_t> parts_of(const WaitGraph& graph) {
  Joined joined(graph.stages.size());
  for (const WaitRing& ring : graph.rings) {
    std::vector<size_t> stages = ring.writers;
    stages.insert(stages.end(), ring.readers.begin(), ring.readers.end());
    for (const size_t stage : stages) joined.join(uint32_t(stage), uint32_t(stages.front()));
  }
  std::vector<size_t> parts;
  for (size_t i = 0; i < graph.stages.size(); ++i) parts.push_back(joined.root(uint32_t(i)));
  return parts;
}

// Leaves only the one of several unconnected parts that moves most.
void leave_out_small_parts(const Pipeline& pipeline, WaitGraph& graph) {
  const std::vector<size_t> part = parts_of(graph);
  std::vector<double> rate(graph.stages.size());
  // One more, for those that moved data in the window, but not in the last second.
  for (size_t i = 0; i < graph.rings.size(); ++i)
    if (graph.rings[i].moved.value_or(false))
      for (const auto* side : {&graph.rings[i].writers, &graph.rings[i].readers})
        if (!side->empty()) rate[part[side->front()]] += 1 + *pipeline.pipes[i].bytes_per_s;
  const size_t most = *std::ranges::max_element(part, {}, [&](size_t p) { return rate[p]; });
  for (size_t i = 0; i < graph.stages.size(); ++i)
    if (part[i] != most) graph.stages[i].takes_part = false;
}

void find_who_takes_part(const Pipeline& pipeline, WaitGraph& graph) {
  const auto in_use = [&](size_t pipe) { return is_in_use(graph.rings[pipe]); };
  for (WaitStage& stage : graph.stages) {
    stage.is_source = std::ranges::none_of(stage.inputs, in_use);
    // If nothing moved, nothing has got to the output of a stage that others wait for.
    stage.is_sink =
        graph.moved ? std::ranges::none_of(stage.outputs, in_use) : stage.outputs.empty();
    stage.takes_part = stage.alive && (!graph.moved || !stage.is_source || !stage.is_sink);
  }
  if (graph.moved) leave_out_small_parts(pipeline, graph);
}

}  // namespace

WaitGraph wait_graph_of(const Pipeline& pipeline) {
  WaitGraph graph;
  for (const Pipe& pipe : pipeline.pipes) graph.rings.push_back(ring_of(pipeline, pipe));
  graph.stages.resize(pipeline.stages.size());
  graph.still = true;
  for (size_t i = 0; i < graph.rings.size(); ++i) {
    const WaitRing& ring = graph.rings[i];
    for (const size_t writer : ring.writers) graph.stages[writer].outputs.push_back(i);
    for (const size_t reader : ring.readers) graph.stages[reader].inputs.push_back(i);
    if (ring.writers.empty() && ring.readers.empty()) continue;
    graph.moved = graph.moved || ring.moved.value_or(false);
    graph.still = graph.still && !ring.moved.value_or(true);
  }
  const std::vector<size_t> circle = circles_of(graph);
  for (size_t i = 0; i < graph.stages.size(); ++i) {
    WaitStage& stage = graph.stages[i];
    const Stage& view = pipeline.stages[i];
    stage.alive = !stage.inputs.empty() || !stage.outputs.empty();
    if (!stage.alive) continue;
    double sum = 0;
    if (view.shares.has_value())
      sum = std::accumulate(view.shares->elsewhere.begin(), view.shares->elsewhere.end(),
                            view.shares->on_cpu + view.shares->runnable + view.shares->reading +
                                view.shares->writing);
    if (sum > 0.02) {
      take_shares(*view.shares, sum, stage);
      take_blocked(pipeline, view, stage);
      double& poll = stage.elsewhere[size_t(WaitsFor::poll)];
      const double for_time = poll * view.polls_nothing;
      poll -= for_time;
      split_poll(graph, stage);
      follow_answers(pipeline, graph, stage);
      wait_for_peers(graph, view, sum, stage);
      poll += for_time;
      stage.for_time = for_time;
    } else {
      take_rings(graph, view.state, stage);
    }
    forget_reading(graph, stage);
  }
  find_busy(pipeline, graph);
  excuse_the_faster(graph);
  find_who_sets_the_pace(graph);
  for (size_t i = 0; i < graph.stages.size(); ++i) {
    WaitStage& stage = graph.stages[i];
    // One that works nearly all the time, but does wait now and then, isn't spinning.
    if (!stage.alive || (stage.busy && stage.waits() >= kWaitsAtAll)) continue;
    shift_to_neighbours(pipeline, graph, circle, i, stage);
    stage.busy = stage.busy && stage.own >= kBusy;
  }
  for (WaitStage& stage : graph.stages) stage.busy = stage.busy && !got_nothing(graph, stage);
  find_who_takes_part(pipeline, graph);
  return graph;
}

}  // namespace pipetop
