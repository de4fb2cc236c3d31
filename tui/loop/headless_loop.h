// The event loop of a run without a screen: one wait for the engine, signals
// and a timer.
#pragma once

#include <cstdint>

#include "engine/base/unique_fd.h"
#include "tui/loop/signals.h"

namespace pipetop::tui {

struct HeadlessEvents {
  bool engine = false, timer = false;
  int signal = 0;  // INT, TERM, HUP or TSTP; 0 for none
};

class HeadlessLoop {
 public:
  HeadlessLoop(int engine_fd, const SignalFd& signals);

  // Returns when something happened, at the latest after `timeout_ns`.
  HeadlessEvents wait(uint64_t timeout_ns);

 private:
  void watch(int fd);
  void arm(uint64_t timeout_ns);

  int engine_fd_;
  const SignalFd& signals_;
  UniqueFd epoll_, timer_;
};

}  // namespace pipetop::tui
