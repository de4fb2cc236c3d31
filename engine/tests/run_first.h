// Processes that run before all others: on a busy machine it is the pipe that is looked
// at then, and not what else wants its CPUs.
#pragma once

#include <sched.h>

namespace pipetop {

// Gives the calling thread a real-time priority, or for 0 none any more; whatever it
// starts inherits it. False where that is not allowed.
inline bool run_first(int priority) {
  const sched_param param = {priority};
  return sched_setscheduler(0, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &param) == 0;
}

}  // namespace pipetop
