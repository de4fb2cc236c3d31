// One stage of the open pipeline over time, also when it has exited.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>

#include "engine/model/pipeline.h"

namespace pipetop {

class StageRecord {
 public:
  Stage view;

  // Its threads at a later look.
  void add_sample(uint64_t now_ns, std::span<const ScannedTask> threads, uint64_t window_ns);

  // It has exited.
  void end();

  // CPUs in use over the window, from the counts of its threads.
  Reading<double> cpu() const;

 private:
  struct Mark {
    uint64_t at_ns, cpu_ns;
  };

  std::map<pid_t, uint64_t> thread_cpu_ns_;
  uint64_t ended_cpu_ns_ = 0;  // of threads that have exited
  std::deque<Mark> marks_;     // oldest first; the window begins at the first
  Mark latest_ = {};
};

}  // namespace pipetop
