// What comes between while something is measured: signals that end it, and the
// terminal's request to stop for a while.
#pragma once

#include <signal.h>

#include <cstdint>
#include <functional>
#include <initializer_list>

#include "engine/base/signals.h"
#include "engine/engine.h"

namespace pipetop {

class Interrupts {
 public:
  // Made before any engine: a signal must not find one half made.
  explicit Interrupts(std::initializer_list<int> signals = {SIGINT, SIGTERM, SIGHUP, SIGTSTP})
      : signals_(signals) {}

  int fd() const { return signals_.get(); }

  // Obeys the signals that came. SIGTSTP stops this process, and the workers of `running`
  // with it, until somebody continues it. False when the measurement is to end now.
  bool take(Engine* running = nullptr);

  void end() { ended_ = true; }                       // as a signal does
  void end_at(uint64_t now_ns) { end_ns_ = now_ns; }  // by now_ns()
  bool ended() const { return ended_ || now_ns() >= end_ns_; }
  int signal() const { return signal_; }  // that asked for the end; 0 if none did

  uint32_t suspensions() const { return suspensions_; }
  // Time in which we could run.
  uint64_t now_ns() const;

  std::function<void()> suspending;  // told before it stops; may be empty

 private:
  void suspend(Engine* running);

  SignalFd signals_;
  bool ended_ = false;
  int signal_ = 0;
  uint32_t suspensions_ = 0;
  uint64_t stopped_ns_ = 0, end_ns_ = UINT64_MAX;
};

}  // namespace pipetop
