// An engine that is driven until it says what limits it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "engine/judge/evidence.h"
#include "engine/judge/verdict.h"
#include "engine/process/placement.h"
#include "engine/tests/engine_fixture.h"
#include "engine/tests/run_first.h"
#include "engine/tests/run_tests.h"
#include "engine/tests/support/schedstat_window.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {

class VerdictRun : public EngineTest {
 private:
  // The kernel's, of both workers.
  struct Books {
    explicit Books(const Snapshot& s)
        : begin_ns(s.now_ns),
          writer(s.worker(Role::writer).pid),
          reader(s.worker(Role::reader).pid) {}
    bool is_old(const Snapshot& s) const { return s.now_ns > begin_ns + kSecond; }

    // Whether the state is one in which that verdict is right.
    testing::AssertionResult show(Verdict::Kind kind) const {
      const bool is_so = kind == Verdict::Kind::writer   ? writer.on_cpu() < 0.5
                         : kind == Verdict::Kind::reader ? reader.on_cpu() < 0.5
                         : kind == Verdict::Kind::lock   ? writer.busy() + reader.busy() > 1.6
                         : kind == Verdict::Kind::cpu    ? writer.on_cpu() + reader.on_cpu() < 1.1
                                                         : writer.sleeps() + reader.sleeps() > 100;
      return (is_so ? testing::AssertionSuccess() : testing::AssertionFailure())
             << "on a CPU " << writer.on_cpu() << " and " << reader.on_cpu() << ", waiting for one "
             << writer.runnable() << " and " << reader.runnable() << ", slept " << writer.sleeps()
             << " and " << reader.sleeps() << " times";
    }

    uint64_t begin_ns;
    SchedstatWindow writer, reader;
  };

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
  // each tick. The kernel's books of the last second tell whether the state was forced.
  Snapshot expect(Verdict::Kind kind,
                  const std::function<void(const Snapshot&)>& between = nullptr) {
    Snapshot s = engine->tick();
    std::optional<Books> before, books;
    const bool came = eventually([&] { return judged(s) == kind; },
                                 [&] {
                                   if (!books || books->is_old(s)) before = books, books.emplace(s);
                                   if (between) between(s);
                                   s = serve();
                                 },
                                 kReadingPatience_ns);
    EXPECT_TRUE(came) << name_of(kind) << " did not come: "
                      << (s.verdict.has_value() ? s.verdict->because : s.verdict.reason);
    if (came) {
      EXPECT_NE(s.verdict->because, "");
    }
    if (!came && before) {
      EXPECT_TRUE(before->show(kind)) << kNotForced << "the workers' books are of another state";
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
