#include "tui/loop/events.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/base/error.h"

namespace pipetop::tui {
namespace {

enum Tag : uint32_t { kInput, kFrame, kSignal, kEngine };

UniqueFd frame_timer(uint32_t frames_per_s) {
  UniqueFd timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const long period_ns = 1'000'000'000L / std::clamp(frames_per_s, 1u, 1000u);
  const timespec period{period_ns / 1'000'000'000, period_ns % 1'000'000'000};
  const itimerspec spec{period, period};
  if (timer.get() < 0 || timerfd_settime(timer.get(), 0, &spec, nullptr) != 0)
    throw SystemError("starting the frame timer", errno);
  return timer;
}

}  // namespace

EventLoop::EventLoop(int engine_fd, int signal_fd, uint32_t frames_per_s)
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), timer_(frame_timer(frames_per_s)) {
  if (epoll_.get() < 0) throw SystemError("epoll_create1", errno);
  watch(STDIN_FILENO, kInput);
  watch(timer_.get(), kFrame);
  watch(signal_fd, kSignal);
  watch(engine_fd, kEngine);
}

void EventLoop::watch(int fd, uint32_t tag) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u32 = tag;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    throw SystemError("watching a descriptor", errno);
}

Events EventLoop::wait() {
  std::array<epoll_event, 4> ready;
  const int count = epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), -1);
  if (count < 0 && errno != EINTR) throw SystemError("epoll_wait", errno);
  Events events;
  for (int i = 0; i < count; ++i) {
    switch (ready[static_cast<size_t>(i)].data.u32) {
      case kInput:
        events.input = true;
        break;
      case kFrame: {
        // Frames missed while something else took long are not made up for.
        uint64_t missed = 0;
        events.frame = read(timer_.get(), &missed, sizeof missed) == sizeof missed;
        break;
      }
      case kSignal:
        events.signal = true;
        break;
      default:
        events.engine = true;
    }
  }
  return events;
}

}  // namespace pipetop::tui
