#include "engine/watch/open_pipeline.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "engine/base/clock.h"
#include "engine/judge/verdict.h"
#include "engine/watch/outside.h"

namespace pipetop {

using observe::PipeWait;
using observe::ThreadTimes;

namespace {

constexpr uint64_t kStageFacts_ns = kSecond;  // after so long nice, CPUs and command are read again
constexpr uint64_t kThreads_ns = kSecond / 2;    // after so long its threads are listed again
constexpr size_t kFramesPerSample = 16;          // each takes some 20 us
constexpr uint64_t kLeastOfAll_ns = 10 * kMs;    // of a stage's whole life, that shares are told of
constexpr uint32_t kPollLooks = 60;              // of some seconds
constexpr size_t kForkers = 64;                  // stages that are asked for their children
constexpr uint64_t kFlow_ns = 60 * kSecond;      // of which bursts are remembered
constexpr uint64_t kLeastFlow_ns = 5 * kSecond;  // that they are judged by, if there is so much
constexpr uint64_t kLimits_ns = 3 * kSecond;     // totals that are older are of another time

constexpr const char* kClosed = "the pipe is closed";

// Past the end if it is no stage.
size_t place_in(const std::map<ProcessId, size_t>& places, ProcessId process) {
  const auto found = places.find(process);
  return found == places.end() ? places.size() : found->second;
}

}  // namespace

OpenPipeline::OpenPipeline(WatchParts& parts, const WatchOptions& options, WatchTable& table,
                           PipelineMembers members,
                           std::unique_ptr<PipelineInstruments> instruments)
    : parts_(parts),
      options_(options),
      table_(table),
      members_(std::move(members)),
      instruments_(std::move(instruments)),
      io_rates_(parts),
      quotas_(parts.read_quotas),
      knows_exits_(parts.scanner->list_exits()),
      window_(options.window_ns),
      segments_(parts.now_ns()) {
  if (instruments_->counts_children_since_ns()) counts_.emplace();
}

OpenPipeline::~OpenPipeline() {
  parts_.scanner->set_open({});
  for (const auto& entry : pipes_)
    if (KnownPipe* known = table_.known(entry.first)) {
      known->is_open = false;
      known->history.stop_counting();
    }
}

void OpenPipeline::pass(uint64_t now_ns) {
  for (const MovingEnd& end : std::exchange(unplaced_, {}))
    if (table_.known(end.pipe)) table_.moving().insert(end);
  if (counts_) take_bytes();
  exited_.see(table_.scan());
  members_.update(table_.scan(), table_.index(), table_.shapes(), table_.moving(), now_ns);
  std::map<PipeId, Pipe> left = std::exchange(pipes_, {});
  for (const PipeId id : members_.pipes()) {
    Pipe& pipe = pipes_[id];
    if (const auto before = left.extract(id)) pipe = std::move(before.mapped());
    pipe.id = id;
    KnownPipe* known = table_.known(id);
    if (!known) continue;
    known->is_open = true;
    known->history.track();
    pipe.path = known->path;
    if (counts_ && !known->history.is_counted_by_kernel())
      begin_to_count(now_ns, id, known->history);
  }
  for (const auto& entry : left)
    if (KnownPipe* known = table_.known(entry.first)) {
      known->is_open = false;
      known->history.stop_counting();
    }
  forget_others();
  quotas_.forget(now_ns - std::min(now_ns, kLimits_ns));
  const std::vector<PipeId> open = members_.pipes();
  parts_.scanner->set_open({open.begin(), open.end()});
  if (counts_)
    counts_->forget([&](PipeId id) { return !table_.known(id) && !pipes_.contains(id); },
                    [&](ProcessId id) { return !stages_.contains(id); });
  if (members_.left_out() > 0 && !std::exchange(said_left_out_, true))
    notices_.push_back(
        fmt::format("{} more processes and pipes belong to this pipeline; {} of "
                    "each are shown",
                    members_.left_out(), size_t{PipelineMembers::kMost}));
  has_passed_ = true;
  children_.clear();  // what they have now the pass has seen
  notice_forks();
  wants_pass_ = false;
}

// A script that runs for weeks has had many stages and pipes.
void OpenPipeline::forget_others() {
  const std::vector<ProcessId> stages = members_.stages();
  std::set<ProcessId> processes(stages.begin(), stages.end());
  processes.insert(members_.holders().begin(), members_.holders().end());
  std::erase_if(stages_, [&](const auto& entry) { return !processes.contains(entry.first); });
  for (const ProcessId id : processes) stages_[id].view.id = id;
  const std::vector<PipeId> pipes = members_.pipes();
  for (PipelineWindow* window : {&since_change_, &all_time_})
    window->keep(processes, {pipes.begin(), pipes.end()});
  std::erase_if(seen_, [&](const auto& entry) { return !pipes_.contains(entry.first); });
  std::erase_if(flows_, [&](const auto& entry) { return !pipes_.contains(entry.first); });
  std::erase_if(looks_, [&](const auto& entry) { return !pipes_.contains(entry.first); });
  exited_.keep(processes);
  std::erase_if(counted_wholly_, [&](PipeId pipe) { return !pipes_.contains(pipe); });
}

std::vector<ProcessId> OpenPipeline::processes() const {
  std::vector<ProcessId> processes;
  for (const auto& [id, record] : stages_)
    if (!record.view.gone) processes.push_back(id);
  return processes;
}

bool OpenPipeline::is_gone(ProcessId process) const {
  const auto found = stages_.find(process);
  return found == stages_.end() || found->second.view.gone;
}

// Nobody tells when a stage forks, but its list of children does.
void OpenPipeline::notice_forks() {
  std::vector<pid_t> parents;
  if (members_.tree()) parents.push_back(members_.tree()->root());
  for (const ProcessId process : processes()) parents.push_back(process.pid);
  parents.resize(std::min(parents.size(), kForkers));
  for (const pid_t parent : parents) {
    std::vector<pid_t> children = parts_.children_of(parent);
    const auto [known, is_new] = children_.try_emplace(parent, children);
    if (is_new || known->second == children) continue;
    known->second = std::move(children);
    wants_pass_ = true;
  }
}

void OpenPipeline::sample(uint64_t now_ns) {
  const std::vector<ProcessId> processes = this->processes();
  PipeScan scan;
  scan.at_ns = now_ns;
  if (!processes.empty()) scan = scan_of(processes);
  if (is_cut_ && !std::exchange(has_passed_, false)) return;
  const ScanIndex index(scan);
  table_.see(scan, index);
  sample_pipes(scan, index);
  sample_times(scan, now_ns);
  sample_stages(scan, index, now_ns);
  sample_rings(scan);
  notice_forks();
  // What has not begun yet may be over before the next pass.
  if (members_.tree() && members_.empty()) wants_pass_ = true;
  if (!members_.empty()) make_view(scan, index, now_ns);
  say_end();
}

PipeScan OpenPipeline::scan_of(std::span<const ProcessId> processes) {
  PipeScan scan;
  if (!is_cut_) scan = parts_.scanner->scan(processes);
  if (!is_cut_ && scan.is_cut) {
    is_cut_ = true;
    notices_.emplace_back(
        "too many descriptors for 20 samples a second: sampled with all pipes of the machine "
        "instead");
  }
  return !is_cut_ ? std::move(scan) : has_passed_ ? part_of_pass(processes) : PipeScan();
}

// What a scan of these processes would have found then, in its pipes.
PipeScan OpenPipeline::part_of_pass(std::span<const ProcessId> processes) const {
  const std::set<ProcessId> wanted(processes.begin(), processes.end());
  const PipeScan& all = table_.scan();
  PipeScan scan;
  scan.at_ns = all.at_ns;
  scan.source = all.source;
  for (const auto& entry : pipes_) {
    const ScannedPipe* const found = table_.index().pipe(entry.first);
    if (!found) continue;
    ScannedPipe& pipe = scan.pipes.emplace_back(*found);
    std::erase_if(pipe.ends, [&](const PipeEnd& end) { return !wanted.contains(end.process); });
    if (pipe.ends.empty()) scan.pipes.pop_back();
  }
  std::ranges::copy_if(all.tasks, std::back_inserter(scan.tasks),
                       [&](const ScannedTask& task) { return wanted.contains(task.process); });
  return scan;
}

void OpenPipeline::sample_pipes(const PipeScan& scan, const ScanIndex& index) {
  if (counts_) take_bytes();
  if (table_.scan().source == ScanSource::proc) measure_io(scan);
  const std::set<PipeId> waited_for = pipes_waited_for(scan, index);
  for (const ScannedPipe& pipe : scan.pipes) {
    KnownPipe* known = table_.known(pipe.id);
    if (!known) wants_pass_ = true;  // a stage has opened another one
    if (!known || !pipes_.contains(pipe.id)) continue;
    if (known->history.exact()) known->history.count(pipe.at_ns, counts_->of(pipe.id));
    known->history.add_sample(pipe, options_.window_ns, !pipe.ring && waited_for.contains(pipe.id));
  }
}

void OpenPipeline::measure_io(const PipeScan& scan) {
  const Families families(scan.tasks);
  std::vector<std::vector<bool>> active;
  for (const ScannedPipe& pipe : scan.pipes)
    active.push_back(active_ends(pipe, table_.moving(), families));
  io_rates_.update(scan, active, [&](const ScannedPipe& pipe, std::optional<uint64_t> bytes) {
    KnownPipe* known = table_.known(pipe.id);
    if (known && known->is_open) known->history.add(pipe.at_ns, bytes);
  });
}

void OpenPipeline::sample_times(const PipeScan& scan, uint64_t now_ns) {
  const std::set<ProcessId> holders(members_.holders().begin(), members_.holders().end());
  std::vector<ScannedTask> threads;
  for (const ScannedTask& task : scan.tasks)
    if (!task.zombie && !holders.contains(task.process)) threads.push_back(task);
  std::vector<ScannedPipe> pipes;
  for (const ScannedPipe& pipe : scan.pipes)
    if (pipes_.contains(pipe.id)) pipes.push_back(pipe);
  if (instruments_->watch(scan, threads, pipes)) {  // another one counts from now on
    for (PipelineWindow* window : {&window_, &since_change_, &all_time_}) window->clear();
  }
  const uint64_t at_ns = std::max(now_ns, scan.at_ns);
  const std::vector<ThreadTimes> times = instruments_->observer().times(at_ns);
  const std::vector<observe::RingTally> samples = instruments_->samples();
  for (PipelineWindow* window : {&window_, &since_change_, &all_time_})
    window->add(at_ns, times, samples);
  for (const ThreadTimes& thread : times)
    for (const PipeWait& wait : thread.pipes)
      if (wait.ns > 0 && pipes_.contains(wait.pipe))
        table_.moving().insert({wait.pipe, thread.process, wait.writing});
  note_flow(pipes, times, at_ns);
}

// What larger_ring() replays. Without BPF there are no times of pipes.
void OpenPipeline::note_flow(std::span<const ScannedPipe> pipes,
                             const std::vector<ThreadTimes>& times, uint64_t at_ns) {
  if (instruments_->is_coarse()) return flows_.clear();
  for (const ScannedPipe& pipe : pipes) {
    if (!pipe.ring) continue;
    FlowPoint point{at_ns, pipe.ring->head, pipe.ring->tail};
    for (const ThreadTimes& thread : times)
      for (const PipeWait& wait : thread.pipes)
        if (wait.pipe == pipe.id) (wait.writing ? point.writer_ns : point.reader_ns) += wait.ns;
    std::vector<FlowPoint>& flow = flows_[pipe.id];
    // A thread has exited, or the ring was resized, which renumbers it.
    if (!flow.empty() &&
        (point.writer_ns < flow.back().writer_ns || point.reader_ns < flow.back().reader_ns ||
         int32_t(point.head - flow.back().head) < 0 || int32_t(point.tail - flow.back().tail) < 0))
      flow.clear();
    if (flow.empty() || at_ns > flow.back().at_ns) flow.push_back(point);
    if (flow.front().at_ns + kFlow_ns < at_ns) flow.erase(flow.begin());
  }
}

// Of the ring that is most often both full and empty, by its bursts in the last part of the time.
void OpenPipeline::find_larger_ring(Pipeline& view, uint64_t window_ns) const {
  const auto both = [](const Pipe& pipe) {
    if (!pipe.level.has_value()) return 0.0;
    return std::min(pipe.level->empty_share, pipe.level->full_share);
  };
  const auto worst = std::ranges::max_element(view.pipes, {}, both);
  for (Pipe& pipe : view.pipes) pipe.larger.reset();
  if (worst == view.pipes.end() || both(*worst) < kBurst || !worst->capacity) return;
  const auto flow = flows_.find(worst->id);
  if (flow == flows_.end() || flow->second.empty()) return;
  const uint64_t end_ns = flow->second.back().at_ns;
  const auto first = std::ranges::lower_bound(flow->second, end_ns - std::min(end_ns, window_ns),
                                              {}, &FlowPoint::at_ns);
  worst->larger = larger_ring({first, flow->second.end()}, *worst->capacity);
}

// For the advice: of the stage to blame, or of those that are busy if several are. What was found
// stays said of a stage.
void OpenPipeline::ask_for_limits(uint64_t now_ns) {
  const Verdict& verdict = verdict_.shown();
  if (!parts_.read_limits) return;
  for (auto& [id, record] : stages_) {
    const Reading<StageShares>& shares = record.view.shares;
    const bool busy =
        verdict.kind == Verdict::Kind::balanced && shares.has_value() && shares->on_cpu >= kOwnWork;
    if (record.view.gone || (verdict.stage != id && !busy)) continue;
    LimitTotals before = record.limits;
    if (now_ns < before.at_ns + kStageFacts_ns) continue;
    record.limits = parts_.read_limits(id.pid, verdict.wait);
    record.limits.at_ns = now_ns;
    // Calls are counted from its first moment on; the rest has no difference yet.
    if (now_ns > before.at_ns + kLimits_ns) {
      before = record.limits;
      before.at_ns = record.began_ns;
      before.io = ProcessIo();
    }
    const auto quota = std::exchange(record.view.limits.quota, {});
    record.view.limits = limits_between(before, record.limits);
    record.view.limits.quota = quota;
  }
}

void OpenPipeline::ask_for_quota(Stage& stage, uint64_t now_ns) {
  if (!parts_.read_quotas) return;
  const KnownQuotas::Quota& quota =
      quotas_.of(parts_.memberships_of(stage.id.pid), now_ns, kStageFacts_ns);
  stage.quota_cpus = quota.cpus;
  stage.limits.quota = quota.throttling;
}

void OpenPipeline::sample_stages(const PipeScan& scan, const ScanIndex& index, uint64_t now_ns) {
  const std::vector<ScannedProcess> states = process_states(scan, index);
  const uint64_t boot_ns = parts_.boot_ns();
  std::optional<InnerSockets> inner;  // once somebody is asked
  for (auto& [id, record] : stages_) {
    Stage& view = record.view;
    if (view.gone) continue;
    const auto state = std::ranges::lower_bound(states, id, {}, &ScannedProcess::id);
    const bool seen = state != states.end() && state->id == id;
    if (seen) record.add_sample(now_ns, index.threads(id), options_.window_ns);
    if (seen) record.seen_ns = now_ns;
    if (seen && !state->exited) {
      fill(view, *state, boot_ns);
      record.began_ns = now_ns - std::min(now_ns, view.age_ns);
      set_facts(view, table_.processes().of(id, state->leader->comm, now_ns, kStageFacts_ns));
      look_at_poll(parts_, index.threads(id), kPollLooks, record.poll_looks, view);
      if (now_ns >= record.asked_ns + kStageFacts_ns) {
        // It never changes.
        if (record.asked_ns == 0 && parts_.pid_inside) view.pid_inside = parts_.pid_inside(id.pid);
        if (!inner) {
          inner.emplace();
          for (const auto& entry : pipes_) inner->add(entry.second);
        }
        find_outside(parts_, index.threads(id), *inner, view);
        ask_for_quota(view, now_ns);
        record.asked_ns = now_ns;
      }
      if (now_ns >= record.listed_ns + kThreads_ns) {
        view.thread_list.clear();
        if (view.threads > 1)
          view.thread_list = window_.threads(id, index, [this, pid = id.pid](pid_t tid) {
            return parts_.read_thread_io ? parts_.read_thread_io(pid, tid) : std::nullopt;
          });
        // Without BPF it is known in which pipes, but not how long.
        if (instruments_->is_coarse())
          for (StageThread& thread : view.thread_list) thread.pipes.clear();
        record.listed_ns = now_ns;
      }
    } else if (seen || !parts_.lives(id)) {
      record.end();
      wants_pass_ = true;
    }
    if (view.name.empty()) view.name = view.command = "?";
    StageTimes times = window_.times(id);
    const Reading<StageShares> shares = std::move(times.shares);
    if (shares.has_value() || !view.shares.has_value()) {
      view.shares = shares;
      view.blocked_in = std::move(times.blocked_in);
      if (instruments_->is_coarse()) view.blocked_in.clear();
    }
    const bool exact = shares.has_value() && !instruments_->is_coarse();
    view.cpu = exact ? Reading<double>::of(shares->cpu) : record.cpu();
  }
  ask_for_limits(now_ns);
}

// Some of them each time, if they are many.
void OpenPipeline::sample_rings(const PipeScan& scan) {
  std::vector<const ScannedPipe*> pipes;
  for (const ScannedPipe& pipe : scan.pipes)
    if (pipes_.contains(pipe.id)) pipes.push_back(&pipe);
  for (size_t i = 0; i < std::min(pipes.size(), kFramesPerSample); ++i) {
    const ScannedPipe& pipe = *pipes[next_frame_++ % pipes.size()];
    pipes_[pipe.id].frame = instruments_->frame(pipe);
  }
}

void OpenPipeline::make_view(const PipeScan& scan, const ScanIndex& index, uint64_t now_ns) {
  Pipeline view;
  view.window_ns = window_.length_ns();
  view.sees_all = table_.scan().unreadable == 0;
  Places places;
  const std::vector<ProcessId> stages = members_.stages();
  for (const auto* ids : {&stages, &members_.holders()})
    for (const ProcessId id : *ids) {
      places.emplace(id, view.stages.size());
      view.stages.push_back(stages_[id].view);
    }
  const Families families(scan.tasks);
  for (const PipeId id : members_.pipes()) {
    fill_pipe(pipes_[id], index.pipe(id), families, places);
    view.pipes.push_back(pipes_[id]);
  }
  note_sides(view, index);
  if (instruments_->observer().missed_bytes())
    for (Pipe& pipe : view.pipes) pipe.exact = false;
  instruments_->sample(verdict_.shown().stage, selected_, now_ns);
  for (Stage& stage : view.stages) stage.functions = instruments_->functions(stage.id);
  find_larger_ring(view, std::max(options_.window_ns, kLeastFlow_ns));
  // That all have exited is no rival that may pass.
  if (std::ranges::all_of(view.stages, &Stage::gone)) verdict_.restart();
  verdict_.add(now_ns, judge_pipeline(view));
  view.verdict = verdict_.shown();
  view_ = std::move(view);
}

void OpenPipeline::fill_pipe(Pipe& pipe, const ScannedPipe* scanned, const Families& families,
                             const Places& places) {
  const auto before_writers = std::exchange(pipe.writers, {});
  const auto before_readers = std::exchange(pipe.readers, {});
  const KnownPipe* known = table_.known(pipe.id);
  pipe.closed = !scanned || !known;
  if (pipe.closed) {
    pipe.bytes_per_s = Reading<double>::unavailable(kClosed);
    pipe.frame = Reading<RingFrame>::unavailable(kClosed);
    pipe.queued.reset();
    pipe.ring.reset();
    // What moved after the last sample was counted, too.
    const bool wholly = counted_wholly_.contains(pipe.id);
    const auto seen = seen_.find(pipe.id);
    const uint64_t counted = counts_ ? counts_->of(pipe.id) : 0;
    const bool told = counted > 0 || pipe.total_bytes;
    if (counts_ && told && (wholly || (pipe.exact && seen != seen_.end()))) {
      pipe.total_bytes = counted + (wholly ? 0 : seen->second.uncounted);
      pipe.exact = true;
    }
    if (!pipe.exact) add_end(pipe);
  } else {
    fill(pipe, *scanned, known->history);
    note_bytes(pipe, scanned->at_ns);
    fill_ends(pipe, *scanned, active_ends(*scanned, table_.moving(), families),
              [&](ProcessId process) { return place_in(places, process); });
    pipe.own = is_own(*scanned);
    if (const PipeCurves* history = known->history.history()) {
      pipe.rates = history->rates;
      pipe.fill = history->fill;
    }
    if (auto shares = window_.ring(pipe.id); shares.has_value()) pipe.level = std::move(shares);
  }
  keep_ends_of_gone(pipe.closed, before_writers, places, pipe.writers);
  keep_ends_of_gone(pipe.closed, before_readers, places, pipe.readers);
  for (const bool writing : {false, true}) {
    std::vector<StageEnd>& ends = writing ? pipe.writers : pipe.readers;
    // A process that got it since the last pass is no stage yet.
    std::erase_if(ends, [&](const StageEnd& end) { return end.stage >= places.size(); });
    if (!counts_) continue;
    for (StageEnd& end : ends)
      end.bytes = counts_->of(pipe.id, end.end.process, end.end.fd, writing);
  }
}

// What moved after the last look is known once both sides have exited, and a pass has told so.
// Until then nobody knows how far off the total is.
void OpenPipeline::add_end(Pipe& pipe) {
  pipe.range.reset();
  const auto look = looks_.find(pipe.id);
  if (look == looks_.end()) return;
  const auto end = exited_.end_of(look->second.sides);
  if (!end || end->bytes == 0) return;
  pipe.total_bytes = end->bytes;
  if (const auto seen = seen_.find(pipe.id); seen != seen_.end())
    seen->second.until_ns = std::max(seen->second.until_ns, end->at_ns);
  const auto times = [&](double of_estimate) {
    const auto before = static_cast<double>(look->second.sides.last.total);
    return (of_estimate * before + double(end->bytes) - before) / double(end->bytes);
  };
  if (const auto& range = look->second.range)
    pipe.range = EstimateRange{times(range->low), times(range->high)};
}

void OpenPipeline::note_sides(const Pipeline& view, const ScanIndex& index) {
  if (!knows_exits_) return;
  const auto sides = sides_of(view, index);
  for (size_t i = 0; i < sides.size(); ++i) {
    const Pipe& pipe = view.pipes[i];
    if (!sides[i] || pipe.exact) continue;
    Looks& looks = looks_[pipe.id];
    looks.sides.add(*sides[i], !pipe.older);
    looks.range = pipe.range;
  }
}

// Ends of who has exited are closed, but they show where in the flow it was.
void OpenPipeline::keep_ends_of_gone(bool is_closed, const std::vector<StageEnd>& before,
                                     const Places& places, std::vector<StageEnd>& ends) {
  std::set<std::pair<ProcessId, int>> known;
  for (const StageEnd& end : ends) known.emplace(end.end.process, end.end.fd);
  for (StageEnd end : before) {
    const bool keep = is_closed || is_gone(end.end.process);
    if (!keep || !known.emplace(end.end.process, end.end.fd).second) continue;
    end.stage = place_in(places, end.end.process);
    ends.push_back(end);
  }
}

void OpenPipeline::say_end() {
  const std::vector<ProcessId> stages = members_.stages();
  if (members_.tree() || stages.empty() || said_end_) return;
  said_end_ = std::ranges::all_of(stages, [&](ProcessId id) { return is_gone(id); });
  if (said_end_) notices_.emplace_back("the pipeline has ended");
}

// What it moved before it was looked at would make it too fast.
Reading<double> OpenPipeline::overall_rate(const Pipe& pipe) const {
  const auto found = seen_.find(pipe.id);
  if (!pipe.total_bytes || found == seen_.end()) return pipe.bytes_per_s;
  const Seen& seen = found->second;
  if (seen.until_ns <= seen.from_ns || *pipe.total_bytes < seen.bytes)
    return Reading<double>::unavailable("watched for too short a time");
  return Reading<double>::of(double(*pipe.total_bytes - seen.bytes) * double(kSecond) /
                             double(seen.until_ns - seen.from_ns));
}

std::optional<Pipeline> OpenPipeline::overall() const {
  if (!view_) return {};
  Pipeline all = *view_;
  all.window_ns = all_time_.length_ns();
  for (Stage& stage : all.stages) {
    StageTimes times = all_time_.times(stage.id, kLeastOfAll_ns);
    if (!times.shares.has_value()) continue;
    if (!instruments_->is_coarse()) {
      stage.cpu = Reading<double>::of(times.shares->cpu);
      stage.blocked_in = std::move(times.blocked_in);
    }
    stage.shares = std::move(times.shares);
  }
  for (Pipe& pipe : all.pipes) {
    if (auto shares = all_time_.ring(pipe.id); shares.has_value()) pipe.level = std::move(shares);
    pipe.bytes_per_s = overall_rate(pipe);
  }
  find_larger_ring(all, all.window_ns <= kFlow_ns ? kFlow_ns : 0);
  all.verdict = verdict_on_all(all);
  return all;
}

std::vector<ProcessId> OpenPipeline::blamed() const {
  std::vector<ProcessId> blamed;
  if (!view_) return blamed;
  std::map<ProcessId, StageSpan> spans;
  for (const auto& [id, record] : stages_)
    spans[id] = {record.seen_ns - std::min(record.seen_ns, view_->window_ns), record.seen_ns};
  for (const PipelineRun& run : runs_of(*view_, spans))
    if (run.pipeline.verdict.stage) blamed.push_back(*run.pipeline.verdict.stage);
  return blamed;
}

std::vector<PipelineRun> OpenPipeline::runs() const {
  std::map<ProcessId, StageSpan> spans;
  for (const auto& [id, record] : stages_)
    if (record.seen_ns != 0) spans[id] = {record.began_ns, record.seen_ns};
  const std::optional<Pipeline> all = overall();
  return all ? runs_of(*all, spans) : std::vector<PipelineRun>();
}

bool OpenPipeline::has_ended() const {
  const bool may_go_on = members_.tree() && parts_.identify(members_.tree()->root());
  return !may_go_on && view_ && !view_->stages.empty() &&
         std::ranges::all_of(view_->stages, &Stage::gone);
}

std::vector<SegmentRole> OpenPipeline::stages_of_segment() const {
  if (!view_) return {};
  return stages_of(*view_, [&](const Stage& stage) { return since_change_.shares(stage.id); });
}

void OpenPipeline::begin_segment(uint64_t now_ns, std::optional<PipeId> measured, std::string label,
                                 std::string key) {
  if (view_)
    segments_.begin(now_ns, *view_, stages_of_segment(), measured, std::move(label),
                    std::move(key));
  window_.restart();
  since_change_.restart();
  verdict_.restart();
  flows_.clear();
  for (const auto& entry : pipes_)
    if (KnownPipe* known = table_.known(entry.first)) known->history.restart_shares();
}

void OpenPipeline::describe(uint64_t now_ns, Snapshot& snapshot) const {
  snapshot.counts_bytes = counts_bytes();
  snapshot.watched = view_;
  if (!view_) return;
  snapshot.watched->measured = segments_.measured_in(*view_);
  snapshot.throughput = segments_.throughput(now_ns, *view_);
  const bool has_changed = snapshot.throughput.previous != nullptr;
  snapshot.change = segments_.change(
      snapshot.throughput.current, has_changed ? stages_of_segment() : std::vector<SegmentRole>());
}

std::vector<std::string> OpenPipeline::take_notices() {
  std::vector<std::string> notices = instruments_->take_notices();
  for (std::string& notice : std::exchange(notices_, {})) notices.push_back(std::move(notice));
  return notices;
}

// The exact bytes of the open pipeline.
void OpenPipeline::count_bytes(bool on) {
  if (on == counts_bytes()) return;
  instruments_->wait();
  // An observer that has just come watches nothing yet, and what moves until the next sample
  // counts, too.
  if (on && !processes().empty()) {
    const PipeScan scan = parts_.scanner->scan(processes());
    sample_times(scan, scan.at_ns);
  }
  instruments_->count_bytes(on);
  counted_wholly_.clear();
  if (on) {
    counts_.emplace();
    for (const auto& entry : pipes_)
      if (KnownPipe* known = table_.known(entry.first)) known->history.count(parts_.now_ns(), 0);
    return;
  }
  counts_.reset();
  for (auto& [id, pipe] : pipes_) {
    // What is closed keeps what it had, also when it is counted again.
    if (const auto seen = seen_.find(id); seen != seen_.end() && pipe.total_bytes)
      seen->second.uncounted = *pipe.total_bytes;
    if (KnownPipe* known = table_.known(id)) known->history.stop_counting();
    for (auto* ends : {&pipe.writers, &pipe.readers})
      for (StageEnd& end : *ends) end.bytes.reset();
  }
}

void OpenPipeline::take_bytes() {
  const std::vector<observe::EndBytes> moved = instruments_->observer().take_bytes();
  counts_->add(moved);
  for (const observe::EndBytes& end : moved)
    (table_.known(end.pipe) ? table_.moving() : unplaced_)
        .insert({end.pipe, end.process, end.writing});
}

// With `-- COMMAND`, a pipe that is newer than it is counted from the first byte on.
void OpenPipeline::begin_to_count(uint64_t now_ns, PipeId id, PipeHistory& history) {
  if (history.exact()) return;
  const auto since_ns = instruments_->counts_children_since_ns();
  const bool all = members_.tree() && since_ns && history.made_after_ns() >= since_ns;
  if (all) counted_wholly_.insert(id);
  history.count(now_ns, counts_->of(id), all);
}

void OpenPipeline::note_bytes(const Pipe& pipe, uint64_t at_ns) {
  if (!pipe.total_bytes) return;
  Seen& seen = seen_.try_emplace(pipe.id, Seen{at_ns, 0, *pipe.total_bytes}).first->second;
  seen.until_ns = at_ns;
  if (!counts_) return;
  const uint64_t counted = counts_->of(pipe.id);
  seen.uncounted = *pipe.total_bytes - std::min(*pipe.total_bytes, counted);
}

}  // namespace pipetop
