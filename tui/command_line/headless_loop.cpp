#include "tui/command_line/headless_loop.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/error.h"

namespace pipetop::tui {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGTSTP};
constexpr int kMaxEvents = 3;

// A blocked signal reaches a signalfd even when its action is to be ignored.
sigset_t wanted_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kSignals) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&set, signal);
  }
  return set;
}

}  // namespace

HeadlessSignals::HeadlessSignals() {
  const sigset_t wanted = wanted_signals();
  sigprocmask(SIG_BLOCK, &wanted, &before_);
  fd_.reset(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw SystemError("signalfd", errno);
}

HeadlessSignals::~HeadlessSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

int HeadlessSignals::take() const {
  signalfd_siginfo info{};
  return read(fd_.get(), &info, sizeof info) == ssize_t(sizeof info) ? int(info.ssi_signo) : 0;
}

HeadlessLoop::HeadlessLoop(int engine_fd, const HeadlessSignals& signals)
    : engine_fd_(engine_fd),
      signals_(signals),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (!epoll_ || !timer_) throw SystemError("epoll_create1 or timerfd_create", errno);
  for (const int fd : {engine_fd, signals.fd(), timer_.get()}) watch(fd);
}

void HeadlessLoop::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    throw SystemError("epoll_ctl", errno);
}

// One shot; setting it anew also takes back an expiration that was not read.
void HeadlessLoop::arm(uint64_t timeout_ns) {
  timeout_ns = std::max<uint64_t>(timeout_ns, 1);
  itimerspec timer{};
  timer.it_value = {time_t(timeout_ns / 1'000'000'000), long(timeout_ns % 1'000'000'000)};
  timerfd_settime(timer_.get(), 0, &timer, nullptr);
}

HeadlessEvents HeadlessLoop::wait(uint64_t timeout_ns) {
  arm(timeout_ns);
  std::array<epoll_event, kMaxEvents> ready;
  const int count = epoll_wait(epoll_.get(), ready.data(), kMaxEvents, -1);
  if (count < 0 && errno != EINTR) throw SystemError("epoll_wait", errno);
  HeadlessEvents events;
  for (int i = 0; i < count; ++i) {
    const int fd = ready[size_t(i)].data.fd;
    if (fd == engine_fd_) events.engine = true;
    if (fd == timer_.get()) events.timer = true;
    if (fd == signals_.fd()) events.signal = signals_.take();
  }
  return events;
}

}  // namespace pipetop::tui
