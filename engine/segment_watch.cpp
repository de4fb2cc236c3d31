#include "engine/segment_watch.h"

namespace pipetop {
namespace {

constexpr const char* kNeverInForce = "it ended before the change took effect";

std::optional<TaskTimes> times_of(const std::optional<ProcessStats>& stats) {
  return stats ? std::optional(stats->times) : std::nullopt;
}

}  // namespace

// Where a segment's shares come from: sched_switch, as in the worker's view, else
// /proc. The two do not agree exactly, so they are never mixed.
std::optional<TaskTimes> SegmentWatch::run_times(Role role) const {
  const Reading<TaskTimes> seen = observers_.times(role);
  if (seen.status == ReadingStatus::unavailable)
    return times_of(read_process_stats(pool_.pids(role)));
  return seen.value;
}

void SegmentWatch::hold(uint64_t now_ns) {
  watching_ = false;
  for (ShareMeter& times : times_) times.clear();
  observers_.restart(now_ns);
}

void SegmentWatch::begin(uint64_t now_ns) {
  hold(now_ns);
  watching_ = true;
  for (const Role role : kBothRoles) replaced(role, now_ns);
}

void SegmentWatch::ended(Role role, uint64_t now_ns, const std::optional<ProcessSample>& last) {
  if (observers_.times(role).status != ReadingStatus::unavailable)
    times(role).pause(now_ns, run_times(role));
  else if (last)
    times(role).pause(last->at_ns, times_of(last->stats));
}

void SegmentWatch::catch_up(uint64_t now_ns) {
  for (const Role role : kBothRoles)
    if (times(role).begun_unknown()) replaced(role, now_ns);
}

void SegmentWatch::replaced(Role role, uint64_t now_ns) {
  if (watching_ && !pool_.pids(role).empty()) times(role).begin(now_ns, run_times(role));
}

void SegmentWatch::suspend(uint64_t now_ns) {
  observers_.run(false);  // a ring that does not move says nothing
  for (const Role role : kBothRoles) times(role).pause(now_ns, run_times(role));
}

void SegmentWatch::resume(uint64_t now_ns) {
  observers_.run(true);
  for (const Role role : kBothRoles) replaced(role, now_ns);
}

SegmentRole SegmentWatch::role(Role role, uint64_t now_ns) const {
  return {times_[static_cast<size_t>(role)].shares(now_ns, run_times(role)),
          observers_.functions(role, observe::Span::segment), observers_.blocked(role)};
}

void SegmentWatch::describe(uint64_t now_ns, Segment& segment) const {
  if (!watching_) {
    const auto unknown = Reading<double>::warming(kNeverInForce);
    segment.roles.fill({{unknown, unknown, unknown},
                        Reading<FunctionTable>::warming(kNeverInForce),
                        Reading<BlockedTable>::warming(kNeverInForce)});
    segment.occupancy = Reading<Occupancy>::warming(kNeverInForce);
    segment.kinds = Reading<std::array<double, kSlotKinds>>::warming(kNeverInForce);
    return;
  }
  for (const Role r : kBothRoles) segment.roles[static_cast<size_t>(r)] = role(r, now_ns);
  segment.occupancy = observers_.occupancy();
  segment.kinds = observers_.kinds();
}

}  // namespace pipetop
