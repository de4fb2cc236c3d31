// Restores the terminal if the program dies of a fatal signal. The handler is
// async-signal-safe: it writes prepared bytes, restores the terminal's settings and
// stderr, and re-raises the signal.
#pragma once

#include <signal.h>
#include <termios.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tui/terminal/streams.h"

namespace pipetop::tui {

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

class CrashGuard {
 public:
  // `restore_bytes` leave the alternate screen, show the cursor, and so on.
  CrashGuard(const termios& saved, std::string restore_bytes, const ParkedStderr& parked);
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

 private:
  SavedActions before_;
};

}  // namespace pipetop::tui
