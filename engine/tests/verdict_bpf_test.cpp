// Real runs that are forced into each state, seen with every observer.
#include <signal.h>
#include <unistd.h>

#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/verdict_run.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

class MeasuredVerdictBpf : public VerdictRun {
 protected:
  void SetUp() override {
    PIPETOP_NEED_TWO_CPUS();
    PIPETOP_NEED_TO_RUN_FIRST();
  }

  void run(const Settings& settings) { start_first(settings, BpfUse::automatic); }

  // Makes one side slow: it may run for a tenth of the time.
  static std::function<void(const Snapshot&)> slow(Role role) {
    return [role, continued_ns = uint64_t{0}](const Snapshot& s) mutable {
      const pid_t pid = s.worker(role).pid;
      if (!s.effective.settled || pid <= 0) return;
      const uint64_t now_ns = monotonic_ns();
      const uint64_t ran_ns = continued_ns == 0 ? 0 : now_ns - continued_ns;
      ::kill(pid, SIGSTOP);
      usleep(static_cast<useconds_t>(std::max(ran_ns / 1000 * 9, uint64_t{45'000})));
      ::kill(pid, SIGCONT);
      continued_ns = monotonic_ns();
    };
  }
};

Settings rung(std::string_view name) { return find_preset(article_presets(), name)->settings; }

#define NEED_BPF() PIPETOP_NEED(engine->tick().event)

TEST_F(MeasuredVerdictBpf, ASlowWriter) {
  run({});
  NEED_BPF();
  expect(Verdict::Kind::writer, slow(Role::writer));
}

TEST_F(MeasuredVerdictBpf, ASlowReader) {
  run({});
  NEED_BPF();
  expect(Verdict::Kind::reader, slow(Role::reader));
}

TEST_F(MeasuredVerdictBpf, ASlowWriterOfOneThatSpins) {
  run(rung("busy_loop_huge"));
  NEED_BPF();
  expect(Verdict::Kind::writer, slow(Role::writer));
}

TEST_F(MeasuredVerdictBpf, ASlowReaderOfOneThatPolls) {
  Settings s = rung("busy_loop_huge");
  s.pipe.writer_wait = s.pipe.reader_wait = Wait::busy_poll;
  run(s);
  NEED_BPF();
  expect(Verdict::Kind::reader, slow(Role::reader));
}

TEST_F(MeasuredVerdictBpf, ATinyPipe) {
  Settings s;
  s.pipe.pipe_size = kPageBytes;
  run(s);
  NEED_BPF();
  expect(Verdict::Kind::wakeup);
}

// They copy all that they move while they hold the mutex, so that each waits for it
// while the other one copies.
Settings that_share_the_mutex() {
  Settings s;
  s.pipe.writer_wait = s.pipe.reader_wait = Wait::busy;
  return s;
}

TEST_F(MeasuredVerdictBpf, BusyLoops) {
  run(that_share_the_mutex());
  NEED_BPF();
  expect(Verdict::Kind::lock);
}

TEST_F(MeasuredVerdictBpf, AChangeIsJudgedAnew) {
  Settings s;
  s.pipe.placement = Placement::same_cpu;
  run(s);
  NEED_BPF();
  expect(Verdict::Kind::cpu);
  engine->apply(that_share_the_mutex(), "near, busy");
  EXPECT_EQ(engine->tick().verdict.status, ReadingStatus::warming);
  expect(Verdict::Kind::lock);
}

// However many CPUs there are, and whatever else they do.
using VerdictAnywhere = VerdictRun;
class MeasuredVerdictAnywhere : public VerdictRun {};

TEST_F(MeasuredVerdictAnywhere, OneCpu) {
  Settings s;
  s.pipe.placement = Placement::same_cpu;
  start(s, BpfUse::automatic);
  NEED_BPF();
  expect(Verdict::Kind::cpu);
}

TEST_F(VerdictAnywhere, AStoppedReaderIsNoVerdict) {
  start({}, BpfUse::automatic);
  NEED_BPF();
  const Snapshot flowing = settle();
  ::kill(flowing.worker(Role::reader).pid, SIGSTOP);
  const Snapshot s = until([](const Snapshot& t) {
    return t.verdict.reason.find("kill -CONT") != t.verdict.reason.npos;
  });
  EXPECT_EQ(s.verdict.status, ReadingStatus::unavailable);
  EXPECT_TRUE(s.verdict.reason.starts_with("the reader does not run freely")) << s.verdict.reason;
  ::kill(flowing.worker(Role::reader).pid, SIGCONT);
}

}  // namespace
}  // namespace pipetop
