#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "engine/base/numbers.h"
#include "engine/judge/advice.h"
#include "engine/judge/blame.h"
#include "engine/judge/pipeline_words.h"
#include "engine/judge/verdict.h"
#include "engine/judge/wait_graph.h"

namespace pipetop {
namespace {

using Kind = Verdict::Kind;

// The least share of the window that counts as stopped: a debugger stops a stage for moments.
constexpr double kStopped = 0.1;
// The least share of work of a stage that is not idle although no data moves.
constexpr double kHasWork = 0.25;
// The least share in poll of a stage that is judged by its rings.
constexpr double kPolls = 0.25;
// The least share of blocked writing of a stage that has data.
constexpr double kHasData = 0.5;
// Of the time at a socket or a terminal, of a stage whose bursts are its own.
constexpr double kMostOutside = 0.1;
// Of the samples, in which the far side of a connection had no room.
constexpr double kPeerFull = 0.5;
// A packet that was lost is answered when it is sent again.
constexpr uint32_t kLostRetries = 3;
// Bytes per second: more than the tokens of a jobserver.
constexpr double kData = 1000;
// Both sides of a connection wait for so much of the time.
constexpr double kBetween = 0.5;

Verdict said(Kind kind, std::string line) { return {kind, std::move(line)}; }

Verdict blamed(Kind kind, const JudgedPipeline& view, size_t stage, WaitsFor wait,
               std::string line) {
  return {kind, std::move(line), view.pipeline.stages[stage].id, wait, evidence_for(view, stage)};
}

std::optional<Verdict> nothing_to_see(const JudgedPipeline& view) {
  const std::vector<Stage>& stages = view.pipeline.stages;
  if (stages.empty()) return said(Kind::unknown, "unknown: no process here holds a pipe");
  if (std::ranges::all_of(stages, &Stage::gone))
    return said(Kind::idle, stages.size() == 1 ? "ended: the only stage has exited"
                                               : "ended: all stages have exited");
  if (std::ranges::any_of(view.graph.stages, &WaitStage::alive)) return {};
  if (!view.pipeline.pipes.empty() && std::ranges::all_of(view.pipeline.pipes, &Pipe::closed))
    return said(Kind::idle, "idle: all pipes are closed");
  const auto living = size_t(std::ranges::find(stages, false, &Stage::gone) - stages.begin());
  const bool own = std::ranges::any_of(view.pipeline.pipes,
                                       [](const Pipe& pipe) { return pipe.own && !pipe.closed; });
  const std::string name = shown_name(view, living);
  if (own && stages[living].state.kind == StageState::Kind::waiting)
    return said(Kind::idle, fmt::format("idle: {} waits, and holds both ends of the pipe", name));
  return said(Kind::unknown, own ? fmt::format("unknown: {} holds both ends of the pipe", name)
                                 : std::string("unknown: no process has moved data yet"));
}

std::optional<Verdict> stopped(const JudgedPipeline& view) {
  std::vector<size_t> found;
  for (size_t i = 0; i < view.graph.stages.size(); ++i) {
    const Stage& stage = view.pipeline.stages[i];
    if (!view.graph.stages[i].alive || stage.state.kind != StageState::Kind::waiting ||
        stage.state.wait != WaitsFor::stopped)
      continue;
    if (stage.shares.has_value() && stage.shares->elsewhere[size_t(WaitsFor::stopped)] < kStopped)
      continue;
    found.push_back(i);
  }
  if (found.empty()) return {};
  const std::string head = fmt::format("{} {} stopped or frozen", names_of(view, found),
                                       found.size() > 1 ? "are" : "is");
  const bool one = found.size() == 1;
  return blamed(Kind::stopped, view, found[0], WaitsFor::stopped,
                one ? with_evidence(head, view, found[0], false) : first_fitting({head}));
}

std::optional<Verdict> too_little(const JudgedPipeline& view) {
  const Pipeline& p = view.pipeline;
  if (p.window_ns < kLeastWindow_ns)
    return said(Kind::unknown, fmt::format("measuring: {:.1f} of {} s", double(p.window_ns) / 1e9,
                                           kLeastWindow_ns / 1'000'000'000));
  const auto known = [](const WaitRing& ring) { return ring.known; };
  uint64_t samples = 0;
  bool looked_at = false;
  for (const Pipe& pipe : p.pipes) {
    if (pipe.own || pipe.closed || !pipe.level.has_value()) continue;
    looked_at = true;
    samples = std::max(samples, pipe.level->samples);
  }
  if (looked_at && std::ranges::none_of(view.graph.rings, known))
    return said(Kind::unknown,
                fmt::format("measuring: {} of {} ring samples", samples, kLeastSamples));
  // In poll only rings tell for whom it waits.
  for (const size_t i : stages_that(view.graph, [](size_t) { return true; })) {
    const Reading<StageShares>& shares = p.stages[i].shares;
    if (!shares.has_value() || shares->elsewhere[size_t(WaitsFor::poll)] < kPolls) continue;
    const WaitStage& stage = view.graph.stages[i];
    for (const auto* pipes : {&stage.inputs, &stage.outputs})
      for (const size_t pipe : *pipes)
        if (const auto& level = p.pipes[pipe].level;
            level.has_value() && !view.graph.rings[pipe].known)
          return said(Kind::unknown, fmt::format("measuring: {} of {} ring samples", level->samples,
                                                 kLeastSamples));
  }
  const auto unknown =
      stages_that(view.graph, [&](size_t i) { return !view.graph.stages[i].known; });
  const auto all = stages_that(view.graph, [](size_t) { return true; });
  if (unknown.empty() || unknown.size() < all.size()) return {};
  const Reading<StageShares>& shares = p.stages[unknown[0]].shares;
  const std::string who = names_of(view, unknown);
  const std::string what = shares.status == ReadingStatus::warming
                               ? fmt::format("measuring: no times for {} yet", who)
                               : fmt::format("unknown: no times for {}", who);
  return said(Kind::unknown,
              shares.reason.empty()
                  ? first_fitting({what})
                  : first_fitting({fmt::format("{}: {}", what, why_of(shares.reason)), what}));
}

// ---- deadlock: stages that wait only for each other ----

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

// Each of them is blocked in a pipe all the time, nobody else could let it go on, and nothing
// moved.
std::optional<Verdict> deadlock(const JudgedPipeline& view) {
  const std::vector<size_t> stuck = stuck_stages(view);
  if (stuck.empty()) return {};
  const auto writes = [&](size_t i) {
    return view.pipeline.stages[i].state.wait == WaitsFor::pipe_write;
  };
  const bool all_write = std::ranges::all_of(stuck, writes);
  const bool all_read = std::ranges::none_of(stuck, writes);
  const std::string names = names_of(view, stuck);
  Verdict b = said(Kind::deadlock, fmt::format("deadlock: {} wait only for each other", names));
  if (stuck.size() == 1)
    b.because = fmt::format("deadlock: {} holds both ends and waits for itself", names);
  else if (all_write)
    b.because = fmt::format("deadlock: {} all write to full pipes", names);
  else if (all_read)
    b.because = fmt::format("deadlock: {} all read from empty pipes", names);
  b.because = first_fitting({b.because, "deadlock: stages wait only for each other"});
  for (const size_t i : stuck) {
    if (const auto waits = blocked_share(view, i, writes(i)))
      b.evidence.push_back(fmt::format("{} is blocked {} {}", shown_name(view, i),
                                       writes(i) ? "writing" : "reading", percent(*waits)));
  }
  b.evidence.push_back("no data moved");
  if (all_read) b.evidence.push_back("perhaps output is buffered and never flushed");
  return b;
}

// ---- who is to blame ----

// Beyond the pipeline: the data comes too late, or cannot leave. A stage that sleeps sets the pace
// itself, and so does one that polls though it holds nothing that others feed or empty, or whose
// child works.
bool is_outside(const Stage& known, const WaitStage& stage, const StageActivity& activity) {
  if (activity.kind != StageActivity::Kind::waits) return false;
  switch (activity.wait) {
    case WaitsFor::network:
    case WaitsFor::terminal:
      return true;
    case WaitsFor::poll:
      return (stage.is_source || stage.is_sink) && known.outside.value_or(true);
    case WaitsFor::signal:
    case WaitsFor::other:
      return stage.is_source;
    default:
      return false;
  }
}

// "zstd (like gzip)"
std::string who(const JudgedPipeline& view, const Culprit& culprit) {
  std::string name = shown_name(view, culprit.stage);
  if (culprit.like.empty()) return name;
  return fmt::format("{} (like {})", name, names_of(view, culprit.like));
}

// The connection that a stage waits for at least so much, of those whose far side isn't here.
std::optional<size_t> far_connection(const JudgedPipeline& view, size_t stage, bool writing,
                                     double least) {
  const WaitStage& waits = view.graph.stages[stage];
  std::optional<size_t> most;
  double share = least;
  for (const size_t pipe : writing ? waits.outputs : waits.inputs) {
    const WaitRing& ring = view.graph.rings[pipe];
    const auto& socket = view.pipeline.pipes[pipe].socket;
    const double by = writing ? ring.full : ring.empty;
    if (!socket || !socket->tcp || !ring.known || by < share) continue;
    if (!(writing ? ring.readers : ring.writers).empty()) continue;
    most = pipe;
    share = by;
  }
  return most;
}

// Whether it is the network that is slow, or who is at its other end.
std::string connection_line(const JudgedPipeline& view, size_t pipe, bool writing) {
  const WaitRing& ring = view.graph.rings[pipe];
  const SocketLink& socket = *view.pipeline.pipes[pipe].socket;
  if (!writing)
    return fmt::format("the network: nothing to read {}, peer {}", percent(ring.empty),
                       socket.name);
  if (socket.retries >= kLostRetries)
    return fmt::format("the peer: {} has not answered {} times; send queue full {}", socket.name,
                       socket.retries, percent(ring.full));
  if (socket.peer_full_share >= kPeerFull)
    return fmt::format("the peer: {} has no room {} of the time; send queue full {}", socket.name,
                       percent(socket.peer_full_share), percent(ring.full));
  return fmt::format("the network: send queue full {}, peer {}", percent(ring.full), socket.name);
}

// Two processes that are here, with a network between them: one finds no room for more, and nothing
// arrives at the other.
std::optional<Verdict> network_between(const JudgedPipeline& view) {
  for (size_t i = 0; i < view.graph.rings.size(); ++i) {
    const WaitRing& ring = view.graph.rings[i];
    const auto& socket = view.pipeline.pipes[i].socket;
    if (!socket || !socket->tcp || !ring.known || ring.writers.empty() || ring.readers.empty() ||
        std::min(ring.full, ring.empty) < kBetween)
      continue;
    const std::string shares =
        socket->retries >= kLostRetries
            ? fmt::format("{} packets in a row are not answered", socket->retries)
            : fmt::format("send queue full {}, nothing to read {}", percent(ring.full),
                          percent(ring.empty));
    return blamed(Kind::outside, view, ring.writers[0], WaitsFor::network,
                  first_fitting({fmt::format("the network: between {} and {}, {}",
                                             names_of(view, ring.writers),
                                             names_of(view, ring.readers), shares),
                                 "the network: " + shares}));
  }
  return {};
}

// Who polls with data to send, room to send it, and its reader elsewhere.
std::optional<Verdict> answer_from_afar(const JudgedPipeline& view, const Culprit& culprit) {
  const StageActivity activity = activity_of(view, culprit.stage);
  if (activity.kind != StageActivity::Kind::waits || activity.wait != WaitsFor::poll) return {};
  for (const bool writing : {true, false})
    if (const auto pipe = far_connection(view, culprit.stage, writing, 0))
      return blamed(Kind::outside, view, culprit.stage, WaitsFor::network,
                    first_fitting({fmt::format("outside: {} waits in poll {}, for {} or by itself",
                                               who(view, culprit), percent(activity.share),
                                               view.pipeline.pipes[*pipe].socket->name)}));
  return {};
}

Verdict beyond(const JudgedPipeline& view, const Culprit& culprit) {
  const bool writing = !culprit.outside_reading;
  if (const auto pipe = far_connection(view, culprit.stage, writing, kBlame))
    return blamed(Kind::outside, view, culprit.stage, WaitsFor::network,
                  first_fitting({connection_line(view, *pipe, writing)}));
  const auto blocked = blocked_share(view, culprit.stage, writing);
  const auto waits = [&] {
    if (!blocked)
      return fmt::format("waits, by its ring: it is {} {}", writing ? "full" : "empty",
                         percent(writing ? view.graph.stages[culprit.stage].writing
                                         : view.graph.stages[culprit.stage].reading));
    if (*blocked < kOwnWork) return activity_text(view, culprit.stage);
    return fmt::format("waits {} {}", percent(*blocked), writing ? "to write" : "for input");
  };
  return blamed(
      Kind::outside, view, culprit.stage, writing ? WaitsFor::pipe_write : WaitsFor::pipe_read,
      first_fitting({fmt::format("outside: {} {}; its {} is not visible", who(view, culprit),
                                 waits(), writing ? "reader" : "writer")}));
}

// Another stage, of several threads, that runs on the CPUs that the culprit waits for: so much more
// than the culprit itself, which would run half as long again if it had one.
std::optional<size_t> who_takes_its_cpu(const JudgedPipeline& view, size_t culprit) {
  constexpr double kMuchMore = 1.5;
  const WaitStage& starved = view.graph.stages[culprit];
  if (!starved.known || starved.runnable < std::max(kLacksCpu, starved.on_cpu / 2)) return {};
  std::optional<size_t> most;
  double cpus = std::max(kOwnWork, kMuchMore * starved.on_cpu);
  for (const size_t i : stages_that(view.graph, [&](size_t stage) { return stage != culprit; })) {
    const Stage& stage = view.pipeline.stages[i];
    if (stage.threads > 1 && stage.shares.has_value() && stage.shares->cpu > cpus)
      most = i, cpus = stage.shares->cpu;
  }
  return most;
}

Verdict verdict_on(const JudgedPipeline& view, const Culprit& culprit) {
  if (const auto taker = who_takes_its_cpu(view, culprit.stage))
    return blamed(
        Kind::stage, view, *taker, WaitsFor::none,
        first_fitting({fmt::format(
            "bottleneck: {}; it keeps {:.1f} CPUs busy, and {} "
            "waits for a CPU {}",
            shown_name(view, *taker), view.pipeline.stages[*taker].shares->cpu,
            shown_name(view, culprit.stage), percent(view.graph.stages[culprit.stage].runnable))}));
  const WaitStage& stage = view.graph.stages[culprit.stage];
  if (culprit.outside_reading || culprit.outside_writing) return beyond(view, culprit);
  const std::string name = who(view, culprit);
  if (!stage.known)
    return said(Kind::unknown,
                first_fitting(
                    {fmt::format("unknown: all wait for {}, whose times are not visible", name)}));
  const StageActivity activity = activity_of(view, culprit.stage);
  if (auto found = answer_from_afar(view, culprit)) return *std::move(found);
  if (activity.wait == WaitsFor::stopped)
    return blamed(
        Kind::stopped, view, culprit.stage, activity.wait,
        with_evidence(fmt::format("{} was stopped {} of the time", name, percent(activity.share)),
                      view, culprit.stage, false));
  if (!is_outside(view.pipeline.stages[culprit.stage], stage, activity))
    return blamed(Kind::stage, view, culprit.stage, activity.wait,
                  with_evidence(fmt::format("bottleneck: {}", name), view, culprit.stage));
  const std::string line =
      stage.is_source
          ? with_evidence(fmt::format("outside: {} has no input", name), view, culprit.stage)
          : with_evidence(fmt::format("outside: {} {}", name, activity_text(view, culprit.stage)),
                          view, culprit.stage, false);
  return blamed(Kind::outside, view, culprit.stage, activity.wait, line);
}

// It waits for its child, and nobody for it: the pipe of make's jobserver, whose tokens move once a
// job.
std::optional<Verdict> keeps_tokens(const JudgedPipeline& view,
                                    const std::optional<Culprit>& culprit) {
  if (!culprit || !view.graph.stages[culprit->stage].known) return {};
  const WaitStage& waits = view.graph.stages[culprit->stage];
  for (const auto* pipes : {&waits.inputs, &waits.outputs})
    for (const size_t pipe : *pipes)
      if (const auto& rate = view.pipeline.pipes[pipe].bytes_per_s;
          rate.has_value() && *rate >= kData)
        return {};
  const auto takes_time = stages_that(view.graph, [&](size_t i) {
    const WaitStage& stage = view.graph.stages[i];
    return i != culprit->stage && (stage.waits() >= kOwnWork || stage.own >= kBusy);
  });
  if (!takes_time.empty() || activity_of(view, culprit->stage).wait != WaitsFor::child) return {};
  return said(Kind::idle,
              first_fitting({fmt::format("idle: {} waits for its child, and nobody for it",
                                         shown_name(view, culprit->stage))}));
}

bool waits_now(const JudgedPipeline& view, size_t stage) {
  const StageActivity::Kind kind = activity_of(view, stage).kind;
  return kind == StageActivity::Kind::waits || kind == StageActivity::Kind::peer;
}

std::optional<Verdict> idle(const JudgedPipeline& view) {
  const WaitGraph& graph = view.graph;
  if (!graph.still) return {};
  const auto has_to_do = stages_that(graph, [&](size_t i) {
    const WaitStage& stage = graph.stages[i];
    const double works = stage.on_cpu + stage.runnable + stage.elsewhere[size_t(WaitsFor::disk)];
    return stage.writing >= kHasData || works >= kHasWork ||
           (stage.known && stage.own >= kHasWork && !waits_now(view, i));
  });
  if (!has_to_do.empty()) return {};
  const auto culprit = culprit_of(view.graph);
  if (!culprit || !graph.stages[culprit->stage].known || culprit->outside_reading)
    return said(Kind::idle, "idle: all stages wait");
  // Who knows what its child does.
  if (activity_of(view, culprit->stage).wait == WaitsFor::child) return {};
  return said(Kind::idle,
              first_fitting({fmt::format("idle: {} {}", who(view, *culprit),
                                         activity_name(activity_of(view, culprit->stage)))}));
}

// A larger ring does not help who waits for others meanwhile, or for a CPU.
bool may_run_ahead(const JudgedPipeline& view, size_t number) {
  const Stage& stage = view.pipeline.stages[number];
  const WaitStage& graph = view.graph.stages[number];
  const auto is_socket = [&](size_t pipe) { return view.pipeline.pipes[pipe].socket.has_value(); };
  if (!stage.shares.has_value() || std::ranges::any_of(graph.inputs, is_socket) ||
      std::ranges::any_of(graph.outputs, is_socket))
    return false;
  const StageShares& shares = *stage.shares.value;
  const double outside =
      shares.elsewhere[size_t(WaitsFor::network)] + shares.elsewhere[size_t(WaitsFor::terminal)] +
      (stage.outside.value_or(false) ? shares.elsewhere[size_t(WaitsFor::poll)] : 0);
  return outside < kMostOutside && shares.runnable < kLacksCpu;
}

std::optional<Verdict> bursty(const JudgedPipeline& view, const std::optional<Culprit>& culprit) {
  if (culprit) {
    const WaitStage& stage = view.graph.stages[culprit->stage];
    if (stage.own >= kBusy || stage.sets_pace) return {};
  }
  std::optional<size_t> best;
  double most = 0;
  for (size_t i = 0; i < view.graph.rings.size(); ++i) {
    const WaitRing& ring = view.graph.rings[i];
    const auto& larger = view.pipeline.pipes[i].larger;
    const auto may = [&](size_t stage) { return may_run_ahead(view, stage); };
    if (!ring.known || ring.writers.size() != 1 || ring.readers.size() != 1 || !larger ||
        std::min(ring.empty, ring.full) < kBurst || larger->gain < most || !may(ring.writers[0]) ||
        !may(ring.readers[0]))
      continue;
    best = i;
    most = larger->gain;
  }
  if (!best) return {};
  const WaitRing& ring = view.graph.rings[*best];
  const Pipe& pipe = view.pipeline.pipes[*best];
  const std::string between = fmt::format("the pipe from {} to {}", names_of(view, ring.writers),
                                          names_of(view, ring.readers));
  const std::string shares =
      fmt::format("is full {} and empty {}", percent(ring.full), percent(ring.empty));
  const std::string gain =
      fmt::format("a ring of {}: about +{}", bytes_text(double(pipe.larger->bytes)),
                  percent(pipe.larger->gain));
  Verdict b =
      said(Kind::bursty, first_fitting({fmt::format("bursty: {} {}; {}", between, shares, gain),
                                        fmt::format("bursty: {}; {}", between, gain),
                                        fmt::format("bursty: a pipe {}; {}", shares, gain)}));
  b.evidence.push_back(fmt::format("{} {} ({} samples)", between, shares, pipe.level->samples));
  for (const bool writing : {true, false}) {
    const size_t stage = (writing ? ring.writers : ring.readers)[0];
    b.evidence.push_back(fmt::format("{} is blocked {} {}", shown_name(view, stage),
                                     writing ? "writing" : "reading",
                                     percent(*blocked_share(view, stage, writing))));
  }
  b.evidence.push_back(fmt::format("its bursts, replayed with {}", gain));
  return b;
}

Verdict balanced(const JudgedPipeline& view, const std::vector<size_t>& busy) {
  const auto each = [&](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += fmt::format("{}{} {}", i == 0 ? "" : "; ", shown_name(view, busy[i]),
                          activity_text(view, busy[i]));
    if (count < busy.size()) text += fmt::format("; and {} more", busy.size() - count);
    return text;
  };
  Verdict b =
      said(Kind::balanced,
           first_fitting({fmt::format("balanced: {}", each(busy.size())),
                          fmt::format("balanced: {}", each(std::min<size_t>(2, busy.size()))),
                          fmt::format("balanced: {} stages are busy", busy.size())}));
  for (const size_t stage : busy)
    b.evidence.push_back(fmt::format("{} {}", shown_name(view, stage), activity_text(view, stage)));
  return b;
}

// Each works for a while and waits for a while.
Verdict nobody(const JudgedPipeline& view) {
  std::vector<size_t> stages = stages_that(view.graph, [](size_t) { return true; });
  std::ranges::stable_sort(stages, [&](size_t a, size_t b) {
    return view.graph.stages[a].own > view.graph.stages[b].own;
  });
  const auto unknown =
      std::ranges::find_if(stages, [&](size_t stage) { return !view.graph.stages[stage].known; });
  if (unknown != stages.end())
    return said(Kind::unknown, fmt::format("unknown: no times for {}", shown_name(view, *unknown)));
  std::string line = "balanced: no stage holds up the others";
  std::vector<std::string> evidence;
  for (const size_t stage : stages)
    evidence.push_back(fmt::format("{} {}", shown_name(view, stage), activity_text(view, stage)));
  if (evidence.size() > 1)
    line = first_fitting({fmt::format("{}: {}, {}", line, evidence[0], evidence[1]), line});
  Verdict b = said(Kind::balanced, std::move(line));
  b.evidence = std::move(evidence);
  return b;
}

Verdict by_blame(const JudgedPipeline& view) {
  const std::optional<Culprit> culprit = culprit_of(view.graph);
  if (auto found = keeps_tokens(view, culprit)) return *std::move(found);
  if (auto found = network_between(view)) return *std::move(found);
  const std::vector<size_t> busy = busy_stages(view.graph);
  if (busy.size() > 1) return balanced(view, busy);
  if (busy.empty())
    if (auto found = bursty(view, culprit)) return *std::move(found);
  return culprit ? verdict_on(view, *culprit) : nobody(view);
}

}  // namespace

Verdict judge_pipeline(const Pipeline& pipeline) {
  const WaitGraph graph = wait_graph_of(pipeline);
  const JudgedPipeline view{pipeline, graph};
  using Rule = std::optional<Verdict> (*)(const JudgedPipeline&);
  const auto first = first_of<Rule>({nothing_to_see, stopped, too_little, deadlock, idle}, view);
  Verdict found = first ? *first : by_blame(view);
  for (std::string& clause : circumstances(view)) found.evidence.push_back(std::move(clause));
  found.advice = advice_on(view, found);
  return found;
}

}  // namespace pipetop
