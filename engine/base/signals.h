// Signals through a descriptor instead of a handler.
#pragma once

#include <signal.h>

#include <initializer_list>

#include "engine/base/unique_fd.h"

namespace pipetop {

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
  sigset_t before_;
  UniqueFd fd_;
};

// Lets a blocked signal take its default action in the whole process group, as the
// terminal itself would; returns when we continue.
void deliver_to_group(int number);

}  // namespace pipetop
