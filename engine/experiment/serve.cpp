#include "engine/experiment/serve.h"

#include <poll.h>

#include <algorithm>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

constexpr int kTickMs = 50;

}  // namespace

void serve(Engine& engine, int ms) {
  pollfd events = {engine.event_fd(), POLLIN, 0};
  ::poll(&events, 1, ms);
  engine.handle_events();
}

Snapshot run_for(Engine& engine, uint64_t ns) {
  const uint64_t end = monotonic_ns() + ns;
  for (uint64_t now = monotonic_ns(); now < end; now = monotonic_ns()) {
    serve(engine, std::min(kTickMs, static_cast<int>((end - now + kMs - 1) / kMs)));
    if (monotonic_ns() < end) engine.tick();
  }
  return engine.tick();
}

Snapshot run_until_settled(Engine& engine) {
  for (;;) {
    Snapshot s = engine.tick();
    if (s.effective.settled) return s;
    serve(engine, 1);
  }
}

}  // namespace pipetop
