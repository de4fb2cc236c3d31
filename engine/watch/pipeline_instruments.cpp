#include "engine/watch/pipeline_instruments.h"

#include <fmt/core.h>

namespace pipetop {

using observe::StageClock;

PipelineInstruments::PipelineInstruments(const WatchParts& parts, const PipeScan& scan)
    : parts_(parts),
      has_bpf_(scan.source == ScanSource::bpf),
      scan_clock_(scan.reason),
      no_bpf_(scan.reason) {
  if (!has_bpf_) return;
  clock_ = {parts.launch, parts.make_clock};
  rings_ = {parts.launch, parts.make_rings};
}

void PipelineInstruments::wait() {
  clock_.wait();
  rings_.wait();
}

void PipelineInstruments::rest() {
  used_ = nullptr;
  clock().watch({}, {});
  if (clock().counts_bytes()) count_bytes(false);
  watched_threads_.clear();
  watched_pipes_.clear();
  functions_ = {};
  blamed_.reset();
  selected_.reset();
}

void PipelineInstruments::receive() {
  rings_.poll();
  clock_.poll();
  if (clock_.refusal().empty() || said_refusal_) return;
  said_refusal_ = true;
  scan_clock_.set_reason(clock_.refusal());
  notices_.push_back(fmt::format("times come from samples only: {}", clock_.refusal()));
}

// Watches anew only what has changed: it is no cheaper than for the first time.
bool PipelineInstruments::watch(const PipeScan& scan, std::span<const ScannedTask> threads,
                                std::span<const ScannedPipe> pipes) {
  std::vector<std::pair<ProcessId, pid_t>> thread_ids;
  for (const ScannedTask& task : threads) thread_ids.emplace_back(task.process, task.tid);
  std::vector<PipeId> pipe_ids;
  for (const ScannedPipe& pipe : pipes) pipe_ids.push_back(pipe.id);
  receive();
  const StageClock* before = std::exchange(used_, &clock());
  if (before != used_ || thread_ids != watched_threads_ || pipe_ids != watched_pipes_) {
    clock().watch(threads, pipes);
    watched_threads_ = std::move(thread_ids);
    watched_pipes_ = std::move(pipe_ids);
    say_dropped();
  }
  say_missed();
  if (is_coarse()) scan_clock_.add(scan);
  return before != nullptr && before != used_;
}

void PipelineInstruments::say_dropped() {
  if (clock().dropped() == 0 || std::exchange(said_dropped_, true)) return;
  notices_.push_back(fmt::format(
      "{} threads or pipes are left out: at most {} threads and {} pipes are watched closely",
      clock().dropped(), uint32_t{StageClock::kMostThreads}, uint32_t{StageClock::kMostPipes}));
}

void PipelineInstruments::count_bytes(bool on) {
  clock().count_bytes(on);
  counts_children_since_ns_.reset();
  said_missed_ = false;
}

void PipelineInstruments::count_children() {
  count_bytes(true);
  try {
    clock().count_children();
  } catch (...) {
    count_bytes(false);
    throw;
  }
  counts_children_since_ns_ = parts_.now_ns();
}

void PipelineInstruments::say_missed() {
  if (!clock().missed_bytes() || std::exchange(said_missed_, true)) return;
  notices_.push_back(
      fmt::format("bytes are missing from the exact counts: there were more than {} processes, or "
                  "ends of pipes, to count at a time",
                  uint32_t{StageClock::kMostEnds}));
}

Reading<RingFrame> PipelineInstruments::frame(const ScannedPipe& pipe) {
  using Frame = Reading<RingFrame>;
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
    return Table::warming("no functions yet; select the stage");
  if (!functions_.get()) return Table::warming("the sampler is being loaded");
  return functions_.get()->functions(process);
}

}  // namespace pipetop
