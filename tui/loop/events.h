// The dashboard's event loop: one wait for the terminal, the frame timer,
// signals and the engine.
#pragma once

#include <cstdint>

#include "engine/base/unique_fd.h"

namespace pipetop::tui {

struct Events {
  bool input = false, frame = false, signal = false, engine = false;
};

class EventLoop {
 public:
  EventLoop(int engine_fd, int signal_fd, uint32_t frames_per_s);

  Events wait();

 private:
  void watch(int fd, uint32_t tag);

  UniqueFd epoll_, timer_;
};

}  // namespace pipetop::tui
