#include "engine/meter/worker_meter.h"

#include <algorithm>

namespace pipetop {
namespace {

constexpr uint64_t kWorkerInterval = 250'000'000;  // /proc is read no more often than that
constexpr uint64_t kWorkerWindow = 1'000'000'000;

constexpr const char* kNoInterval = "no interval measured yet";
constexpr const char* kNoProc = "the process's files in /proc cannot be read; mount /proc";

// Shares of wall time; they add up to 1.
void set_shares(double on_cpu, double runnable, const char* source, WorkerView& view) {
  view.shares.on_cpu = Reading<double>::of(on_cpu);
  view.shares.runnable = Reading<double>::of(runnable);
  view.shares.blocked = Reading<double>::of(std::max(0.0, 1.0 - on_cpu - runnable));
  view.times_source = source;
}

}  // namespace

void WorkerMeter::sample(uint64_t now_ns, const WorkerCounts& counts, std::span<const pid_t> pids,
                         const Reading<TaskTimes>& times) {
  if (!samples_.empty() && now_ns < samples_.back().at_ns + kWorkerInterval) return;
  Sample sample;
  sample.at_ns = now_ns;
  sample.counts = counts;
  sample.process = read_process_stats(pids);
  sample.times = times;
  samples_.push_back(sample);
  while (samples_.size() > 2 && samples_[1].at_ns + kWorkerWindow <= now_ns) samples_.pop_front();
}

std::optional<ProcessSample> WorkerMeter::last_sample() const {
  for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample)
    if (sample->process) return ProcessSample{sample->at_ns, *sample->process};
  return {};
}

std::optional<int> WorkerMeter::cpu_run_on() const {
  if (samples_.empty() || !samples_.front().process || !samples_.back().process) return {};
  const ProcessStats &first = *samples_.front().process, &last = *samples_.back().process;
  if (last.times.on_cpu_ns <= first.times.on_cpu_ns || last.last_cpu < 0) return {};
  return last.last_cpu;
}

std::optional<int> WorkerMeter::cpu_of(pid_t pid) const {
  for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample) {
    if (!sample->process) continue;
    if (const auto found = sample->process->cpus.find(pid); found != sample->process->cpus.end())
      return found->second;
  }
  return {};
}

void WorkerMeter::describe(const WorkerCounts& counts, WorkerView& view) const {
  view.counts = counts;
  const Sample none;
  const Sample& first = samples_.empty() ? none : samples_.front();
  const Sample& last = samples_.empty() ? none : samples_.back();
  describe_calls(first, last, view);
  describe_process(first, last, view);
  describe_times(first, last, view);
}

void WorkerMeter::describe_calls(const Sample& first, const Sample& last, WorkerView& view) const {
  const double seconds = double(last.at_ns - first.at_ns) / 1e9;
  if (seconds <= 0) {
    for (auto* reading :
         {&view.syscalls_per_s, &view.bytes_per_call, &view.eagain_share, &view.short_share})
      *reading = Reading<double>::warming(kNoInterval);
    return;
  }
  const WorkerCounts &then = first.counts, &now = last.counts;
  const double calls = double(now.syscalls - then.syscalls);
  const double moving = calls - double(now.eagain - then.eagain);
  view.syscalls_per_s = Reading<double>::of(calls / seconds);
  const auto per = [](double n, double of) {
    return of > 0 ? Reading<double>::of(n / of)
                  : Reading<double>::warming("no call has returned yet");
  };
  view.bytes_per_call = per(double(now.items - then.items), moving);
  view.eagain_share = per(double(now.eagain - then.eagain), calls);
  view.short_share = per(double(now.short_calls - then.short_calls), calls);
}

