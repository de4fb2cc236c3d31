// An engine that is driven until it says what limits it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "engine/judge/evidence.h"
#include "engine/judge/verdict.h"
#include "engine/process/placement.h"
#include "engine/tests/engine_fixture.h"
#include "engine/tests/run_first.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {

class VerdictRun : public EngineTest {
 protected:
  // With workers that run before all else: it is the pipe that is to be judged, and
  // not a busy machine.
  void start_first(const Settings& settings, BpfUse bpf) {
    run_first(1);  // which they inherit
    start(settings, bpf);
    run_first(2);  // or else we could not stop them
  }

  void TearDown() override {
    engine.reset();
    run_first(0);
  }

  // Fails unless that verdict comes; `between` may do something to the workers before
  // each tick.
  Snapshot expect(Verdict::Kind kind,
                  const std::function<void(const Snapshot&)>& between = nullptr) {
    Snapshot s = engine->tick();
    const bool came = eventually([&] { return judged(s) == kind; },
                                 [&] {
                                   if (between) between(s);
                                   s = serve();
                                 });
    EXPECT_TRUE(came) << name_of(kind) << " did not come: "
                      << (s.verdict.has_value() ? s.verdict->because : s.verdict.reason);
    if (came) {
      EXPECT_NE(s.verdict->because, "");
    }
    return s;
  }

  static std::optional<Verdict::Kind> judged(const Snapshot& s) {
    return s.verdict.has_value() ? std::optional(s.verdict->kind) : std::nullopt;
  }
};

// Leaves the test where its question has no answer.
#define PIPETOP_NEED_TWO_CPUS()                                       \
  do {                                                                \
    if (read_topology().size() < 2) GTEST_SKIP() << "needs two CPUs"; \
  } while (false)
#define PIPETOP_NEED_TO_RUN_FIRST()                                                  \
  do {                                                                               \
    if (!run_first(1)) GTEST_SKIP() << "may not run before all others; run as root"; \
    run_first(0);                                                                    \
  } while (false)

}  // namespace pipetop
