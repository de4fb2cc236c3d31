// One wait for everything that a command, the dashboard or the engine waits for. Signals come
// through a descriptor instead of a handler.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "engine/base/handles.h"

namespace pipetop {

// Descriptors to watch; -1 for none.
struct EventSources {
  int engine = -1, signals = -1, input = -1;
};

// What is ready.
struct Events {
  bool timer = false, engine = false, signals = false, input = false, workers = false;
};

class EventLoop {
 public:
  explicit EventLoop(const EventSources& sources = {});  // throws SystemError

  // Readable when wait() would return at once.
  int fd() const { return epoll_.get(); }

  // Until it is closed. Throws SystemError.
  void watch(int fd, bool Events::*which);

  // Not any longer. It is still open.
  void unwatch(int fd);

  // The timer fires once, or periodically; with a period of 0 never. Ticks that were missed while
  // something else took long are skipped.
  void set_timer_once(uint64_t ns) { set_timer(std::max<uint64_t>(ns, 1), 0); }
  void set_timer_every(uint64_t ns) { set_timer(ns, ns); }

  // Until something happens, or for some time; less if it is interrupted.
  Events wait(int timeout_ms = -1);

 private:
  struct Watched {
    int fd;
    bool Events::*which;
  };

  void set_timer(uint64_t first_ns, uint64_t period_ns);
  bool has_expired();
  Events poll_all();

  UniqueFd epoll_, timer_;
  uint64_t period_ns_ = 0;
  unsigned failures_ = 0;  // of the last waits
  std::vector<Watched> watched_;
};

// Blocks its signals while it lives, except those ignored at startup (nohup, a
// shell's background job).
class SignalFd {
 public:
  explicit SignalFd(std::initializer_list<int> numbers);  // throws SystemError
  ~SignalFd();
  SignalFd(const SignalFd&) = delete;
  SignalFd& operator=(const SignalFd&) = delete;

  int get() const { return fd_.get(); }
  // The next signal's number; 0 if there is none.
  int take() const;

 private:
  sigset_t set_, before_;  // what it takes; what was blocked before
  UniqueFd fd_;
};

// Lets a blocked signal that stops us take its default action, in the whole process group if `to`
// is 0, as the terminal itself would, or in one process. Returns when we continue; false if we were
// not stopped: the kernel ignores it in a group without a shell, which nobody would continue.
bool deliver_stop(int number, pid_t to);

// Ends this process by a signal, by its default action, so that a shell sees that it did. Returns
// the exit status for a signal that ends nothing.
int end_by(int number);

}  // namespace pipetop
