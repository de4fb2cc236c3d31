// The event loop of a run without a screen: one wait for the engine, signals
// and a timer.
#pragma once

#include <signal.h>

#include <cstdint>

#include "engine/unique_fd.h"

namespace pipetop::tui {

struct HeadlessEvents {
  bool engine = false, timer = false;
  int signal = 0;  // INT, TERM, HUP or TSTP; 0 for none
};

// Blocks its signals from the constructor to the destructor, except those that
// whoever started us had ignored (nohup, a shell's background job).
class HeadlessSignals {
 public:
  HeadlessSignals();
  ~HeadlessSignals();
  HeadlessSignals(const HeadlessSignals&) = delete;
  HeadlessSignals& operator=(const HeadlessSignals&) = delete;

  int fd() const { return fd_.get(); }
  int take() const;  // the next one; 0 when there is none

 private:
  sigset_t before_;
  UniqueFd fd_;
};

class HeadlessLoop {
 public:
  HeadlessLoop(int engine_fd, const HeadlessSignals& signals);

  // Returns when something happened, at the latest after `timeout_ns`.
  HeadlessEvents wait(uint64_t timeout_ns);

 private:
  void watch(int fd);
  void arm(uint64_t timeout_ns);

  int engine_fd_;
  const HeadlessSignals& signals_;
  UniqueFd epoll_, timer_;
};

}  // namespace pipetop::tui
