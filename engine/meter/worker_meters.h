// What a workload's workers, parts and pages did lately, from their totals.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/counts.h"
#include "engine/model/snapshot.h"
#include "engine/process/proc_files.h"

namespace pipetop {

// What the reader found in stamped pages: totals, and rates over about a second; over up to 10 s
// where few pages arrive.
class IntegrityMeter {
 public:
  // Cheap if called more often than it keeps samples.
  void sample(uint64_t now_ns, const Integrity& totals);

  // Restarts the rates: the settings changed.
  void restart() { samples_.clear(); }

  // Without any pages a rate is unknown, not 0.
  Integrity describe(const Integrity& totals) const;

 private:
  struct Sample {
    uint64_t at_ns = 0;
    Integrity totals;
  };
  std::deque<Sample> samples_;
};

// The rates of several parts, over about a second.
class PartRates {
 public:
  // `unit`: this many items per second are 1.
  explicit PartRates(double unit) : unit_(unit) {}

  // Cheap if called more often than it keeps samples.
  void sample(uint64_t now_ns, std::span<const PartProgress> parts);

  // The CPUs are not set.
  std::vector<PartReadings> describe(std::span<const PartProgress> parts) const;

 private:
  struct Sample {
    uint64_t at_ns = 0;
    Progress progress;
  };
  double unit_;
  uint64_t sampled_at_ns_ = 0;
  std::map<std::string, std::deque<Sample>> samples_;  // by name; within the last second
};

// A role's counters and /proc figures, as rates over about a second.
class WorkerMeter {
 public:
  // `pids` are its current processes. `times` come from the observers; without them
  // /proc's are used. Cheap if called more often than it reads, unless `totals` is now.
  void sample(uint64_t now_ns, const WorkerCounts& counts, std::span<const pid_t> pids,
              const Reading<TaskTimes>& times, Totals totals = Totals::when_due);

  // Restarts the rates: the process was replaced, or the settings changed.
  void restart() { samples_.clear(); }

  struct Sample {
    uint64_t at_ns = 0;
    WorkerCounts counts;
    std::optional<ProcessStats> process;
    Reading<TaskTimes> times;
  };

  // The newest sample of a process since restart(); null if there was none. Valid until the next.
  const Sample* last_sample() const;

  // The CPU that it last ran on, if it is one process and has run since restart():
  // if it slept all the time, the value is older.
  std::optional<int> cpu_run_on() const;

  // The CPU that one of its processes last ran on; nothing if it is none of them.
  std::optional<int> cpu_of(pid_t pid) const;

  // Fills in counters, rates and shares.
  void describe(const WorkerCounts& counts, WorkerReadings& view) const;

 private:
  void describe_calls(const Sample& first, const Sample& last, WorkerReadings& view) const;
  void describe_process(const Sample& first, const Sample& last, WorkerReadings& view) const;
  void describe_times(const Sample& first, const Sample& last, WorkerReadings& view) const;

  std::deque<Sample> samples_;  // within the last second
};

// How a worker's wall time is divided in a segment: on CPU, runnable, or blocked.
//
// Sums up the intervals from begin() to pause(); outside of them the worker was suspended, or had
// no process. Of the times only those on CPU and runnable are used: for the rest of the time it was
// blocked. Missing totals make an interval unknown.
class ShareMeter {
 public:
  // Nothing has counted yet.
  void clear() { *this = {}; }

  void begin(uint64_t now_ns, const std::optional<TaskTimes>& totals) {
    running_ = Stretch{now_ns, totals};
  }
  void pause(uint64_t now_ns, const std::optional<TaskTimes>& totals);

  // The totals at the beginning of the current interval are unknown.
  bool begun_unknown() const { return running_ && !running_->totals; }

  // As if it ended now.
  TimeShares shares(uint64_t now_ns, const std::optional<TaskTimes>& totals) const;
  // The same intervals' wall time, sleeps and, if its source counts them, wakeups.
  struct Sleeps {
    uint64_t wall_ns = 0, sleeps = 0, wakeups = 0;
  };
  std::optional<Sleeps> sleeps(uint64_t now_ns, const std::optional<TaskTimes>& totals) const;

 private:
  struct Stretch {
    uint64_t begin_ns;
    std::optional<TaskTimes> totals;
  };

  std::optional<Stretch> running_;
  TaskTimes sum_;
  uint64_t wall_ns_ = 0;
  bool unknown_ = false;
};

}  // namespace pipetop
