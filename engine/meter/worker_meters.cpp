#include "engine/meter/worker_meters.h"

#include <algorithm>
#include <utility>

#include "engine/base/clock.h"
#include "engine/meter/rate_meter.h"

namespace pipetop {
namespace {

constexpr const char* kNoProc = "the process's files in /proc cannot be read; mount /proc";

constexpr uint64_t kIntegrityInterval = 100 * kMs;
// In slow motion a second has some pages of one ring, all of them right or all wrong; single steps
// have none.
constexpr uint64_t kFewPages = 1024, kFewPagesWithin = 10 * kSecond;
constexpr uint64_t kProcInterval = 250 * kMs;  // /proc is read no more often than that
// The scheduler updates the totals of a running task on its ticks, at least 100
// times a second.
constexpr uint64_t kShortest_ns = 100 * kMs;

// Drops the samples that are not needed for a rate over the last second.
template <class Sample>
void add_sample(std::deque<Sample>& samples, Sample newest) {
  samples.push_back(std::move(newest));
  while (samples.size() > 2 && samples[1].at_ns + kSecond <= samples.back().at_ns)
    samples.pop_front();
}

uint64_t pages(const Integrity& i) { return i.verified + i.misplaced + i.torn + i.unstamped; }

Reading<double> per_second(uint64_t count, double ns) {
  return Reading<double>::of(double(count) / (ns / 1e9));
}

// They add up to 1.
TimeShares shares_of(uint64_t on_cpu_ns, uint64_t runnable_ns, double wall_ns) {
  const double on_cpu = std::min(1.0, double(on_cpu_ns) / wall_ns);
  const double runnable = std::min(1.0 - on_cpu, double(runnable_ns) / wall_ns);
  return {Reading<double>::of(on_cpu), Reading<double>::of(runnable),
          Reading<double>::of(1.0 - on_cpu - runnable)};
}

// Shares and switches over `wall_ns`.
void set_rates(const TaskTimes& then, const TaskTimes& now, double wall_ns, const char* source,
               WorkerReadings& view) {
  view.times_source = source;
  view.shares =
      shares_of(now.on_cpu_ns - then.on_cpu_ns, now.runnable_ns - then.runnable_ns, wall_ns);
  view.voluntary_switches_per_s =
      per_second(now.voluntary_switches - then.voluntary_switches, wall_ns);
  view.involuntary_switches_per_s =
      per_second(now.involuntary_switches - then.involuntary_switches, wall_ns);
}

bool are_same(const std::map<pid_t, int>& a, const std::map<pid_t, int>& b) {
  const auto pid = [](const auto& process) { return process.first; };
  return std::ranges::equal(a, b, {}, pid, pid);
}

TimeShares all(const Reading<double>& reading) { return {reading, reading, reading}; }

}  // namespace

void IntegrityMeter::sample(uint64_t now_ns, const Integrity& totals) {
  if (!samples_.empty() && now_ns < samples_.back().at_ns + kIntegrityInterval) return;
  samples_.push_back({now_ns, totals});
  while (samples_.size() > 2) {
    const uint64_t age_ns = now_ns - samples_[1].at_ns;
    const bool enough = pages(totals) - pages(samples_[1].totals) >= kFewPages;
    if (age_ns < (enough ? kSecond : kFewPagesWithin)) break;
    samples_.pop_front();
  }
}

Integrity IntegrityMeter::describe(const Integrity& totals) const {
  Integrity integrity = totals;
  const auto unknown = [&](const char* why) {
    integrity.torn_per_s = integrity.misplaced_per_s = integrity.wrong_share =
        Reading<double>::warming(why);
    return integrity;
  };
  if (samples_.size() < 2) return unknown(kNoInterval);
  const auto& [begin_ns, before] = samples_.front();
  const auto& [end_ns, after] = samples_.back();
  if (pages(after) == pages(before)) return unknown("no page arrived lately");
  const double ns = double(end_ns - begin_ns);
  integrity.torn_per_s = per_second(after.torn - before.torn, ns);
  integrity.misplaced_per_s = per_second(after.misplaced - before.misplaced, ns);
  const uint64_t wrong = after.torn - before.torn + after.misplaced - before.misplaced;
  const uint64_t checked = wrong + after.verified - before.verified;
  integrity.wrong_share = checked > 0 ? Reading<double>::of(double(wrong) / double(checked))
                                      : Reading<double>::warming("no stamped page arrived");
  return integrity;
}

void PartRates::sample(uint64_t now_ns, std::span<const PartProgress> parts) {
  if (now_ns < sampled_at_ns_ + kProcInterval && !samples_.empty()) return;
  sampled_at_ns_ = now_ns;
  for (const PartProgress& part : parts) {
    auto& samples = samples_[part.name];
    // It was restarted under the same name.
    if (!samples.empty() && part.progress.items < samples.back().progress.items) samples.clear();
    add_sample(samples, {now_ns, part.progress});
  }
}

std::vector<PartReadings> PartRates::describe(std::span<const PartProgress> parts) const {
  std::vector<PartReadings> views;
  for (const PartProgress& part : parts) {
    const auto found = samples_.find(part.name);
    auto rate = Reading<double>::warming(kNoInterval);
    if (found != samples_.end())
      rate = rate_between(found->second.front().progress, found->second.back().progress, unit_);
    views.push_back(
        {part.name, part.pid, Reading<int>::warming("not sampled yet"), rate, part.progress});
  }
  return views;
}

void WorkerMeter::sample(uint64_t now_ns, const WorkerCounts& counts, std::span<const pid_t> pids,
                         const Reading<TaskTimes>& times, Totals totals) {
  const bool due = samples_.empty() || now_ns >= samples_.back().at_ns + kProcInterval;
  if (!due && totals == Totals::when_due) return;
  auto process = read_process_stats(pids);
  // The sum over other processes is another one, and may be less.
  const Sample* last = last_sample();
  if (process && last && !are_same(process->cpus, last->process->cpus)) restart();
  add_sample(samples_, {now_ns, counts, std::move(process), times});
}

const WorkerMeter::Sample* WorkerMeter::last_sample() const {
  for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample)
    if (sample->process) return &*sample;
  return nullptr;
}

