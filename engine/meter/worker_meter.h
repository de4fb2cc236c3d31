// A role's counters and /proc figures, as rates over about a second.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "engine/meter/process_stats.h"
#include "engine/model/counts.h"
#include "engine/model/snapshot.h"

namespace pipetop {

class WorkerMeter {
 public:
  // `pids` are its current processes. `times` come from the observers; without them
  // /proc's are used. Cheap if called more often than it reads.
  void sample(uint64_t now_ns, const WorkerCounts& counts, std::span<const pid_t> pids,
              const Reading<TaskTimes>& times);

  // Restarts the rates: the process was replaced, or the settings changed.
  void restart() { samples_.clear(); }

  // The newest sample of a process since restart(); nothing if there was none.
  std::optional<ProcessSample> last_sample() const;

  // The CPU that it last ran on, if it is one process and has run since restart():
  // if it slept all the time, the value is older.
  std::optional<int> cpu_run_on() const;

  // The CPU that one of its processes last ran on; nothing if it is none of them.
  std::optional<int> cpu_of(pid_t pid) const;

  // Fills in counters, rates and shares.
  void describe(const WorkerCounts& counts, WorkerView& view) const;

 private:
  struct Sample {
    uint64_t at_ns = 0;
    WorkerCounts counts;
    std::optional<ProcessStats> process;
    Reading<TaskTimes> times;
  };
  void describe_calls(const Sample& first, const Sample& last, WorkerView& view) const;
  void describe_process(const Sample& first, const Sample& last, WorkerView& view) const;
  void describe_times(const Sample& first, const Sample& last, WorkerView& view) const;

  std::deque<Sample> samples_;  // within the last second
};

}  // namespace pipetop
