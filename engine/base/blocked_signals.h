// Signals that wait until something is done.
#pragma once

#include <signal.h>

#include <cerrno>

namespace pipetop {

// All signals of this thread, while it lives. What forks or starts a thread meanwhile passes that
// on. Leaves errno as it is.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() {
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace pipetop