std::optional<int> WorkerMeter::cpu_run_on() const {
  if (samples_.empty() || !samples_.front().process || !samples_.back().process) return {};
  const ProcessStats &first = *samples_.front().process, &last = *samples_.back().process;
  if (last.times.on_cpu_ns <= first.times.on_cpu_ns || last.last_cpu < 0) return {};
  return last.last_cpu;
}

std::optional<int> WorkerMeter::cpu_of(pid_t pid) const {
  for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample)
    if (sample->process && sample->process->cpus.contains(pid))
      return sample->process->cpus.at(pid);
  return {};
}

void WorkerMeter::describe(const WorkerCounts& counts, WorkerReadings& view) const {
  view.counts = counts;
  const Sample none;
  const Sample& first = samples_.empty() ? none : samples_.front();
  const Sample& last = samples_.empty() ? none : samples_.back();
  describe_calls(first, last, view);
  describe_process(first, last, view);
  describe_times(first, last, view);
}

void WorkerMeter::describe_calls(const Sample& first, const Sample& last,
                                 WorkerReadings& view) const {
  const double seconds = double(last.at_ns - first.at_ns) / 1e9;
  if (seconds <= 0) {
    for (auto* reading : {&view.syscalls_per_s, &view.bytes_per_call, &view.eagain_share,
                          &view.short_share, &view.poll_miss_share})
      *reading = Reading<double>::warming(kNoInterval);
    return;
  }
  const WorkerCounts &then = first.counts, &now = last.counts;
  const double calls = double(now.syscalls - then.syscalls);
  const double moving = calls - double(now.eagain - then.eagain);
  const double polls = double(now.polls - then.polls);
  view.syscalls_per_s = Reading<double>::of(double(now.all_calls() - then.all_calls()) / seconds);
  const auto per = [](double n, double of) {
    return of > 0 ? Reading<double>::of(n / of)
                  : Reading<double>::warming("no call has returned yet");
  };
  view.bytes_per_call = per(double(now.items - then.items), moving);
  view.eagain_share = per(double(now.eagain - then.eagain), calls);
  view.short_share = per(double(now.short_calls - then.short_calls), calls);
  // Each transfer follows a poll that found something; an interval may begin between the two.
  view.poll_miss_share = per(std::max(polls - calls, 0.0), polls);
}

