// What the kernel's own books say of a process between two instants: an oracle that isn't ours.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/process/proc_files.h"

namespace pipetop {

// From when it is made until it is asked. Of a process with one thread; nothing was done by who is
// gone.
class SchedstatWindow {
 public:
  explicit SchedstatWindow(pid_t pid) : pid_(pid), before_(stats()), begin_ns_(monotonic_ns()) {}

  // Shares of the window's time.
  double on_cpu() const { return share(&TaskTimes::on_cpu_ns); }
  double runnable() const { return share(&TaskTimes::runnable_ns); }
  double busy() const { return on_cpu() + runnable(); }  // it had work to do
  double asleep() const { return 1 - busy(); }
  uint64_t sleeps() const { return more(&TaskTimes::voluntary_switches); }

 private:
  TaskTimes stats() const {
    const auto stats = read_process_stats(pid_);
    return stats ? stats->times : TaskTimes{};
  }
  uint64_t more(uint64_t TaskTimes::*what) const {
    const uint64_t now = stats().*what;
    return now - std::min(now, before_.*what);
  }
  double share(uint64_t TaskTimes::*what) const {
    return double(more(what)) / double(std::max<uint64_t>(1, monotonic_ns() - begin_ns_));
  }

  pid_t pid_;
  TaskTimes before_;
  uint64_t begin_ns_;
};

}  // namespace pipetop
