// Chooses the loop that was compiled for a kind of wait.
#pragma once

#include "engine/settings.h"

namespace pipetop {

template <class Technique>
Technique technique_table(Wait wait, Technique block, Technique poll, Technique busy,
                          Technique busy_poll) {
  switch (wait) {
    case Wait::poll:
      return poll;
    case Wait::busy:
      return busy;
    case Wait::busy_poll:
      return busy_poll;
    case Wait::block:
      break;
  }
  return block;
}

}  // namespace pipetop
