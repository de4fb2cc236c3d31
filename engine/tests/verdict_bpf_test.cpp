// Real runs that are forced into each state, seen with every observer.
#include <signal.h>
#include <unistd.h>

#include "engine/observe/tests/bpf_fixture.h"
#include "engine/presets.h"
#include "engine/tests/verdict_run.h"

namespace pipetop {
namespace {

class VerdictBpfTest : public VerdictRun {
 protected:
  void run(const Settings& settings) { start_first(settings, BpfUse::automatic); }

  // Makes one side slow: it may run for a tenth of the time.
  static std::function<void(const Snapshot&)> slow(Role role) {
    return [role](const Snapshot& s) {
      const pid_t pid = s.worker(role).pid;
      if (!s.effective.settled || pid <= 0) return;
      ::kill(pid, SIGSTOP);
      usleep(45'000);
      ::kill(pid, SIGCONT);
    };
  }
};

Settings rung(std::string_view name) { return find_preset(article_presets(), name)->settings; }

#define NEED_BPF() PIPETOP_NEED(engine->tick().event)

TEST_F(VerdictBpfTest, ASlowWriter) {
  run({});
  NEED_BPF();
  expect(Bound::writer, slow(Role::writer));
}

TEST_F(VerdictBpfTest, ASlowReader) {
  run({});
  NEED_BPF();
  expect(Bound::reader, slow(Role::reader));
}

TEST_F(VerdictBpfTest, ASlowWriterOfOneThatSpins) {
  run(rung("busy_loop_huge"));
  NEED_BPF();
  expect(Bound::writer, slow(Role::writer));
}

TEST_F(VerdictBpfTest, ASlowReaderOfOneThatPolls) {
  Settings s = rung("busy_loop_huge");
  s.writer_wait = s.reader_wait = Wait::busy_poll;
  run(s);
  NEED_BPF();
  expect(Bound::reader, slow(Role::reader));
}

TEST_F(VerdictBpfTest, ATinyPipe) {
  Settings s;
  s.pipe_size = kPageBytes;
  run(s);
  NEED_BPF();
  expect(Bound::wakeup);
}

TEST_F(VerdictBpfTest, BusyLoops) {
  run(rung("busy_loop_huge"));
  NEED_BPF();
  expect(Bound::lock);
}

TEST_F(VerdictBpfTest, OneCpu) {
  Settings s;
  s.placement = Placement::same_cpu;
  run(s);
  NEED_BPF();
  expect(Bound::cpu);
}

TEST_F(VerdictBpfTest, AChangeIsJudgedAnew) {
  Settings s;
  s.placement = Placement::same_cpu;
  run(s);
  NEED_BPF();
  expect(Bound::cpu);
  s.placement = Placement::near;
  s.pipe_size = kPageBytes;
  engine->apply(s, "near, tiny");
  EXPECT_EQ(engine->tick().verdict.status, ReadingStatus::warming);
  expect(Bound::wakeup);
}

TEST_F(VerdictBpfTest, AStoppedReaderIsNoVerdict) {
  run({});
  NEED_BPF();
  const Snapshot flowing = until([](const Snapshot& s) { return s.effective.settled; });
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
