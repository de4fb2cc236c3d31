#include "engine/watch/scanned_values.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/model/settings.h"
#include "engine/process/proc_files.h"
#include "engine/watch/graph.h"

namespace pipetop {
namespace {

constexpr uint64_t kCpuMarks = 10;  // that a window is made of

uint64_t age_ns(ProcessId process, uint64_t boot_ns) {
  const uint64_t start_ns = process.start_ticks * ns_per_tick();
  return boot_ns > start_ns ? boot_ns - start_ns : 0;
}

bool same(const StageEnd& view, const PipeEnd& end, bool active) {
  return view.end == end && view.active == active;
}

}  // namespace

std::vector<ScannedProcess> process_states(const PipeScan& scan, const ScanIndex& index) {
  std::vector<ScannedProcess> states;
  for_each_process(scan.tasks, [&](std::span<const ScannedTask> threads) {
    ScannedProcess state{threads.front().process, &leader(threads), stage_state_of(threads, index),
                         static_cast<uint32_t>(threads.size())};
    for (const ScannedTask& thread : threads) state.cpu_ns += thread.cpu_ns;
    state.exited = has_exited(threads);
    states.push_back(state);
  });
  return states;
}

void fill(Stage& stage, const ScannedProcess& state, uint64_t boot_ns) {
  stage.id = state.id;
  // Most names are fit for a terminal as they are.
  const std::string& comm = state.leader->comm;
  if (stage.name != comm) stage.name = one_line(comm);
  if (stage.command.empty()) stage.command = stage.name;
  stage.age_ns = age_ns(state.id, boot_ns);
  stage.threads = state.threads;
  stage.state = state.state;
  stage.gone = state.exited;
}

void set_facts(Stage& stage, const ProcessFacts& facts) {
  stage.command = facts.command.empty() ? stage.name : facts.command;
  stage.nice = facts.nice;
  stage.cpus = facts.cpus;
  stage.cgroup = facts.cgroup;
}

void fill(Pipe& view, const ScannedPipe& pipe, const PipeHistory& history) {
  view.id = pipe.id;
  view.kernel_readers = pipe.readers;
  view.kernel_writers = pipe.writers;
  view.ring = pipe.ring;
  view.capacity = pipe.capacity;
  view.queued = pipe.queued;
  if (pipe.ring && !view.capacity) view.capacity = pipe.ring->slots * kPageBytes;
  if (pipe.ring && !view.queued) view.queued = pipe.ring->queued_bytes;
  view.first_seen_ns = history.first_seen_ns();
  view.older = !history.made_after_ns();
  view.bytes_per_s = history.bytes_per_s();
  view.total_bytes = history.total_bytes();
  view.exact = (history.exact() || history.is_counted_by_kernel()) && view.total_bytes;
  view.range = history.range();
  view.level = history.shares();
  view.socket = pipe.socket;
  if (view.socket) view.socket->peer_full_share = history.peer_full_share();
  if (!is_own(pipe)) view.lock = pipe.lock;  // else nobody else waits for it
  if (view.lock) view.lock->name = one_line(view.lock->name);
}

void fill_ends(Pipe& view, const ScannedPipe& pipe, const std::vector<bool>& active,
               const std::function<size_t(ProcessId)>& stage_of) {
  view.writers.clear();
  view.readers.clear();
  for (size_t i = 0; i < pipe.ends.size(); ++i) {
    const PipeEnd& end = pipe.ends[i];
    const StageEnd end_view{end, stage_of(end.process), active[i], {}};
    if (is_for_writing(end)) view.writers.push_back(end_view);
    if (is_for_reading(end)) view.readers.push_back(end_view);
  }
}

bool has_ends(const Pipe& view, const ScannedPipe& pipe, const std::vector<bool>& active) {
  size_t writers = 0, readers = 0;
  for (size_t i = 0; i < pipe.ends.size(); ++i) {
    const PipeEnd& end = pipe.ends[i];
    if (is_for_writing(end) &&
        (writers == view.writers.size() || !same(view.writers[writers++], end, active[i])))
      return false;
    if (is_for_reading(end) &&
        (readers == view.readers.size() || !same(view.readers[readers++], end, active[i])))
      return false;
  }
  return writers == view.writers.size() && readers == view.readers.size();
}

std::string fifo_path(const std::string& link) {
  return link.starts_with("/") ? one_line(link) : std::string();
}

void StageRecord::add_sample(uint64_t now_ns, std::span<const ScannedTask> threads,
                             uint64_t window_ns) {
  std::map<pid_t, uint64_t> cpu_ns;
  for (const ScannedTask& thread : threads) cpu_ns[thread.tid] = thread.cpu_ns;
  for (const auto& [tid, used_ns] : thread_cpu_ns_)
    if (!cpu_ns.contains(tid)) ended_cpu_ns_ += used_ns;
  thread_cpu_ns_ = std::move(cpu_ns);
  uint64_t sum_ns = ended_cpu_ns_;
  for (const auto& thread : thread_cpu_ns_) sum_ns += thread.second;
  // A zombie's may be counted elsewhere by then.
  latest_ = {now_ns, std::max(sum_ns, latest_.cpu_ns)};
  view.cpu_ns = latest_.cpu_ns;
  if (!marks_.empty() && now_ns < marks_.back().at_ns + window_ns / kCpuMarks) return;
  marks_.push_back(latest_);
  while (marks_.size() > 1 && marks_[1].at_ns + window_ns <= now_ns) marks_.pop_front();
}

void StageRecord::end() {
  view.gone = true;
  view.state = {StageState::Kind::zombie, WaitsFor::none, {}};
}

Reading<double> StageRecord::cpu() const {
  if (marks_.empty() || latest_.at_ns <= marks_.front().at_ns)
    return Reading<double>::warming("only one sample yet");
  return Reading<double>::of(double(latest_.cpu_ns - marks_.front().cpu_ns) /
                             double(latest_.at_ns - marks_.front().at_ns));
}

}  // namespace pipetop
