// One wait for everything that a command or the dashboard waits for.
#pragma once

#include <cstdint>

#include "engine/base/unique_fd.h"

namespace pipetop {

// Descriptors to watch; -1 for none.
struct EventSources {
  int engine = -1, signals = -1, input = -1;
};

struct Events {
  bool timer = false, engine = false, signals = false, input = false;
};

class EventLoop {
 public:
  explicit EventLoop(const EventSources& sources);  // throws SystemError

  // The timer fires once, or periodically. Ticks that were missed while something
  // else took long are skipped.
  void set_timer_once(uint64_t ns) { set_timer(ns, 0); }
  void set_timer_every(uint64_t ns) { set_timer(ns, ns); }

  // Until something happens.
  Events wait();

 private:
  void watch(int fd, bool Events::*which);
  void set_timer(uint64_t first_ns, uint64_t period_ns);

  UniqueFd epoll_, timer_;
};

}  // namespace pipetop
