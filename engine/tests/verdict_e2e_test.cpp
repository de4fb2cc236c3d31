// What can be said without BPF, of real runs that are forced into a state.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "engine/process/placement.h"
#include "engine/tests/verdict_run.h"

namespace pipetop {
namespace {

class VerdictTest : public VerdictRun {
 protected:
  void run(const Settings& settings) { start(settings, BpfUse::off); }
};

// A process that never leaves its CPU of itself.
class CpuHog {
 public:
  CpuHog(int cpu, std::span<const Cpu> allowed) {
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || pin(0, cpu, allowed) != 0) _exit(1);
    for (volatile bool on = true; on;) {
    }
  }
  ~CpuHog() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  CpuHog(const CpuHog&) = delete;
  CpuHog& operator=(const CpuHog&) = delete;

 private:
  pid_t pid_ = -1;
};

// The worker gets what the hog leaves: little.
void make_slow(const Snapshot& s, Role role) {
  const sched_param none = {};
  ASSERT_EQ(sched_setscheduler(s.worker(role).pid, SCHED_IDLE, &none), 0);
}

TEST_F(VerdictTest, ATinyPipe) {
  Settings s;
  s.pipe_size = kPageBytes;
  start_first(s, BpfUse::off);
  expect(Bound::wakeup);
}

TEST_F(VerdictTest, OneCpu) {
  Settings s;
  s.placement = Placement::same_cpu;
  s.writer_wait = s.reader_wait = Wait::busy;
  run(s);
  expect(Bound::cpu);
}

TEST_F(VerdictTest, ASlowSide) {
  const auto cpus = read_topology();
  if (cpus.size() < 2) GTEST_SKIP() << "needs two CPUs";
  Settings s;
  s.placement = Placement::cpus;
  s.writer_cpu = cpus[0].number;
  s.reader_cpu = cpus[1].number;
  for (const Role role : {Role::writer, Role::reader}) {
    const CpuHog hog(cpus[static_cast<size_t>(role)].number, cpus);
    run(s);
    make_slow(until([](const Snapshot& t) { return t.effective.settled; }), role);
    expect(role == Role::writer ? Bound::writer : Bound::reader);
  }
}

}  // namespace
}  // namespace pipetop
