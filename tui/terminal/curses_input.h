// Keys and mouse events, translated from curses' codes.
#pragma once

#include "tui/draw/keys.h"

namespace pipetop::tui {

// Does not wait. Input::Kind::none when nothing is there.
Input read_curses();

}  // namespace pipetop::tui
