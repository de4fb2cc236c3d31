// What can be said without BPF, of real runs that are forced into a state.
#include <sched.h>
#include <unistd.h>

#include <csignal>

#include "engine/process/placement.h"
#include "engine/tests/support/child.h"
#include "engine/tests/verdict_run.h"

namespace pipetop {
namespace {

class MeasuredVerdict : public VerdictRun {};

TEST_F(MeasuredVerdict, ATinyPipe) {
  PIPETOP_NEED_TWO_CPUS();
  PIPETOP_NEED_TO_RUN_FIRST();
  Settings s;
  s.pipe.pipe_size = kPageBytes;
  start_first(s, BpfUse::off);
  expect(Verdict::Kind::wakeup);
}

TEST_F(MeasuredVerdict, OneCpu) {
  Settings s;
  s.pipe.placement = Placement::same_cpu;
  s.pipe.writer_wait = s.pipe.reader_wait = Wait::busy;
  start(s);
  expect(Verdict::Kind::cpu);
}

// One worker runs before all others; the other one gets what a hog leaves, which is
// little.
class MeasuredSlowSide : public VerdictRun {
 protected:
  void expect_that_it_is(Role slow, Verdict::Kind kind) {
    PIPETOP_NEED_TO_RUN_FIRST();
    const auto cpus = read_topology();
    if (cpus.size() < 2) GTEST_SKIP() << "needs two CPUs";
    Settings s;
    s.pipe.placement = Placement::cpus;
    s.pipe.writer_cpu = cpus[0].number;
    s.pipe.reader_cpu = cpus[1].number;
    const int cpu = cpus[static_cast<size_t>(slow)].number;
    const Child hog([&]() -> int {  // never leaves its CPU of itself
      if (pin(0, cpu, cpus) != 0) return 1;
      for (volatile bool on = true; on;) {
      }
      return 0;
    });
    start_first(s, BpfUse::off);
    const sched_param none = {};
    ASSERT_EQ(sched_setscheduler(settle().worker(slow).pid, SCHED_IDLE, &none), 0);
    expect(kind);
  }
};

TEST_F(MeasuredSlowSide, IsTheWriter) { expect_that_it_is(Role::writer, Verdict::Kind::writer); }
TEST_F(MeasuredSlowSide, IsTheReader) { expect_that_it_is(Role::reader, Verdict::Kind::reader); }

}  // namespace
}  // namespace pipetop