void WorkerMeter::describe_process(const Sample& first, const Sample& last,
                                   WorkerReadings& view) const {
  const bool refused = last.at_ns != 0 && !last.process;
  const auto none =
      refused ? Reading<double>::unavailable(kNoProc) : Reading<double>::warming(kNoInterval);
  view.shares = all(none);
  for (auto* rate : {&view.voluntary_switches_per_s, &view.involuntary_switches_per_s,
                     &view.context_switches_per_s, &view.page_faults_per_s})
    *rate = none;
  for (auto* total : {&view.context_switches, &view.voluntary_switches, &view.involuntary_switches,
                      &view.page_faults})
    *total = {none.status, {}, none.reason};
  view.last_cpu = Reading<int>::warming(kNoInterval);
  if (!last.process) return;
  const ProcessStats& now = *last.process;
  view.last_cpu = now.last_cpu < 0 ? Reading<int>::unavailable("there are several processes")
                                   : Reading<int>::of(now.last_cpu);
  view.voluntary_switches = Reading<uint64_t>::of(now.times.voluntary_switches);
  view.involuntary_switches = Reading<uint64_t>::of(now.times.involuntary_switches);
  view.context_switches =
      Reading<uint64_t>::of(now.times.voluntary_switches + now.times.involuntary_switches);
  view.page_faults = Reading<uint64_t>::of(now.page_faults);
  const double ns = double(last.at_ns - first.at_ns);
  if (!first.process || ns <= 0) return;
  set_rates(first.process->times, now.times, ns, "schedstat", view);
  view.context_switches_per_s =
      Reading<double>::of(*view.voluntary_switches_per_s + *view.involuntary_switches_per_s);
  view.page_faults_per_s = per_second(now.page_faults - first.process->page_faults, ns);
}

// Better than schedstat's shares, which are updated on ticks only.
void WorkerMeter::describe_times(const Sample& first, const Sample& last,
                                 WorkerReadings& view) const {
  view.wakeups_per_s = last.times.status == ReadingStatus::unavailable
                           ? Reading<double>::unavailable(last.times.reason)
                           : Reading<double>::warming(kNoInterval);
  if (!last.times.has_value()) {
    view.wakeups = {last.times.status, {}, last.times.reason};
    return;
  }
  const TaskTimes& now = *last.times;
  view.wakeups = Reading<uint64_t>::of(now.wakeups);
  // The last interval of a process that exited may not have been counted.
  if (!first.times.has_value() || now.wall_ns() <= first.times->wall_ns()) return;
  const double ns = double(now.wall_ns() - first.times->wall_ns());
  set_rates(*first.times, now, ns, "sched_switch", view);
  view.wakeups_per_s = per_second(now.wakeups - first.times->wakeups, ns);
}

void ShareMeter::pause(uint64_t now_ns, const std::optional<TaskTimes>& totals) {
  if (!running_ || now_ns <= running_->begin_ns) return running_.reset();
  if (!running_->totals || !totals) {
    unknown_ = true;
  } else {
    sum_.on_cpu_ns += totals->on_cpu_ns - running_->totals->on_cpu_ns;
    sum_.runnable_ns += totals->runnable_ns - running_->totals->runnable_ns;
    sum_.voluntary_switches += totals->voluntary_switches - running_->totals->voluntary_switches;
    sum_.wakeups += totals->wakeups - running_->totals->wakeups;
    wall_ns_ += now_ns - running_->begin_ns;
  }
  running_.reset();
}

TimeShares ShareMeter::shares(uint64_t now_ns, const std::optional<TaskTimes>& totals) const {
  ShareMeter ended = *this;
  ended.pause(now_ns, totals);
  if (ended.unknown_ && ended.wall_ns_ == 0) return all(Reading<double>::unavailable(kNoProc));
  if (ended.wall_ns_ < kShortest_ns) return all(Reading<double>::warming("too short to measure"));
  return shares_of(ended.sum_.on_cpu_ns, ended.sum_.runnable_ns, double(ended.wall_ns_));
}

std::optional<ShareMeter::Sleeps> ShareMeter::sleeps(uint64_t now_ns,
                                                     const std::optional<TaskTimes>& totals) const {
  ShareMeter ended = *this;
  ended.pause(now_ns, totals);
  if (ended.wall_ns_ < kShortest_ns) return {};
  return Sleeps{ended.wall_ns_, ended.sum_.voluntary_switches, ended.sum_.wakeups};
}

}  // namespace pipetop
