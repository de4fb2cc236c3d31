#include "engine/experiment/session.h"

#include <algorithm>

#include "engine/base/clock.h"

namespace pipetop {

Session::Session(const EngineOptions& options, Interrupts& interrupts)
    : interrupts_(interrupts),
      engine_(options),
      loop_({.engine = engine_.event_fd(), .signals = interrupts.fd()}) {}

bool Session::serve(uint64_t ns) {
  loop_.set_timer_once(ns);
  const Events events = loop_.wait();
  if (events.engine) engine_.handle_events();
  return events.signals ? interrupts_.take(&engine_) : !interrupts_.ended();
}

bool Session::wait(uint64_t ns) {
  const uint64_t end_ns = interrupts_.now_ns() + ns;
  for (uint64_t now_ns = interrupts_.now_ns(); now_ns < end_ns; now_ns = interrupts_.now_ns())
    if (!serve(end_ns - now_ns)) return false;
  return true;
}

Snapshot Session::run_for(uint64_t ns) {
  constexpr uint64_t kFrameNs = 50 * kMs;
  const uint64_t end_ns = monotonic_ns() + ns;
  for (uint64_t now_ns = monotonic_ns(); now_ns < end_ns; now_ns = monotonic_ns()) {
    if (!wait(std::min(kFrameNs, end_ns - now_ns))) break;
    if (monotonic_ns() < end_ns) engine_.tick();
  }
  return engine_.tick();
}

Snapshot Session::run_until_settled() {
  for (;;) {
    Snapshot s = engine_.tick();
    if (s.effective.settled || !serve(kMs)) return s;
  }
}

}  // namespace pipetop
