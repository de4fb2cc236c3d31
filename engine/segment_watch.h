// Watches the current segment: what is observed from when its change takes effect
// until it ends. The work of the change itself, such as mapping and touching
// buffers, does not count.
//
// A worker that dies and is replaced stays part of the segment, with all effects on
// ring and functions. Its time counts while it has a process. Time during which
// pipetop is suspended does not count.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "engine/meter/meters.h"
#include "engine/meter/process_stats.h"
#include "engine/model/segment.h"
#include "engine/observe/observers.h"
#include "engine/process/worker_pool.h"

namespace pipetop {

class SegmentWatch {
 public:
  // Both outlive it.
  SegmentWatch(Observers& observers, const WorkerPool& pool) : observers_(observers), pool_(pool) {}

  // A change is in progress: nothing counts until begin().
  void hold(uint64_t now_ns);
  void begin(uint64_t now_ns);
  bool watching() const { return watching_; }

  // Its process ended; `last` is the last reading of /proc.
  void ended(Role role, uint64_t now_ns, const std::optional<ProcessSample>& last);

  // A process whose times were unknown at its start is counted from here on.
  void catch_up(uint64_t now_ns);
  void replaced(Role role, uint64_t now_ns);

  void suspend(uint64_t now_ns);
  void resume(uint64_t now_ns);

  // Fills in roles, occupancy and kinds, as if the segment ended now.
  void describe(uint64_t now_ns, Segment& segment) const;

 private:
  SegmentRole role(Role role, uint64_t now_ns) const;
  std::optional<TaskTimes> run_times(Role role) const;
  ShareMeter& times(Role role) { return times_[static_cast<size_t>(role)]; }

  Observers& observers_;
  const WorkerPool& pool_;
  bool watching_ = false;
  std::array<ShareMeter, kRoles> times_;
};

}  // namespace pipetop
