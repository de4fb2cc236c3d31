// What the dashboard shows on its pseudo-terminal.
#pragma once

#include <optional>
#include <string>

#include "tui/tests/pty.h"

namespace pipetop::tui {

// The parts of a screen that a soak test judges.
struct Shown {
  int clock_s = 0;        // hh:mm:ss in the title
  bool frozen = false;    // by a key
  std::string total;      // beside "throughput"
  std::string readings;   // the roles' counters: they change from second to second
  unsigned restarts = 0;  // of both roles
  bool failed = false;    // a worker that is given up
  std::string text;
};

// Has all of the screen drawn and reads it; nothing if the program ended, or draws nothing for
// long.
std::optional<Shown> look_at(PtyProgram& program);

// Reads what it draws for so long.
void watch(PtyProgram& program, unsigned ms);

}  // namespace pipetop::tui
