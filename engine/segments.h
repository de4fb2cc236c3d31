// The current segment, from its change to its end, and the earlier ones.
#pragma once

#include <cstdint>
#include <string>

#include "engine/meter/rate_meter.h"
#include "engine/meter/segment_log.h"
#include "engine/model/snapshot.h"
#include "engine/segment_watch.h"

namespace pipetop {

class Segments {
 public:
  // Both outlive it.
  Segments(uint64_t now_ns, double unit, Observers& observers, const WorkerPool& pool)
      : observers_(observers), meter_(now_ns, unit), watch_(observers, pool) {}

  // Closes the current segment, if any, at whose end `until_now` was in effect, and
  // begins another.
  void begin(uint64_t now_ns, const Progress& progress, const Effective& until_now,
             const std::string& label, const std::string& key, const Settings& requested);

  // The segment's settings are in effect: from now on it counts.
  void count(uint64_t now_ns);
  bool counting() const { return watch_.watching(); }

  void add(uint64_t now_ns, const Progress& progress) {
    meter_.add(now_ns, progress);
    watch_.catch_up(now_ns);
  }

  // A worker's process was replaced; `last` is the last reading of its /proc.
  void ended(Role role, uint64_t now_ns, const std::optional<ProcessSample>& last) {
    watch_.ended(role, now_ns, last);
  }
  void replaced(Role role, uint64_t now_ns) { watch_.replaced(role, now_ns); }

  // Time between the two belongs to no segment.
  void suspend(uint64_t now_ns);
  void resume(uint64_t now_ns, const Progress& progress);

  // The current one as if it ended now, with everything that was observed.
  Segment present(uint64_t now_ns, const Progress& progress, const Effective& in_force) const;

  Throughput throughput(uint64_t now_ns, const Progress& progress) const;

 private:
  Observers& observers_;
  RateMeter meter_;
  SegmentWatch watch_;
  SegmentLog log_;
  uint64_t suspended_at_ns_ = 0;
};

}  // namespace pipetop
