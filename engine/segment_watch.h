// Watches the present segment: what is observed from the moment that its change
// is in force until it ends. The change's own work, such as mapping and touching
// buffers, is no part of the technique.
//
// A worker that dies and is replaced is part of the segment: whatever then
// happened to ring and functions happened. Its own time counts while it has a
// process. Time during which we are suspended counts for nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "engine/meter/process_stats.h"
#include "engine/meter/share_meter.h"
#include "engine/model/segment.h"
#include "engine/observe/observers.h"
#include "engine/process/worker_pool.h"

namespace pipetop {

class SegmentWatch {
 public:
  // Both outlive it.
  SegmentWatch(Observers& observers, const WorkerPool& pool) : observers_(observers), pool_(pool) {}

  // A change is under way: nothing counts until begin().
  void hold(uint64_t now_ns);
  void begin(uint64_t now_ns);
  bool watching() const { return watching_; }

  // Its process ended; `last` is what /proc said of it.
  void ended(Role role, uint64_t now_ns, const std::optional<ProcessSample>& last);

  // A process whose times were not known when it began is counted from here on.
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
