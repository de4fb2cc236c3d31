// The current segment, from its change to its end, and the earlier ones.
//
// What is observed of a segment counts from when its change takes effect until it ends. The work
// of the change itself, such as mapping and touching buffers, does not count.
//
// A worker that dies and is replaced stays part of the segment, with all effects on
// ring and functions. Its time counts while it has a process. Time during which
// pipetop is suspended does not count.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/host/host.h"
#include "engine/meter/rate_meter.h"
#include "engine/meter/worker_meters.h"
#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "engine/observe/observers.h"
#include "engine/process/proc_files.h"
#include "engine/process/worker_pool.h"

namespace pipetop {

class Segments {
 public:
  // All outlive it.
  Segments(uint64_t now_ns, const WorkloadTerms& terms, Observers& observers,
           const WorkerPool& pool)
      : observers_(observers), pool_(pool), terms_(terms), meter_(now_ns, terms.unit.count) {}

  // Closes the current segment, if any, at whose end `until_now` was in effect, and
  // begins another, of which nothing counts until count().
  void begin(uint64_t now_ns, const Progress& progress, const Effective& until_now,
             const std::string& label, const std::string& key, const Settings& requested);

  // The segment's settings are in effect: from now on it counts.
  void count(uint64_t now_ns);
  // All of it, from its begin.
  void count_at_once(uint64_t now_ns, const Progress& progress);
  bool counting() const { return counting_; }

  void add(uint64_t now_ns, const Progress& progress);

  // A worker's process ended; `last` is the last reading of its /proc.
  void ended(Role role, uint64_t now_ns, const WorkerMeter::Sample* last);
  void replaced(Role role, uint64_t now_ns);

  // Time between the two belongs to no segment.
  void suspend(uint64_t now_ns);
  void resume(uint64_t now_ns, const Progress& progress);

  // The current one as if it ended now, with everything that was observed.
  Segment present(uint64_t now_ns, const Progress& progress, const Effective& in_force) const;

  // Something else than the settings sets the pace; "" if nothing does.
  void disturbed(const std::string& noise) {
    if (counting_ && !noise.empty()) noise_ = noise;
  }

  // To the current one from the last closed one with other settings; compared anew at most once a
  // second.
  void compare(uint64_t now_ns, const Progress& progress, const Effective& in_force);
  const Reading<Change>& change() const { return change_; }

  // What the ticks cost the current one, if they come in slices.
  void describe(SamplingEvent& event) const;

  Throughput throughput(uint64_t now_ns, const Progress& progress) const;

 private:
  void choose_reference(const Segment& closed, const Settings& next);
  void hold(uint64_t now_ns);
  std::optional<TaskTimes> run_times(Role role) const;
  void describe(uint64_t now_ns, Segment& segment) const;
  Reading<RoleTotals> totals(Role role, uint64_t now_ns,
                             const std::optional<TaskTimes>& times) const;
  Reading<Change> change_to(const Segment& segment) const;
  void remember_rate(const Segment& closed);
  double repeats() const;
  ShareMeter& times(Role role) { return times_[static_cast<size_t>(role)]; }

  Observers& observers_;
  const WorkerPool& pool_;
  const WorkloadTerms& terms_;
  RateMeter meter_;
  PriceMeter price_;
  bool counting_ = false;
  std::array<ShareMeter, kRoles> times_;
  std::array<WorkerCounts, kRoles> counts_before_;  // when it began to count
  SegmentLog log_;
  std::shared_ptr<const Segment> previous_;   // the last closed one at full speed
  std::shared_ptr<const Segment> reference_;  // what the current one is compared with, null: none
  std::shared_ptr<const Segment> first_;      // with a settled rate, null: none yet
  std::string noise_;                         // of the current one
  CpuTimes cpu_times_;                        // when it began to count
  std::deque<std::pair<Settings, double>> rates_;  // of the last settings, the last one each
  std::deque<double> repeats_;  // the logarithm of how much a later one of them differed
  Reading<Change> change_ = Reading<Change>::warming("nothing has changed yet");
  uint64_t change_due_ns_ = 0;
  uint64_t suspended_at_ns_ = 0;
};

}  // namespace pipetop
