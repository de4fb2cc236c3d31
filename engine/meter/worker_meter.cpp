#include "engine/meter/worker_meter.h"

#include <algorithm>

namespace pipetop {
namespace {

constexpr uint64_t kInterval = 250'000'000;  // /proc is read no more often than that
constexpr uint64_t kWindow = 1'000'000'000;

constexpr const char* kNoInterval = "no interval measured yet";
constexpr const char* kNoProc = "/proc of the process cannot be read; mount /proc";

}  // namespace

void WorkerMeter::sample(uint64_t now_ns, const WorkerCounters& counters, pid_t pid) {
  if (!samples_.empty() && now_ns < samples_.back().at_ns + kInterval) return;
  Sample sample;
  sample.at_ns = now_ns;
  sample.bytes = counters.bytes.load(std::memory_order_relaxed);
  sample.syscalls = counters.syscalls.load(std::memory_order_relaxed);
  sample.short_calls = counters.short_calls.load(std::memory_order_relaxed);
  sample.eagain = counters.eagain.load(std::memory_order_relaxed);
  if (pid > 0) sample.process = read_process_stats(pid);
  samples_.push_back(sample);
  while (samples_.size() > 2 && samples_[1].at_ns + kWindow <= now_ns) samples_.pop_front();
}

std::optional<WorkerMeter::Look> WorkerMeter::last_look() const {
  for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample)
    if (sample->process) return Look{sample->at_ns, *sample->process};
  return {};
}

std::optional<int> WorkerMeter::cpu_run_on() const {
  if (samples_.empty() || !samples_.front().process || !samples_.back().process) return {};
  const ProcessStats &first = *samples_.front().process, &last = *samples_.back().process;
  if (last.on_cpu_ns <= first.on_cpu_ns) return {};
  return last.last_cpu;
}

void WorkerMeter::describe(const WorkerCounters& counters, WorkerView& view) const {
  view.bytes = counters.bytes.load(std::memory_order_relaxed);
  view.syscalls = counters.syscalls.load(std::memory_order_relaxed);
  view.short_calls = counters.short_calls.load(std::memory_order_relaxed);
  view.eagain = counters.eagain.load(std::memory_order_relaxed);
  view.interrupted = counters.interrupted.load(std::memory_order_relaxed);
  view.polls = counters.polls.load(std::memory_order_relaxed);
  const Sample none;
  describe_calls(samples_.empty() ? none : samples_.front(),
                 samples_.empty() ? none : samples_.back(), view);
  describe_process(samples_.empty() ? none : samples_.front(),
                   samples_.empty() ? none : samples_.back(), view);
}

void WorkerMeter::describe_calls(const Sample& first, const Sample& last, WorkerView& view) const {
  const double seconds = double(last.at_ns - first.at_ns) / 1e9;
  if (seconds <= 0) {
    for (auto* reading :
         {&view.syscalls_per_s, &view.bytes_per_call, &view.eagain_share, &view.short_share})
      *reading = Reading<double>::warming(kNoInterval);
    return;
  }
  const double calls = double(last.syscalls - first.syscalls);
  const double moving = calls - double(last.eagain - first.eagain);
  view.syscalls_per_s = Reading<double>::of(calls / seconds);
  const auto per = [](double n, double of) {
    return of > 0 ? Reading<double>::of(n / of) : Reading<double>::warming("no call has returned");
  };
  view.bytes_per_call = per(double(last.bytes - first.bytes), moving);
  view.eagain_share = per(double(last.eagain - first.eagain), calls);
  view.short_share = per(double(last.short_calls - first.short_calls), calls);
}

void WorkerMeter::describe_process(const Sample& first, const Sample& last,
                                   WorkerView& view) const {
  const auto for_all = [&](const Reading<double>& reading) {
    for (auto* target : {&view.on_cpu_share, &view.runnable_share, &view.blocked_share,
                         &view.context_switches_per_s, &view.page_faults_per_s})
      *target = reading;
  };
  if (!last.process) {
    const bool never = last.at_ns != 0;
    for_all(never ? Reading<double>::unavailable(kNoProc) : Reading<double>::warming(kNoInterval));
    view.context_switches = view.page_faults =
        never ? Reading<uint64_t>::unavailable(kNoProc) : Reading<uint64_t>::warming(kNoInterval);
    view.last_cpu = Reading<int>::warming(kNoInterval);
    return;
  }
  const ProcessStats& now = *last.process;
  const auto switches = [](const ProcessStats& p) {
    return p.voluntary_switches + p.involuntary_switches;
  };
  const auto faults = [](const ProcessStats& p) { return p.minor_faults + p.major_faults; };
  view.last_cpu = Reading<int>::of(now.last_cpu);
  view.context_switches = Reading<uint64_t>::of(switches(now));
  view.page_faults = Reading<uint64_t>::of(faults(now));
  const double ns = double(last.at_ns - first.at_ns);
  if (!first.process || ns <= 0) return for_all(Reading<double>::warming(kNoInterval));
  const ProcessStats& then = *first.process;
  const double on_cpu = std::min(1.0, double(now.on_cpu_ns - then.on_cpu_ns) / ns);
  const double runnable = std::min(1.0 - on_cpu, double(now.runnable_ns - then.runnable_ns) / ns);
  view.on_cpu_share = Reading<double>::of(on_cpu);
  view.runnable_share = Reading<double>::of(runnable);
  view.blocked_share = Reading<double>::of(1.0 - on_cpu - runnable);
  view.context_switches_per_s =
      Reading<double>::of(double(switches(now) - switches(then)) / (ns / 1e9));
  view.page_faults_per_s = Reading<double>::of(double(faults(now) - faults(then)) / (ns / 1e9));
}

}  // namespace pipetop
