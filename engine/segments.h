// The present segment, from its change to its end, and those before it.
#pragma once

#include <cstdint>
#include <string>

#include "engine/meter/rate_meter.h"
#include "engine/meter/segment_log.h"
#include "engine/segment_watch.h"
#include "engine/snapshot.h"

namespace pipetop {

class Segments {
 public:
  // Both outlive it.
  Segments(uint64_t now_ns, Observers& observers, WorkerPair& workers)
      : workers_(workers), observers_(observers), meter_(now_ns), watch_(observers, workers) {}

  // Closes the present segment, if there is one, at whose end `until_now` was in
  // force, and begins another.
  void begin(uint64_t now_ns, const Effective& until_now, const std::string& label,
             const std::string& key, const Settings& requested);

  // What the segment is about is in force: from now on it counts.
  void count(uint64_t now_ns);
  bool counting() const { return watch_.watching(); }

  void add_bytes(uint64_t now_ns) {
    meter_.add(now_ns, bytes());
    watch_.catch_up(now_ns);
  }

  // A worker's process ended, of which /proc said `last`; it has another.
  void ended(Role role, uint64_t now_ns, const std::optional<ProcessLook>& last) {
    watch_.ended(role, now_ns, last);
  }
  void replaced(Role role, uint64_t now_ns) { watch_.replaced(role, now_ns); }

  // Time between the two belongs to no segment.
  void suspend(uint64_t now_ns);
  void resume(uint64_t now_ns);

  // The present one as if it ended now, with everything that was observed.
  Segment present(uint64_t now_ns, const Effective& in_force) const;

  Throughput throughput(uint64_t now_ns) const;

 private:
  uint64_t bytes() const { return workers_.reader().bytes(); }

  WorkerPair& workers_;
  Observers& observers_;
  RateMeter meter_;
  SegmentWatch watch_;
  SegmentLog log_;
  uint64_t suspended_at_ns_ = 0;
};

}  // namespace pipetop
