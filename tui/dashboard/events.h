// The dashboard's event loop: one wait for the terminal, the frame timer,
// signals and the engine.
#pragma once

#include <signal.h>

#include <cstdint>
#include <vector>

#include "tui/dashboard/owned_fd.h"

namespace pipetop::tui {

// Signals that come through a descriptor instead of a handler while this lives.
class SignalFd {
 public:
  SignalFd();
  ~SignalFd();
  SignalFd(const SignalFd&) = delete;
  SignalFd& operator=(const SignalFd&) = delete;

  int get() const { return fd_.get(); }
  // The next signal's number; 0 when there is none.
  int take();
  // Gives a signal its default action for as long as that takes.
  void deliver_to_group(int number);

 private:
  sigset_t before_;
  OwnedFd fd_;
};

struct Events {
  bool input = false, frame = false, signal = false, engine = false;
};

class EventLoop {
 public:
  EventLoop(int engine_fd, int signal_fd, uint32_t frames_per_s);

  Events wait();

 private:
  void watch(int fd, uint32_t tag);

  OwnedFd epoll_, timer_;
};

}  // namespace pipetop::tui
