// The descriptors that curses writes to, and those it must not disturb.
#pragma once

#include <cstdio>

#include "engine/base/unique_fd.h"

namespace pipetop::tui {

// The output of curses: the terminal, but one whole frame at a time.
//
// curses flushes after every cursor movement, about thirty writes per frame. Each
// wakes a kernel thread and the terminal's program, on CPUs that the measured
// processes use, and shows a half-drawn frame.
class GatheredOutput {
 public:
  // Opens the terminal behind stdout again. Throws SystemError.
  GatheredOutput();
  ~GatheredOutput();
  GatheredOutput(const GatheredOutput&) = delete;
  GatheredOutput& operator=(const GatheredOutput&) = delete;

  // For newterm(); it is a terminal unless output is being gathered.
  std::FILE* file() const { return file_; }

  // What is written in between is sent to the terminal at the end.
  void begin() const;
  void end() const;

 private:
  UniqueFd memory_;
  std::FILE* file_;
};

// Keeps standard error off the screen while curses owns it, and prints it
// afterwards.
class ParkedStderr {
 public:
  // Does nothing if standard error is not a terminal.
  ParkedStderr();
  ~ParkedStderr();
  ParkedStderr(const ParkedStderr&) = delete;
  ParkedStderr& operator=(const ParkedStderr&) = delete;

  // Restores standard error and prints what was kept; then keeps again. Both are
  // async-signal-safe.
  void release() const;
  void park() const;

 private:
  UniqueFd memory_, original_;
};

}  // namespace pipetop::tui
