#include "engine/base/event_loop.h"

#include <sys/epoll.h>
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
                                    &Events::input};

timespec to_timespec(uint64_t ns) { return {time_t(ns / kSecond), long(ns % kSecond)}; }

}  // namespace

EventLoop::EventLoop(const EventSources& sources)
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (!epoll_ || !timer_) throw SystemError("epoll_create1 or timerfd_create", errno);
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
    throw SystemError("watching a descriptor", errno);
}

// This also clears an unread expiration.
void EventLoop::set_timer(uint64_t first_ns, uint64_t period_ns) {
  const uint64_t least_ns = 1;  // 0 would disarm it
  const itimerspec spec{to_timespec(period_ns), to_timespec(std::max(first_ns, least_ns))};
  if (timerfd_settime(timer_.get(), 0, &spec, nullptr) != 0)
    throw SystemError("timerfd_settime", errno);
}

Events EventLoop::wait() {
  std::array<epoll_event, std::size(kKinds)> ready;
  const int count = epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), -1);
  if (count < 0 && errno != EINTR) throw SystemError("epoll_wait", errno);
  Events events;
  for (int i = 0; i < count; ++i) events.*kKinds[ready[size_t(i)].data.u64] = true;
  uint64_t missed = 0;
  if (events.timer) events.timer = read(timer_.get(), &missed, sizeof missed) == sizeof missed;
  return events;
}

}  // namespace pipetop
