// An engine that is driven until it says what limits it. Nothing here is timed:
// a minute is no measurement but a broken test.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>

#include <functional>
#include <memory>

#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/workload/pipe/verdict.h"

namespace pipetop {

class VerdictRun : public testing::Test {
 protected:
  static constexpr uint64_t kBound = 60'000'000'000;

  void start(const Settings& settings, BpfUse bpf) {
    EngineOptions options;
    options.settings = settings;
    options.bpf = bpf;
    engine = std::make_unique<Engine>(options);
  }

  // The same, with workers that run before all else where that is allowed: it is
  // the pipe that is to be judged, and not a busy machine.
  void start_first(const Settings& settings, BpfUse bpf) {
    set_priority(1);  // which they inherit
    start(settings, bpf);
    set_priority(2);  // or else we could not stop them
  }

  void TearDown() override {
    engine.reset();
    set_priority(0);
  }

  // Ticks until `done`; `between` may do something to the workers before each.
  Snapshot until(const std::function<bool(const Snapshot&)>& done,
                 const std::function<void(const Snapshot&)>& between = nullptr) {
    const uint64_t begin = monotonic_ns();
    Snapshot s = engine->tick();
    while (!done(s) && monotonic_ns() < begin + kBound) {
      if (between) between(s);
      pollfd events = {engine->event_fd(), POLLIN, 0};
      ::poll(&events, 1, 5);
      engine->handle_events();
      s = engine->tick();
    }
    return s;
  }

  // Fails unless that verdict comes.
  void expect(Bound bound, const std::function<void(const Snapshot&)>& between = nullptr) {
    const Snapshot s =
        until([&](const Snapshot& t) { return t.verdict.has_value() && t.verdict->bound == bound; },
              between);
    ASSERT_TRUE(s.verdict.has_value()) << s.verdict.reason;
    EXPECT_EQ(to_text(s.verdict->bound), to_text(bound)) << s.verdict->because;
    EXPECT_NE(s.verdict->because, "");
  }

  std::unique_ptr<Engine> engine;

 private:
  static void set_priority(int priority) {
    const sched_param param = {priority};
    sched_setscheduler(0, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &param);
  }
};

}  // namespace pipetop
