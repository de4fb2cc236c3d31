// Gives the terminal back when the program dies of a fatal signal. The handler
// only does what is async-signal-safe: it writes bytes that were made before,
// restores the terminal's settings and stderr, and dies of the same signal.
#pragma once

#include <signal.h>
#include <termios.h>

#include <array>
#include <string>

#include "tui/terminal/parked_stderr.h"

namespace pipetop::tui {

class CrashGuard {
 public:
  // `restore_bytes` leave the alternate screen, show the cursor and so on.
  CrashGuard(const termios& saved, std::string restore_bytes, const ParkedStderr& parked);
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

 private:
  static constexpr std::array kSignals = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE,
                                          SIGILL,  SIGSYS,  SIGQUIT};
  std::array<struct sigaction, kSignals.size()> before_;
};

}  // namespace pipetop::tui
