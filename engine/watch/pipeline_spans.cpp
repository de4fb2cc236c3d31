#include "engine/watch/pipeline_spans.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/graph_order.h"
#include "engine/base/text.h"
#include "engine/judge/change_rules.h"

namespace pipetop {

using observe::RingTally;
using observe::ThreadId;
using observe::ThreadTimes;

namespace {

// Of shorter sleeps some of the time is that of filling and draining.
constexpr uint64_t kLongSleep_ns = kMs;
constexpr uint64_t kMarks = 10;         // that a window is made of
constexpr double kLeastInPipes = 0.05;  // of its time, of a thread that moves data
constexpr uint64_t kMuchOf = 10;        // a tenth of the bytes of all threads is much

uint64_t minus(uint64_t now, uint64_t before) { return now > before ? now - before : 0; }

uint64_t in_pipes_ns(const ThreadTimes& times) {
  return times.wait_ns[static_cast<size_t>(WaitsFor::pipe_read)] +
         times.wait_ns[static_cast<size_t>(WaitsFor::pipe_write)] + times.peer_ns;
}

uint64_t busy_ns(const ThreadTimes& times) { return times.on_cpu_ns + times.runnable_ns; }

// The thread that moves the data: the one that waits longest for pipes, or the busiest.
const ThreadTimes& mover(const std::vector<ThreadTimes>& threads) {
  const ThreadTimes& waits = *std::ranges::max_element(threads, {}, in_pipes_ns);
  if (double(in_pipes_ns(waits)) >= kLeastInPipes * double(waits.wall_ns)) return waits;
  return *std::ranges::max_element(threads, {}, busy_ns);
}

double busiest_other(const std::vector<ThreadTimes>& threads, const ThreadTimes& mover) {
  uint64_t most_ns = 0;
  for (const ThreadTimes& thread : threads)
    if (&thread != &mover) most_ns = std::max(most_ns, busy_ns(thread));
  return std::min(1.0, double(most_ns) / double(std::max<uint64_t>(mover.wall_ns, 1)));
}

StageShares shares_of(const ThreadTimes& thread) {
  const double wall = double(std::max<uint64_t>(thread.wall_ns, 1));
  StageShares shares;
  shares.on_cpu = double(thread.on_cpu_ns) / wall;
  shares.runnable = double(thread.runnable_ns) / wall;
  shares.peer = double(thread.peer_ns) / wall;
  for (size_t i = 0; i < shares.elsewhere.size(); ++i) {
    const double share = double(thread.wait_ns[i]) / wall;
    switch (static_cast<WaitsFor>(i)) {
      case WaitsFor::none:
        break;
      case WaitsFor::pipe_read:
        shares.reading = share;
        break;
      case WaitsFor::pipe_write:
        shares.writing = share;
        break;
      default:
        shares.elsewhere[i] = share;
    }
  }
  return shares;
}

// Longest first.
std::vector<ThreadPipe> pipes_of(const ThreadTimes& thread) {
  std::vector<ThreadPipe> pipes;
  for (const observe::PipeWait& wait : thread.pipes)
    if (wait.ns > 0)
      pipes.push_back({wait.pipe, wait.writing,
                       double(wait.ns) / double(std::max<uint64_t>(thread.wall_ns, 1))});
  std::ranges::sort(pipes, std::greater(), &ThreadPipe::share);
  return pipes;
}

// Rates count only once a change has had time to take effect: a ring that was resized is
// renumbered, and its estimate begins anew.
constexpr uint64_t kSettle_ns = 500 * kMs;
constexpr uint64_t kLastSeconds_ns = 10 * kSecond;
constexpr size_t kMostMarks = 200;

const Pipe* find(const Pipeline& pipeline, std::optional<PipeId> id) {
  const auto found =
      std::ranges::find_if(pipeline.pipes, [&](const Pipe& p) { return p.id == id; });
  return found == pipeline.pipes.end() ? nullptr : &*found;
}

// Of what is connected with this pipe, or of all: the first pipe that two processes share, before
// those that are closed.
std::optional<PipeId> first_pipe_with(const Pipeline& seen, std::optional<PipeId> one) {
  Joined joined(seen.stages.size() + seen.pipes.size());
  for (size_t i = 0; i < seen.pipes.size(); ++i)
    for (const auto* ends : {&seen.pipes[i].writers, &seen.pipes[i].readers})
      for (const size_t stage : active_stages(*ends))
        joined.join(uint32_t(stage), uint32_t(seen.stages.size() + i));
  const auto part_of = [&](const Pipe* pipe) {
    return joined.root(uint32_t(seen.stages.size() + size_t(pipe - seen.pipes.data())));
  };
  const Pipe *const changed = find(seen, one), *found = nullptr;
  for (const Pipe& pipe : seen.pipes) {
    if (pipe.own || (changed && part_of(&pipe) != part_of(changed))) continue;
    if (!found || (found->closed && !pipe.closed)) found = &pipe;
  }
  return found ? std::optional(found->id) : one;
}

// Takes the intervals that began at this time or later.
Reading<RateStats> stats_since(const Pipe& pipe, uint64_t from_ns) {
  std::vector<double> rates;
  uint64_t last_ns = UINT64_MAX;
  for (const RatePoint& point : pipe.rates) {
    if (last_ns >= from_ns && last_ns != UINT64_MAX) rates.push_back(point.rate);
    last_ns = point.at_ns;
  }
  if (rates.empty()) return Reading<RateStats>::warming("too short to measure its rate");
  const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / double(rates.size());
  const std::vector<double> in_order = rates;
  std::ranges::sort(rates);
  return Reading<RateStats>::of(rate_stats(rates, mean, in_order));
}

Reading<Occupancy> occupancy_of(const Reading<RingLevel>& level) {
  if (!level.has_value()) return {level.status, {}, level.reason};
  Occupancy occupancy;
  static_cast<RingLevel&>(occupancy) = *level;
  occupancy.source = "samples";
  return Reading<Occupancy>::of(std::move(occupancy));
}

// What samples say, and what sleeps do: who sleeps in a read found the ring empty until it was
// woken, who sleeps in a write found it full. A cycle that is about as long as some periods of the
// samples would be seen at the same few moments again and again.
RingLevel within(const RingLevel& sampled, double reading, double writing) {
  if (reading + writing > 1) return sampled;
  RingLevel level = sampled;
  level.empty_share = std::clamp(sampled.empty_share, reading, 1 - writing);
  level.full_share = std::clamp(sampled.full_share, writing, 1 - reading);
  const double between = 1 - sampled.empty_share - sampled.full_share;
  const double mean =
      between > 0 ? std::clamp((sampled.mean_share - sampled.full_share) / between, 0.0, 1.0) : 0.5;
  level.mean_share =
      std::clamp(level.full_share + mean * (1 - level.empty_share - level.full_share), 0.0, 1.0);
  return level;
}

// There is nothing to settle in the first one.
uint64_t settled_ns(const Segment& segment) {
  return segment.begin_ns + (segment.number > 1 ? kSettle_ns : 0);
}

}  // namespace

void PipelineWindow::add(uint64_t now_ns, const std::vector<ThreadTimes>& times,
                         const std::vector<RingTally>& samples) {
  now_ns_ = now_ns;
  for (const ThreadTimes& thread : times) {
    Counted& counted = latest_.threads[{thread.process, thread.tid}];
    counted.times = thread;
    counted.at_ns = now_ns;
  }
  for (const RingTally& ring : samples) latest_.rings[ring.pipe] = ring;
  const uint64_t step_ns = window_ns_ / kMarks;
  if (marks_.empty() || now_ns >= marks_.back().at_ns + step_ns) {
    marks_.push_back({now_ns, latest_});
    drop_old_marks();
  }
}

void PipelineWindow::keep(const std::set<ProcessId>& processes, const std::set<PipeId>& pipes) {
  std::erase_if(latest_.threads,
                [&](const auto& entry) { return !processes.contains(entry.first.process); });
  std::erase_if(latest_.rings, [&](const auto& entry) { return !pipes.contains(entry.first); });
}

void PipelineWindow::clear() {
  restart();
  latest_ = {};
}

void PipelineWindow::drop_old_marks() {
  if (window_ns_ == kAllTime) return;
  const uint64_t begin_ns = minus(now_ns_, window_ns_);
  while (marks_.size() > 1 && marks_[1].at_ns <= begin_ns) marks_.pop_front();
  const uint64_t oldest_ns = marks_.front().at_ns;
  std::erase_if(latest_.threads, [&](const auto& entry) { return entry.second.at_ns < oldest_ns; });
  // Those that are still looked at come back with the next add().
  const auto& oldest = marks_.front().counts.rings;
  std::erase_if(latest_.rings, [&](const auto& entry) {
    const auto before = oldest.find(entry.first);
    return before != oldest.end() && before->second.samples == entry.second.samples;
  });
}

ThreadTimes PipelineWindow::since_mark(const ThreadId& id, const ThreadTimes& now) const {
  ThreadTimes since = now;
  const auto& threads = marks_.front().counts.threads;
  const auto found = threads.find(id);
  if (found == threads.end()) return since;  // it is watched since then
  const ThreadTimes& before = found->second.times;
  since.wall_ns = minus(now.wall_ns, before.wall_ns);
  since.on_cpu_ns = minus(now.on_cpu_ns, before.on_cpu_ns);
  since.runnable_ns = minus(now.runnable_ns, before.runnable_ns);
  for (size_t i = 0; i < since.wait_ns.size(); ++i)
    since.wait_ns[i] = minus(now.wait_ns[i], before.wait_ns[i]);
  since.peer_ns = minus(now.peer_ns, before.peer_ns);
  for (observe::PipeWait& wait : since.pipes)
    for (const observe::PipeWait& old : before.pipes)
      if (old.pipe == wait.pipe && old.writing == wait.writing) wait.ns = minus(wait.ns, old.ns);
  return since;
}

ProcessIo PipelineWindow::io_since_mark(const ThreadId& id, const ProcessIo& now) {
  const auto found = latest_.threads.find(id);
  if (found == latest_.threads.end() || marks_.empty()) return {};
  found->second.io = now;
  if (!found->second.first_io) found->second.first_io = now;
  const auto& threads = marks_.front().counts.threads;
  const auto mark = threads.find(id);
  const ProcessIo before =
      mark != threads.end() && mark->second.io ? *mark->second.io : *found->second.first_io;
  return {minus(now.read_bytes, before.read_bytes), minus(now.written_bytes, before.written_bytes)};
}

StageThread PipelineWindow::thread(const ScannedTask& task, const ScanIndex& index) const {
  StageThread view{task.tid, one_line(task.comm), stage_state_of({&task, 1}, index), {}, {}};
  const auto found = latest_.threads.find({task.process, task.tid});
  if (found == latest_.threads.end() || marks_.empty()) {
    view.shares = Reading<StageShares>::warming("not counted");
    return view;
  }
  const ThreadTimes since = since_mark(found->first, found->second.times);
  if (since.wall_ns < kLeast_ns) {
    view.shares = Reading<StageShares>::warming("window too short");
    return view;
  }
  view.shares = Reading<StageShares>::of(shares_of(since));
  view.shares.value->cpu = view.shares->on_cpu;
  view.reads = view.shares->reading > 0;
  view.writes = view.shares->writing > 0;
  view.pipes = pipes_of(since);
  return view;
}

std::vector<StageThread> PipelineWindow::threads(
    ProcessId process, const ScanIndex& index,
    const std::function<std::optional<ProcessIo>(pid_t tid)>& io) {
  std::vector<StageThread> views;
  for (const ScannedTask& task : index.threads(process))
    if (!task.zombie) views.push_back(thread(task, index));
  std::ranges::stable_sort(views, std::greater(), [](const StageThread& view) {
    return view.shares.has_value() ? view.shares->on_cpu + view.shares->runnable : -1;
  });
  views.resize(std::min(views.size(), Stage::kMostThreads));
  // Who never waits, because there is always data or room, is known by its bytes.
  std::vector<ProcessIo> moved;
  uint64_t read = 0, written = 0;
  for (const StageThread& view : views) {
    const std::optional<ProcessIo> now = io ? io(view.tid) : std::nullopt;
    moved.push_back(now ? io_since_mark({process, view.tid}, *now) : ProcessIo());
    read += moved.back().read_bytes;
    written += moved.back().written_bytes;
  }
  for (size_t i = 0; i < views.size(); ++i) {
    const auto is_much = [](uint64_t own, uint64_t all) { return own > 0 && own >= all / kMuchOf; };
    views[i].reads = views[i].reads || is_much(moved[i].read_bytes, read);
    views[i].writes = views[i].writes || is_much(moved[i].written_bytes, written);
  }
  return views;
}

Reading<StageShares> PipelineWindow::shares(ProcessId process, uint64_t least_ns) const {
  return times(process, least_ns).shares;
}

StageTimes PipelineWindow::times(ProcessId process, uint64_t least_ns) const {
  using Shares = Reading<StageShares>;
  if (marks_.empty()) return {Shares::warming("no sample yet")};
  std::vector<ThreadTimes> threads;
  uint64_t cpu_ns = 0, wall_ns = 0;
  const auto first = latest_.threads.lower_bound({process, 0});
  for (auto it = first; it != latest_.threads.end() && it->first.process == process; ++it) {
    threads.push_back(since_mark(it->first, it->second.times));
    cpu_ns += threads.back().on_cpu_ns;
    wall_ns = std::max(wall_ns, threads.back().wall_ns);
  }
  if (wall_ns < least_ns) return {Shares::warming("window too short")};
  const ThreadTimes& moves = mover(threads);
  StageShares shares = shares_of(moves);
  shares.busiest_other = busiest_other(threads, moves);
  shares.cpu = double(cpu_ns) / double(wall_ns);
  return {Shares::of(shares), pipes_of(moves), wall_ns};
}

Reading<RingLevel> PipelineWindow::ring(PipeId pipe) const {
  using Shares = Reading<RingLevel>;
  const auto found = latest_.rings.find(pipe);
  if (found == latest_.rings.end() || marks_.empty()) return Shares::warming("no sample yet");
  RingTally since = found->second;
  const auto& before = marks_.front().counts.rings;
  if (const auto mark = before.find(pipe); mark != before.end()) {
    since.samples = minus(since.samples, mark->second.samples);
    since.empty = minus(since.empty, mark->second.empty);
    since.full = minus(since.full, mark->second.full);
    since.used_share -= mark->second.used_share;
  }
  if (since.samples == 0) return Shares::warming("no sample yet");
  const auto samples = static_cast<double>(since.samples);
  const RingLevel sampled = {std::clamp(since.used_share / samples, 0.0, 1.0),
                             double(since.empty) / samples, double(since.full) / samples,
                             since.samples};
  return Shares::of(within(sampled, slept_in(pipe, false), slept_in(pipe, true)));
}

double PipelineWindow::slept_in(PipeId pipe, bool writing) const {
  const auto wait_in = [&](const ThreadTimes& times) -> uint64_t {
    const auto found = std::ranges::find_if(times.pipes, [&](const observe::PipeWait& wait) {
      return wait.pipe == pipe && wait.writing == writing;
    });
    return found == times.pipes.end() ? 0 : found->ns;
  };
  uint64_t most_ns = 0;
  for (const auto& [id, now] : latest_.threads) {
    uint64_t ns = wait_in(now.times), sleeps = now.times.sleeps;
    if (ns == 0) continue;
    const auto& threads = marks_.front().counts.threads;
    if (const auto before = threads.find(id); before != threads.end()) {
      ns = minus(ns, wait_in(before->second.times));
      sleeps = minus(sleeps, before->second.times.sleeps);
    }
    if (sleeps > 0 && ns / sleeps >= kLongSleep_ns) most_ns = std::max(most_ns, ns);
  }
  return length_ns() > 0 ? double(most_ns) / double(length_ns()) : 0;
}

WatchSegments::WatchSegments(uint64_t now_ns) {
  current_.number = 1;
  current_.label = "start";
  current_.begin_ns = now_ns;
}

std::optional<PipeId> WatchSegments::measured_in(const Pipeline& seen) const {
  return measured_ ? measured_ : first_pipe_with(seen, {});
}

Segment WatchSegments::present(uint64_t now_ns, const Pipeline& seen,
                               std::optional<PipeId> measured,
                               std::optional<PipeId> changed) const {
  Segment segment = current_;
  segment.duration_ns = now_ns - current_.begin_ns;
  segment.rate = Reading<RateStats>::unavailable("its pipe is gone");
  const Pipe* const pipe = find(seen, measured);
  if (!pipe) return segment;
  segment.rate = stats_since(*pipe, settled_ns(current_));
  const Pipe* const ring = find(seen, changed);
  segment.pipe_bytes = (ring ? ring : pipe)->capacity.value_or(0);
  segment.occupancy = occupancy_of((ring ? ring : pipe)->level);
  if (measured == measured_in(seen))
    segment.items =
        pipe->total_bytes.value_or(0) - std::min(pipe->total_bytes.value_or(0), begin_bytes_);
  return segment;
}

void WatchSegments::begin(uint64_t now_ns, const Pipeline& seen, std::vector<SegmentRole> stages,
                          std::optional<PipeId> changed, std::string label, std::string key) {
  const std::optional<PipeId> before = measured_in(seen);
  const std::optional<PipeId> measured = changed ? first_pipe_with(seen, changed) : before;
  if (!changed) changed = changed_;
  Segment closed = present(now_ns, seen, before, changed_);
  closed.stages = std::move(stages);
  if (reference_) closed.change = explain_change(*reference_, closed, kPipelineTerms);
  Segment reference = present(now_ns, seen, measured, changed);
  reference.stages = closed.stages;
  reference_ = std::make_shared<const Segment>(std::move(reference));
  log_.add(std::move(closed));
  current_ = {};
  current_.number = reference_->number + 1;
  current_.label = std::move(label);
  current_.key = std::move(key);
  current_.begin_ns = now_ns;
  measured_ = measured;
  changed_ = changed;
  const Pipe* const pipe = find(seen, measured);
  begin_bytes_ = pipe ? pipe->total_bytes.value_or(0) : 0;
  marks_.push_back({now_ns, current_.key});
  if (marks_.size() > kMostMarks) marks_.erase(marks_.begin());
}

Throughput WatchSegments::throughput(uint64_t now_ns, const Pipeline& seen) const {
  Throughput view;
  const std::optional<PipeId> measured = measured_in(seen);
  view.current = present(now_ns, seen, measured, changed_);
  view.marks = marks_;
  view.clock_ns = now_ns;
  log_.describe(view);
  if (reference_) view.previous = reference_;
  const Pipe* const pipe = find(seen, measured);
  if (!pipe) return view;
  view.over_1s = pipe->bytes_per_s;
  view.over_100ms =
      pipe->rates.empty() ? pipe->bytes_per_s : Reading<double>::of(pipe->rates.back().rate);
  view.over_10s = stats_since(
      *pipe, std::max(now_ns - std::min(now_ns, kLastSeconds_ns), current_.begin_ns + kSettle_ns));
  view.history = pipe->rates;
  view.total_items = pipe->total_bytes.value_or(0);
  return view;
}

Reading<Change> WatchSegments::change(Segment current, std::vector<SegmentRole> stages) const {
  if (!reference_) return Reading<Change>::unavailable("it is the first segment");
  current.stages = std::move(stages);
  return explain_change(*reference_, current, kPipelineTerms);
}

std::vector<SegmentRole> stages_of(const Pipeline& seen, const SharesOf& shares_of) {
  std::vector<SegmentRole> stages;
  for (const Stage& stage : seen.stages) {
    SegmentRole& role = stages.emplace_back();
    role.shares = time_shares(shares_of ? shares_of(stage) : stage.shares);
    role.functions = stage.functions;
    role.blocked =
        Reading<BlockedTable>::unavailable("where a watched stage sleeps is not sampled");
    role.name = stage.name;
    role.id = stage.id;
  }
  return stages;
}

TimeShares time_shares(const Reading<StageShares>& seen) {
  if (!seen.has_value()) {
    const Reading<double> none = {seen.status, {}, seen.reason};
    return {none, none, none, {seen.status, {}, seen.reason}};
  }
  const StageShares& s = *seen;
  const double blocked =
      std::accumulate(s.elsewhere.begin(), s.elsewhere.end(), s.reading + s.writing);
  return {Reading<double>::of(s.on_cpu), Reading<double>::of(s.runnable),
          Reading<double>::of(blocked), Reading<Waits>::of({s.reading, s.writing, s.elsewhere})};
}

KeptSegment keep_segment(const Snapshot& now) {
  Segment segment = now.throughput.current;
  segment.stages = stages_of(*now.watched);
  KeptSegment kept;
  for (const Pipe& pipe : now.watched->pipes)
    kept.rates[pipe.id] = stats_since(pipe, settled_ns(segment));
  kept.segment = std::make_shared<const Segment>(std::move(segment));
  return kept;
}

Reading<Change> change_since(const KeptSegment& kept, const Snapshot& now) {
  if (now.throughput.current.number == kept.segment->number)
    return Reading<Change>::unavailable("nothing was changed since");
  Segment before = *kept.segment, after = now.throughput.current;
  const auto rate = kept.rates.find(now.watched->measured.value_or(PipeId{}));
  before.rate =
      rate == kept.rates.end() ? Reading<RateStats>::unavailable("its pipe is new") : rate->second;
  after.stages = stages_of(*now.watched);
  return explain_change(before, after, kPipelineTerms);
}

}  // namespace pipetop
