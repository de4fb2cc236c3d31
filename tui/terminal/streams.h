// The descriptors that curses writes to, and that it must not see.
#pragma once

#include <cstdio>

#include "engine/base/unique_fd.h"

namespace pipetop::tui {

// Where curses writes: the terminal, but a whole frame at one go.
//
// curses flushes after every move of the cursor, some thirty writes a frame. Each
// wakes a kernel thread and the terminal's program, on CPUs that the measured
// processes are using, and lets a half-drawn frame be seen.
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

// Keeps words written to standard error off the screen while curses owns it,
// and says them afterwards.
class ParkedStderr {
 public:
  // Does nothing where standard error is no terminal: it harms no screen.
  ParkedStderr();
  ~ParkedStderr();
  ParkedStderr(const ParkedStderr&) = delete;
  ParkedStderr& operator=(const ParkedStderr&) = delete;

  // Gives standard error back and writes out what was kept; then keeps again.
  // Both are async-signal-safe.
  void release() const;
  void park() const;

 private:
  UniqueFd memory_, original_;
};

}  // namespace pipetop::tui
