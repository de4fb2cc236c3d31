// What the show shows: the view for an audience, with few and large things.
#pragma once

#include <cstddef>
#include <string>

#include "engine/config/talk.h"

namespace pipetop::tui {

struct ShowState {
  bool on = false;
  ShowPart view = ShowPart::ring;
  std::string highlight;         // as in a Scene
  std::string title, caption;    // of the scene, "" outside of a talk
  size_t scene = 0, scenes = 0;  // the scene's number from 1, and how many; 0: there is no talk
  bool blank = false;            // nothing at all is shown
};

}  // namespace pipetop::tui
