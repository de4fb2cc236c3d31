// What keys do to the terminal itself, the same on every screen.
#pragma once

#include <string>

#include "tui/screen/terminal.h"

namespace pipetop::tui {

// These return what to tell the user.
std::string toggle_mouse(Terminal& terminal);
std::string choose_next_theme(Terminal& terminal);

// Everything anew, in the size that the terminal has now.
void redraw_all(Terminal& terminal);

// After SIGCONT, perhaps after an unnoticed stop: somebody else used the terminal.
void take_again(Terminal& terminal);

}  // namespace pipetop::tui
