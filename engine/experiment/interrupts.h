// Interruptions of a measurement: signals that end it, and the terminal's request
// to suspend.
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
  // Created before any engine: a signal must not arrive while one is half built.
  explicit Interrupts(std::initializer_list<int> signals = {SIGINT, SIGTERM, SIGHUP, SIGTSTP})
      : signals_(signals) {}

  int fd() const { return signals_.get(); }

  // Handles the signals that arrived. SIGTSTP stops this process and the workers of `running` until
  // it is continued. False if the measurement should end now.
  bool take(Engine* running = nullptr);

  void end() { ended_ = true; }                       // as a signal does
  void end_at(uint64_t now_ns) { end_ns_ = now_ns; }  // by now_ns()
  bool ended() const { return ended_ || now_ns() >= end_ns_; }
  int signal() const { return signal_; }  // the signal that ended it; 0 if none did

  uint32_t suspensions() const { return suspensions_; }
  // Time during which we were not suspended.
  uint64_t now_ns() const;

  std::function<void()> suspending;  // called before it stops; may be empty

 private:
  void suspend(Engine* running);

  SignalFd signals_;
  bool ended_ = false;
  int signal_ = 0;
  uint32_t suspensions_ = 0;
  uint64_t stopped_ns_ = 0, end_ns_ = UINT64_MAX;
};

}  // namespace pipetop
