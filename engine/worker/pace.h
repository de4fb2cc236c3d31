// The pace of a loop: full speed, or slow enough to watch. Loops are compiled for
// each, so that the fast one pays nothing.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/model/control_block.h"
#include "engine/model/settings.h"
#include "engine/worker/flow.h"
#include "engine/worker/pipe_command.h"

namespace pipetop {

// Of one worker in slow motion.
struct SlowMotion {
  Role role = Role::writer;
  uint64_t bytes = 0;       // of one operation
  uint64_t operations = 0;  // that fill the ring
};
SlowMotion slow_motion_of(Role role, const PipeCommand& command);

// The time from one operation to the next, `since_ns` after the first. The writer's
// pace is even; the reader's alternates between half and one and a half times that,
// long enough for the ring to fill up and to run empty.
uint64_t slow_interval_ns(const SlowMotion& motion, uint64_t since_ns);

class FreePace {
 public:
  explicit FreePace(const SlowMotion&) {}

  // Waits until a transfer is due and may succeed. False: check for a change first.
  template <Wait wait>
  bool ready(Flow& flow, short events) {
    flow.await<wait>(events);
    return true;
  }
  // How much of `bytes` to request in one transfer.
  uint64_t limit(uint64_t bytes) const { return bytes; }
};

class SlowPace {
 public:
  explicit SlowPace(const SlowMotion& motion);

  template <Wait wait>
  bool ready(Flow& flow, short events) {
    if (!sleep()) return false;
    if constexpr (wait == Wait::busy_poll) return flow.poll_once(events);
    // There is nothing to gain from spinning.
    flow.await<wait == Wait::adaptive ? Wait::poll : wait>(events);
    return true;
  }
  uint64_t limit(uint64_t bytes) const { return std::min(bytes, motion_.bytes); }

 private:
  bool sleep();

  SlowMotion motion_;
  uint64_t began_ns_;
  uint64_t due_ns_;
};

}  // namespace pipetop
