#include "engine/base/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "engine/base/error.h"

namespace pipetop {
namespace {

// A blocked signal reaches a signalfd even if its action is SIG_IGN.
sigset_t those_not_ignored(std::initializer_list<int> numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) {
    struct sigaction action {};
    sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&set, number);
  }
  return set;
}

}  // namespace

SignalFd::SignalFd(std::initializer_list<int> numbers) {
  const sigset_t set = those_not_ignored(numbers);
  sigprocmask(SIG_BLOCK, &set, &before_);
  fd_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (fd_) return;
  const int error = errno;
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  throw SystemError("signalfd", error);
}

// A terminal that closes sends SIGHUP twice: the second one must not kill us while
// we exit because of the first.
SignalFd::~SignalFd() {
  while (take() != 0) continue;
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int SignalFd::take() const {
  signalfd_siginfo info{};
  if (read(fd_.get(), &info, sizeof info) != sizeof info) return 0;
  return static_cast<int>(info.ssi_signo);
}

void deliver_to_group(int number) {
  struct sigaction usual {
  }, before{};
  usual.sa_handler = SIG_DFL;
  sigaction(number, &usual, &before);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  kill(0, number);
  sigprocmask(SIG_UNBLOCK, &one, nullptr);
  // Stopped here, where the default action is to stop.
  sigprocmask(SIG_BLOCK, &one, nullptr);
  sigaction(number, &before, nullptr);
}

}  // namespace pipetop
