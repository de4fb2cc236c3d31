#include "engine/observe/tick_schedule.h"

namespace pipetop::observe {

bool SleepJudge::many(uint64_t now_ns, uint64_t sleeps) {
  if (judged_at_ns_ != 0 && now_ns < judged_at_ns_ + kInterval_ns) return many_;
  if (judged_at_ns_ != 0) {
    const double seconds = double(now_ns - judged_at_ns_) / 1e9;
    many_ = double(sleeps - sleeps_then_) > double(many_ ? kFew : kMany) * seconds;
  }
  judged_at_ns_ = now_ns;
  sleeps_then_ = sleeps;
  return many_;
}

// A slice begins at a random time, so that it beats with nothing. Its end may be slightly early:
// waiting for the next call would make it much longer.
bool TickSlices::in_slice(uint64_t now_ns) {
  if (now_ns >= cycle_end_ns_) {
    const bool on_time = now_ns < cycle_end_ns_ + kCycle_ns;
    cycle_end_ns_ = (on_time ? cycle_end_ns_ : now_ns) + kCycle_ns;
    due_ns_ = cycle_end_ns_ - kSlice_ns - random_() % (kCycle_ns - 2 * kSlice_ns);
    end_ns_ = 0;
  }
  if (end_ns_ == 0 && now_ns >= due_ns_) end_ns_ = now_ns + kSlice_ns - kSlice_ns / 10;
  return now_ns < end_ns_;
}

}  // namespace pipetop::observe
