#include "engine/watch/pipeline_instruments.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/watch/pipe_history.h"
#include "engine/watch/scan_index.h"

namespace pipetop {

using observe::RingTally;
using observe::StageObserver;
using observe::ThreadId;
using observe::ThreadTimes;

namespace {

// The bytes are asked for ten times a second at most.
constexpr uint64_t kAsk_ns = 90 * kMs;
// After a longer pause, because pipetop was stopped, a sample says nothing of the time before it.
constexpr uint64_t kPause_ns = 3 * kSecond;

std::vector<ScannedPipe> sockets_in(std::span<const ScannedPipe> pipes) {
  std::vector<ScannedPipe> sockets;
  std::ranges::copy_if(pipes, std::back_inserter(sockets),
                       [](const ScannedPipe& pipe) { return pipe.socket.has_value(); });
  return sockets;
}

}  // namespace

void ScanObserver::watch(std::span<const ScannedTask> threads, std::span<const ScannedPipe> pipes) {
  std::map<ThreadId, Thread> watched;
  for (const ScannedTask& task : threads.first(std::min<size_t>(threads.size(), kMostThreads))) {
    const ThreadId id{task.process, task.tid};
    const auto found = threads_.find(id);
    Thread& thread = watched[id];
    if (found != threads_.end()) thread = found->second;
    thread.times.process = task.process;
    thread.times.tid = task.tid;
  }
  threads_ = std::move(watched);
  std::map<PipeId, RingTally> rings;
  for (const ScannedPipe& pipe : pipes.first(std::min<size_t>(pipes.size(), kMostPipes))) {
    const auto found = rings_.find(pipe.id);
    rings[pipe.id] = found != rings_.end() ? found->second : RingTally{.pipe = pipe.id};
  }
  rings_ = std::move(rings);
  std::erase_if(sampled_ns_, [&](const auto& entry) { return !rings_.contains(entry.first); });
}

void ScanObserver::add(const PipeScan& scan) {
  const ScanIndex index(scan);
  for (const ScannedTask& task : scan.tasks) {
    const auto thread = threads_.find({task.process, task.tid});
    if (thread == threads_.end() || task.zombie) continue;
    add(thread->second, task, scan.at_ns);
    std::vector<observe::PipeWait>& pipes = thread->second.times.pipes;
    const bool writing = task.wait == WaitsFor::pipe_write;
    if (!writing && task.wait != WaitsFor::pipe_read) continue;
    const auto pipe = index.pipe_of(task);
    if (!pipe) continue;
    const auto known = std::ranges::find_if(pipes, [&](const observe::PipeWait& wait) {
      return wait.pipe == *pipe && wait.writing == writing;
    });
    // How long is told by wait_ns; that it did is what matters here.
    if (known == pipes.end()) pipes.push_back({*pipe, writing, 1});
  }
  const std::set<PipeId> written = pipes_waited_for(scan, index);
  for (const ScannedPipe& pipe : scan.pipes)
    if (const auto ring = rings_.find(pipe.id); ring != rings_.end())
      add(ring->second, pipe, written.contains(pipe.id));
}

void ScanObserver::add(Thread& thread, const ScannedTask& task, uint64_t at_ns) {
  ThreadTimes& times = thread.times;
  const bool is_first = thread.sampled_ns == 0 || at_ns > thread.sampled_ns + kPause_ns;
  if (!is_first && at_ns <= thread.sampled_ns) return;
  const uint64_t ns = is_first ? 0 : at_ns - thread.sampled_ns;
  times.running = task.running;
  times.runnable = task.runnable;
  times.now = task.wait;
  times.wall_ns += ns;
  const bool busy = task.running || task.runnable;
  if (busy)
    thread.busy_ns += ns;
  else
    times.wait_ns[static_cast<size_t>(task.wait)] += ns;
  if (!is_first) thread.used_ns += std::min(ns, task.cpu_ns - std::min(task.cpu_ns, thread.cpu_ns));
  // Whether it ran or waited for a CPU a sample doesn't tell; what it used of one does.
  times.on_cpu_ns = std::min(thread.busy_ns, thread.used_ns);
  times.runnable_ns = thread.busy_ns - times.on_cpu_ns;
  thread.cpu_ns = task.cpu_ns;
  thread.sampled_ns = at_ns;
}

void ScanObserver::add(RingTally& ring, const ScannedPipe& pipe, bool writer_waits) {
  const std::optional<RingFill> fill = fill_of(pipe, writer_waits);
  uint64_t& sampled_ns = sampled_ns_[pipe.id];
  if (!fill || (sampled_ns != 0 && pipe.at_ns < sampled_ns + kAsk_ns)) return;
  sampled_ns = pipe.at_ns;
  ++ring.samples;
  ring.empty += fill->empty;
  ring.full += fill->full;
  ring.used_share += fill->used;
}

std::vector<ThreadTimes> ScanObserver::times(uint64_t) {
  std::vector<ThreadTimes> times;
  for (const auto& entry : threads_) times.push_back(entry.second.times);
  return times;
}

std::vector<RingTally> ScanObserver::samples() {
  std::vector<RingTally> samples;
  for (const auto& entry : rings_) samples.push_back(entry.second);
  return samples;
}

void ScanObserver::count_bytes(bool on) {
  if (on) throw Error(fmt::format("exact bytes need BPF: {}", reason_), Exit::refused);
}

PipelineInstruments::PipelineInstruments(const WatchParts& parts, const PipeScan& scan)
    : parts_(parts),
      has_bpf_(scan.source == ScanSource::bpf),
      scan_observer_(scan.reason),
      no_bpf_(scan.reason) {
  if (!has_bpf_) return;
  observer_ = {parts.launch, parts.make_observer};
  rings_ = {parts.launch, parts.make_rings};
}

void PipelineInstruments::wait() {
  observer_.wait();
  rings_.wait();
}

void PipelineInstruments::rest() {
  used_ = nullptr;
  observer().watch({}, {});
  if (observer().counts_bytes()) count_bytes(false);
  watched_threads_.clear();
  watched_pipes_.clear();
  functions_ = {};
  blamed_.reset();
  selected_.reset();
}

void PipelineInstruments::receive() {
  rings_.poll();
  observer_.poll();
  if (observer_.refusal().empty() || said_refusal_) return;
  said_refusal_ = true;
  scan_observer_.set_reason(observer_.refusal());
  notices_.push_back(fmt::format("times come from samples only: {}", observer_.refusal()));
}

// Watches anew only what has changed: it is no cheaper than for the first time.
bool PipelineInstruments::watch(const PipeScan& scan, std::span<const ScannedTask> threads,
                                std::span<const ScannedPipe> pipes) {
  std::vector<std::pair<ProcessId, pid_t>> thread_ids;
  for (const ScannedTask& task : threads) thread_ids.emplace_back(task.process, task.tid);
  std::vector<PipeId> pipe_ids;
  for (const ScannedPipe& pipe : pipes) pipe_ids.push_back(pipe.id);
  receive();
  const StageObserver* before = std::exchange(used_, &observer());
  if (before != used_ || thread_ids != watched_threads_ || pipe_ids != watched_pipes_) {
    observer().watch(threads, pipes);
    if (!is_coarse()) scan_observer_.watch({}, sockets_in(pipes));
    watched_threads_ = std::move(thread_ids);
    watched_pipes_ = std::move(pipe_ids);
    say_dropped();
  }
  say_missed();
  scan_observer_.add(scan);
  return before != nullptr && before != used_;
}

// Nobody but scans samples sockets.
std::vector<RingTally> PipelineInstruments::samples() {
  std::vector<RingTally> samples = observer().samples();
  if (!is_coarse()) std::ranges::copy(scan_observer_.samples(), std::back_inserter(samples));
  return samples;
}

void PipelineInstruments::say_dropped() {
  if (observer().dropped() == 0 || std::exchange(said_dropped_, true)) return;
  notices_.push_back(fmt::format(
      "{} threads or pipes are left out: at most {} threads and {} pipes are watched closely",
      observer().dropped(), uint32_t{StageObserver::kMostThreads},
      uint32_t{StageObserver::kMostPipes}));
}

void PipelineInstruments::count_bytes(bool on) {
  observer().count_bytes(on);
  counts_children_since_ns_.reset();
  said_missed_ = false;
}

void PipelineInstruments::count_children() {
  count_bytes(true);
  try {
    observer().count_children();
  } catch (...) {
    count_bytes(false);
    throw;
  }
  counts_children_since_ns_ = parts_.now_ns();
}

void PipelineInstruments::say_missed() {
  if (!observer().missed_bytes() || std::exchange(said_missed_, true)) return;
  notices_.push_back(
      fmt::format("bytes are missing from the exact counts: there were more than {} processes, or "
                  "ends of pipes, to count at a time",
                  uint32_t{StageObserver::kMostEnds}));
}

Reading<RingFrame> PipelineInstruments::frame(const ScannedPipe& pipe) {
  using Frame = Reading<RingFrame>;
  if (pipe.socket) return Frame::unavailable("a socket has no slots");
  if (!has_bpf_) return Frame::unavailable(no_bpf_);
  if (!rings_.refusal().empty()) return Frame::unavailable(rings_.refusal());
  if (!rings_.get()) return Frame::warming("the ring reader is being loaded");
  auto frame = Frame::unavailable("no process holds it open");
  for (const PipeEnd& end : pipe.ends) {
    frame = rings_.get()->frame(pipe.id, end);
    if (frame.has_value()) break;
  }
  return frame;
}

void PipelineInstruments::sample(std::optional<ProcessId> blamed, std::optional<ProcessId> selected,
                                 uint64_t now_ns) {
  const bool is_new = blamed != blamed_ || selected != selected_;
  blamed_ = blamed;
  selected_ = selected;
  if (!has_bpf_) return;
  if (!functions_.begun() && (blamed || selected))
    functions_ = {parts_.launch, parts_.make_functions};
  const bool came = functions_.poll();
  StageFunctions* functions = functions_.get();
  if (!functions) return;
  if (is_new || came) functions->watch(blamed, selected);
  functions->poll(now_ns);
}

Reading<FunctionTable> PipelineInstruments::functions(ProcessId process) const {
  using Table = Reading<FunctionTable>;
  if (!has_bpf_) return Table::unavailable(no_bpf_);
  if (!functions_.refusal().empty()) return Table::unavailable(functions_.refusal());
  if (process != blamed_ && process != selected_)
    return Table::warming("only the selected stage and the bottleneck are sampled");
  if (!functions_.get()) return Table::warming("the sampler is being loaded");
  return functions_.get()->functions(process);
}

}  // namespace pipetop
