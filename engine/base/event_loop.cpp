#include "engine/base/event_loop.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

#include "engine/base/clock.h"
#include "engine/base/error.h"

namespace pipetop {
namespace {

constexpr bool Events::*kKinds[] = {&Events::timer, &Events::engine, &Events::signals,
                                    &Events::workers, &Events::input};

timespec to_timespec(uint64_t ns) { return {time_t(ns / kSecond), long(ns % kSecond)}; }

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

sigset_t set_of(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return set;
}

int made_epoll() {
  const int fd = epoll_create1(EPOLL_CLOEXEC);
  if (fd < 0) throw SystemError("epoll_create1", errno);
  return fd;
}

}  // namespace

EventLoop::EventLoop(const EventSources& sources)
    : epoll_(made_epoll()), timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (!timer_) throw SystemError("timerfd_create", errno);
  watch(timer_.get(), &Events::timer);
  watch(sources.engine, &Events::engine);
  watch(sources.signals, &Events::signals);
  watch(sources.input, &Events::input);
}

void EventLoop::watch(int fd, bool Events::*which) {
  if (fd < 0) return;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = uint64_t(std::ranges::find(kKinds, which) - std::begin(kKinds));
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    throw SystemError("epoll_ctl", errno);
  std::erase_if(watched_, [&](const Watched& watched) { return watched.fd == fd; });
  watched_.push_back({fd, which});
}

void EventLoop::unwatch(int fd) {
  std::erase_if(watched_, [&](const Watched& watched) { return watched.fd == fd; });
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr) != 0)
    throw SystemError("epoll_ctl", errno);
}

// This also clears an unread expiration.
void EventLoop::set_timer(uint64_t first_ns, uint64_t period_ns) {
  const itimerspec spec{to_timespec(period_ns), to_timespec(first_ns)};
  if (timerfd_settime(timer_.get(), 0, &spec, nullptr) != 0)
    throw SystemError("timerfd_settime", errno);
  period_ns_ = period_ns;
}

// A timer that can't be read would be ready for ever: it is set again.
bool EventLoop::has_expired() {
  uint64_t missed = 0;
  if (read(timer_.get(), &missed, sizeof missed) == sizeof missed) return true;
  if (errno == EAGAIN) return false;
  set_timer(period_ns_, period_ns_);
  return true;
}

// Without epoll, for a moment: what fails once must not end what goes on for weeks, and what fails
// for ever not take a CPU.
Events EventLoop::poll_all() {
  constexpr int kMoment_ms = 10;
  if (++failures_ > 1) poll(nullptr, 0, kMoment_ms);
  std::vector<pollfd> fds;
  for (const Watched& watched : watched_) fds.push_back({watched.fd, POLLIN, 0});
  Events events;
  if (poll(fds.data(), fds.size(), kMoment_ms) <= 0) return events;
  for (size_t i = 0; i < fds.size(); ++i)
    if (fds[i].revents & ~POLLNVAL) events.*watched_[i].which = true;
  return events;
}

Events EventLoop::wait(int timeout_ms) {
  std::array<epoll_event, std::size(kKinds)> ready;
  const int count =
      epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), timeout_ms);
  Events events;
  if (count < 0)
    events = poll_all();
  else
    failures_ = 0;
  for (int i = 0; i < count; ++i) events.*kKinds[ready[size_t(i)].data.u64] = true;
  if (events.timer) events.timer = has_expired();
  return events;
}

SignalFd::SignalFd(std::initializer_list<int> numbers) {
  set_ = those_not_ignored(numbers);
  sigprocmask(SIG_BLOCK, &set_, &before_);
  fd_.reset(signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
  if (fd_) return;
  const int error = errno;
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  throw SystemError("signalfd", error);
}

// A terminal that closes sends SIGHUP twice: the second one must not kill us while
// we exit because of the first.
SignalFd::~SignalFd() {
  // Those that were blocked before somebody else waits for.
  for (int number = 1; number < NSIG; ++number)
    if (sigismember(&before_, number) == 1) sigdelset(&set_, number);
  signalfd(fd_.get(), &set_, 0);
  while (take() != 0) continue;
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int SignalFd::take() const {
  signalfd_siginfo info{};
  if (read(fd_.get(), &info, sizeof info) == sizeof info) return static_cast<int>(info.ssi_signo);
  if (errno == EAGAIN) return 0;
  constexpr timespec kAtOnce = {};
  return std::max(sigtimedwait(&set_, nullptr, &kAtOnce), 0);
}

bool deliver_stop(int number, pid_t to) {
  struct sigaction usual {
  }, before{};
  usual.sa_handler = SIG_DFL;
  sigaction(number, &usual, &before);
  const sigset_t stop = set_of(number), go_on = set_of(SIGCONT);
  sigset_t mask;
  sigprocmask(SIG_BLOCK, &go_on, &mask);  // so that it stays, for us to see
  kill(to, number);
  sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  // Stopped here.
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  sigset_t pending;
  sigpending(&pending);
  sigaction(number, &before, nullptr);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  return sigismember(&pending, SIGCONT) == 1;
}

int end_by(int number) {
  ::signal(number, SIG_DFL);
  const sigset_t only = set_of(number);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  return kSignalExit + number;
}

}  // namespace pipetop
