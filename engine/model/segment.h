// Throughput as values: rolling rates, history, and segments between changes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/reading.h"
#include "engine/base/shared_vector.h"
#include "engine/model/counts.h"
#include "engine/model/functions.h"
#include "engine/model/pipe_scan.h"
#include "engine/model/ring_view.h"
#include "engine/model/settings.h"

namespace pipetop {

// Over the 100 ms rates of some interval, in the workload's unit; mean is the total
// count divided by its time.
struct RateStats {
  double mean = 0, median = 0, stddev = 0, min = 0, max = 0;
  uint32_t samples = 0;
  // Half of the 95 % interval of the mean, what "±" means everywhere; nothing: too few to tell.
  std::optional<double> plus_minus = {};
};

// A mean of fewer intervals still moves.
inline constexpr uint32_t kSettledRates = 5;
inline bool is_settled(const Reading<RateStats>& rate) {
  return rate.has_value() && rate->samples >= kSettledRates;
}

struct RatePoint {
  uint64_t at_ns = 0;  // the end of its interval
  double rate = 0;     // over about 100 ms, in the workload's unit
};

// What a role did during a segment, once the change was in effect.
struct RoleTotals {
  WorkerCounts counts;
  uint64_t wall_ns = 0;             // that this took
  uint64_t sleeps = 0;              // how often its processes left the CPU to sleep
  std::optional<uint64_t> wakeups;  // of them; sched_switch only
};

// One role, or one stage of a watched pipeline, during a segment.
struct SegmentRole {
  TimeShares shares;
  Reading<FunctionTable> functions;  // all of the segment's samples
  Reading<BlockedTable> blocked;     // where it slept
  Reading<RoleTotals> totals = {};
  int processes = 1;  // at its end
  // A stage has these, a role does not.
  std::string name = {};
  ProcessId id = {};
};

// What a change did to the rate, and why: the current segment against the one before it. Rates are
// means, in the workload's unit.
struct Change {
  double before = 0, after = 0;
  double factor = 0;       // after / before
  double since_start = 0;  // after / the first segment's rate; 0: unknown, or that is `before`
  // What explains it: "the reader no longer copies"; "no single cause" if nothing explains half;
  // "" until there are enough samples.
  std::string cause = {};
  std::string evidence = {};  // the numbers that show it: "_copy_to_iter 13.5 → 0 %"; may be ""
  std::string function = {};  // that the evidence is of, "" if it is of none
  // The 95 % interval of the factor: without end if the rates are too few; older recordings lack
  // it.
  double low = 0, high = 0;

  // The rates differ by more than the noise: only then something is claimed.
  bool is_seen() const { return low > 1 || high < 1; }
  // Both, as one line; "" while the cause is not known.
  std::string words() const { return evidence.empty() ? cause : cause + ": " + evidence; }
};

// One stretch between two changes.
struct Segment {
  uint32_t number = 0;  // from 1
  std::string label;    // "start", or what changed: "write_with vmsplice"
  std::string key;      // the key that began it, "" if none
  Settings requested;
  uint64_t begin_ns = 0;
  uint64_t duration_ns = 0;  // excluding time during which pipetop was suspended
  uint64_t items = 0;        // counted, see Unit
  Reading<RateStats> rate;   // after the settle time

  // What was observed once the change was in effect; set when the segment is
  // closed, or requested by Engine::segment().
  Settings effective;
  uint64_t pipe_bytes = 0;
  std::array<SegmentRole, kRoles> roles;  // by Role
  Reading<Occupancy> occupancy;
  Reading<std::array<double, kSlotKinds>> kinds;
  Reading<Change> change;  // from the segment before it
  // A watched pipeline has these in place of settings and roles.
  std::vector<SegmentRole> stages = {};
  // What else than the settings set the pace meanwhile.
  std::string noise = {};  // what was said of it last; "" if nothing was
  Reading<double> steal_share = Reading<double>::warming("too short to measure");

  const SegmentRole& role(Role r) const { return roles[static_cast<size_t>(r)]; }
};

struct ChangeMark {
  uint64_t at_ns = 0;
  std::string key;
};

struct Throughput {
  Reading<double> over_100ms, over_1s;  // in the workload's unit
  Reading<RateStats> over_10s;
  Series<RatePoint> history;                // oldest first, at least 5 minutes
  std::vector<ChangeMark> marks;            // changes within the history
  Segment current;                          // from label to rate; the rest is not filled in
  std::shared_ptr<const Segment> previous;  // the last closed one, null if none
  std::vector<std::shared_ptr<const Segment>> segments;  // the last closed ones, oldest first
  uint64_t clock_ns = 0;                                 // time for total_items, see Progress
  uint64_t total_items = 0;                              // since start
  Progress progress() const { return {total_items, clock_ns}; }
};

}  // namespace pipetop
