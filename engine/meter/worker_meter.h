// One worker's counters and /proc figures as rates over about a second.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "engine/control_block.h"
#include "engine/meter/process_stats.h"
#include "engine/meter/task_times.h"
#include "engine/snapshot.h"

namespace pipetop {

class WorkerMeter {
 public:
  // `pid` 0: there is no process now. `times` are the observers'; while they have
  // none, /proc's are used. Cheap when called more often than it reads.
  void sample(uint64_t now_ns, const WorkerCounters& counters, pid_t pid,
              const Reading<TaskTimes>& times);

  // Rates begin anew: the process was replaced, or the settings changed.
  void restart() { samples_.clear(); }

  // The newest look at a process since restart(); nothing when there was none.
  std::optional<ProcessLook> last_look() const;

  // The CPU that it ran on last, if it has run since restart(): what a process that
  // slept all the time says is older.
  std::optional<int> cpu_run_on() const;

  // Fills in counters, rates and shares.
  void describe(const WorkerCounters& counters, WorkerView& view) const;

 private:
  struct Sample {
    uint64_t at_ns = 0;
    uint64_t bytes = 0, syscalls = 0, short_calls = 0, eagain = 0;
    std::optional<ProcessStats> process;
    Reading<TaskTimes> times;
  };
  void describe_calls(const Sample& first, const Sample& last, WorkerView& view) const;
  void describe_process(const Sample& first, const Sample& last, WorkerView& view) const;
  void describe_times(const Sample& first, const Sample& last, WorkerView& view) const;

  std::deque<Sample> samples_;  // within the last second
};

}  // namespace pipetop
