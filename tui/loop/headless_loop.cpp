#include "tui/loop/headless_loop.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/base/error.h"

namespace pipetop::tui {
namespace {

constexpr int kMaxEvents = 3;

}  // namespace

HeadlessLoop::HeadlessLoop(int engine_fd, const SignalFd& signals)
    : engine_fd_(engine_fd),
      signals_(signals),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (!epoll_ || !timer_) throw SystemError("epoll_create1 or timerfd_create", errno);
  for (const int fd : {engine_fd, signals.get(), timer_.get()}) watch(fd);
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
    if (fd == signals_.get()) events.signal = signals_.take();
  }
  return events;
}

}  // namespace pipetop::tui
