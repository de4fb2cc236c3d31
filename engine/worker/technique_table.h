// Selects the loop that was compiled for a kind of wait and a pace.
#pragma once

#include "engine/model/settings.h"
#include "engine/worker/pace.h"

namespace pipetop {

struct LoopKind {
  Wait wait = Wait::block;
  bool slow = false;
};

template <class Pace, class Compiled>
auto loop_of_wait(Wait wait, Compiled compiled) {
  switch (wait) {
    case Wait::poll:
      return compiled.template operator()<Wait::poll, Pace>();
    case Wait::busy:
      return compiled.template operator()<Wait::busy, Pace>();
    case Wait::busy_poll:
      return compiled.template operator()<Wait::busy_poll, Pace>();
    case Wait::adaptive:
      return compiled.template operator()<Wait::adaptive, Pace>();
    case Wait::block:
      break;
  }
  return compiled.template operator()<Wait::block, Pace>();
}

// compiled<wait, Pace>() -> the technique's loop.
template <class Compiled>
auto technique_table(LoopKind kind, Compiled compiled) {
  return kind.slow ? loop_of_wait<SlowPace>(kind.wait, compiled)
                   : loop_of_wait<FreePace>(kind.wait, compiled);
}

}  // namespace pipetop
