// What surrounds curses: the descriptors it writes to and those it must not disturb, and what
// restores the terminal if the program dies of a fatal signal.
#pragma once

#include <signal.h>
#include <termios.h>

#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/handles.h"
#include "tui/screen/terminal_kind.h"

namespace pipetop::tui {

// The output of curses: the terminal, but one whole frame at a time.
//
// curses flushes after every cursor movement, about thirty writes per frame. Each
// wakes a kernel thread and the terminal's program, on CPUs that the measured
// processes use, and shows a half-drawn frame.
class GatheredOutput {
 public:
  // Opens the terminal behind `out` again. Throws SystemError.
  explicit GatheredOutput(int out);
  ~GatheredOutput();

  // For newterm(); it is a terminal unless output is being gathered.
  std::FILE* file() const { return file_; }

  // What is written in between is sent to the terminal at the end. A terminal that takes nothing,
  // e.g. behind a stalled connection, does not hold us up for long: send() goes on later.
  void begin() const;
  void end();
  // False if the terminal still does not take all of it.
  bool send();
  // Drops what such a terminal has not taken, so that it takes a few bytes more.
  void make_room();

 private:
  int out_;
  UniqueFd memory_, terminal_;
  off_t sent_ = 0;  // of the memory
  std::FILE* file_;
};

// Keeps standard error off the screen while curses owns it, and prints it
// afterwards.
class ParkedStderr {
 public:
  // Does nothing if standard error is not a terminal.
  ParkedStderr();
  ~ParkedStderr();

  // Restores standard error and prints what was kept; then keeps again. Both are
  // async-signal-safe.
  void release() const;
  void park() const;

 private:
  UniqueFd memory_, original_;
};

// The earlier actions of the signals, restored at the end.
class SavedActions {
 public:
  explicit SavedActions(std::span<const int> signals);
  ~SavedActions();
  SavedActions(const SavedActions&) = delete;
  SavedActions& operator=(const SavedActions&) = delete;

 private:
  std::vector<std::pair<int, struct sigaction>> before_;
};

// The handler is async-signal-safe: it writes prepared bytes, restores the terminal's
// settings and stderr, and re-raises the signal.
class CrashGuard {
 public:
  // `restore_bytes` leave the alternate screen, show the cursor, and so on.
  CrashGuard(const TerminalFiles& files, const termios& saved, std::string restore_bytes,
             const ParkedStderr& parked);
  ~CrashGuard();

 private:
  SavedActions before_;
};

}  // namespace pipetop::tui
