// Where curses writes: the terminal, but a whole frame at one go.
//
// curses flushes after every move of the cursor, some thirty writes a frame. Each
// wakes a kernel thread and the terminal's program, on CPUs that the measured
// processes are using, and lets a half-drawn frame be seen.
#pragma once

#include <cstdio>

#include "engine/base/unique_fd.h"

namespace pipetop::tui {

class GatheredOutput {
 public:
  // On a descriptor of its own for the terminal behind stdout. Throws SystemError.
  GatheredOutput();
  ~GatheredOutput();
  GatheredOutput(const GatheredOutput&) = delete;
  GatheredOutput& operator=(const GatheredOutput&) = delete;

  // For newterm(); it is a terminal whenever nothing is being gathered.
  std::FILE* file() const { return file_; }

  // What is written in between reaches the terminal when it ends.
  void begin() const;
  void end() const;

 private:
  UniqueFd memory_;
  std::FILE* file_;
};

}  // namespace pipetop::tui