void WorkerMeter::describe_process(const Sample& first, const Sample& last,
                                   WorkerView& view) const {
  const auto for_all = [&](const Reading<double>& reading) {
    for (auto* target : {&view.shares.on_cpu, &view.shares.runnable, &view.shares.blocked,
                         &view.voluntary_switches_per_s, &view.involuntary_switches_per_s,
                         &view.context_switches_per_s, &view.page_faults_per_s})
      *target = reading;
  };
  if (!last.process) {
    const bool never = last.at_ns != 0;
    for_all(never ? Reading<double>::unavailable(kNoProc) : Reading<double>::warming(kNoInterval));
    for (auto* total : {&view.context_switches, &view.voluntary_switches,
                        &view.involuntary_switches, &view.page_faults})
      *total =
          never ? Reading<uint64_t>::unavailable(kNoProc) : Reading<uint64_t>::warming(kNoInterval);
    view.last_cpu = Reading<int>::warming(kNoInterval);
    return;
  }
  const ProcessStats& now = *last.process;
  const auto faults = [](const ProcessStats& p) { return p.minor_faults + p.major_faults; };
  view.last_cpu = now.last_cpu < 0 ? Reading<int>::unavailable("there are several processes")
                                   : Reading<int>::of(now.last_cpu);
  view.voluntary_switches = Reading<uint64_t>::of(now.times.voluntary_switches);
  view.involuntary_switches = Reading<uint64_t>::of(now.times.involuntary_switches);
  view.context_switches =
      Reading<uint64_t>::of(now.times.voluntary_switches + now.times.involuntary_switches);
  view.page_faults = Reading<uint64_t>::of(faults(now));
  const double ns = double(last.at_ns - first.at_ns);
  if (!first.process || ns <= 0) return for_all(Reading<double>::warming(kNoInterval));
  const ProcessStats& then = *first.process;
  const double on_cpu = std::min(1.0, double(now.times.on_cpu_ns - then.times.on_cpu_ns) / ns);
  set_shares(on_cpu,
             std::min(1.0 - on_cpu, double(now.times.runnable_ns - then.times.runnable_ns) / ns),
             "schedstat", view);
  const auto per_s = [&](uint64_t n) { return Reading<double>::of(double(n) / (ns / 1e9)); };
  const uint64_t voluntary = now.times.voluntary_switches - then.times.voluntary_switches;
  const uint64_t involuntary = now.times.involuntary_switches - then.times.involuntary_switches;
  view.voluntary_switches_per_s = per_s(voluntary);
  view.involuntary_switches_per_s = per_s(involuntary);
  view.context_switches_per_s = per_s(voluntary + involuntary);
  view.page_faults_per_s = per_s(faults(now) - faults(then));
}

// Better than schedstat's shares, which are updated on ticks only.
void WorkerMeter::describe_times(const Sample& first, const Sample& last, WorkerView& view) const {
  const auto none = [&] {
    return last.times.status == ReadingStatus::unavailable
               ? Reading<double>::unavailable(last.times.reason)
               : Reading<double>::warming(kNoInterval);
  };
  view.wakeups_per_s = none();
  if (!last.times.has_value()) {
    view.wakeups = {last.times.status, {}, last.times.reason};
    return;
  }
  const TaskTimes& now = *last.times;
  view.wakeups = Reading<uint64_t>::of(now.wakeups);
  // The last interval of a process that exited may not have been counted.
  if (!first.times.has_value() || now.wall_ns() <= first.times->wall_ns()) return;
  const TaskTimes& then = *first.times;
  const double wall_ns = double(now.wall_ns() - then.wall_ns());
  set_shares(double(now.on_cpu_ns - then.on_cpu_ns) / wall_ns,
             double(now.runnable_ns - then.runnable_ns) / wall_ns, "sched_switch", view);
  const auto per_s = [&](uint64_t n) { return Reading<double>::of(double(n) / (wall_ns / 1e9)); };
  view.voluntary_switches_per_s = per_s(now.voluntary_switches - then.voluntary_switches);
  view.involuntary_switches_per_s = per_s(now.involuntary_switches - then.involuntary_switches);
  view.wakeups_per_s = per_s(now.wakeups - then.wakeups);
}

}  // namespace pipetop
