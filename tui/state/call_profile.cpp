#include "tui/state/call_profile.h"

#include <utility>

namespace pipetop::tui {
Reading<CallProfile> of_wall_time(CallProfile profile, Activity activity, const TimeShares& wall) {
  for (const Reading<double>* part : {&wall.on_cpu, &wall.runnable, &wall.blocked}) {
    if (!part->has_value()) return {part->status, {}, part->reason};
  }
  const bool running = activity == Activity::running;
  profile.scale = running ? *wall.on_cpu : *wall.blocked;
  profile.beside = {{{running ? "[blocked]" : "[running]", running ? *wall.blocked : *wall.on_cpu},
                     {"[runnable]", *wall.runnable}}};
  return Reading<CallProfile>::of(std::move(profile));
}

}  // namespace pipetop::tui
