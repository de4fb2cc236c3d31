// What comes between while something is measured, on real pipes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/experiment/trial.h"
#include "engine/process/proc_files.h"

namespace pipetop {
namespace {

EngineOptions unwatched() {
  EngineOptions options;
  options.bpf = BpfUse::off;
  return options;
}

TEST(Trial, ASignalEndsItWithWhatThereIs) {
  Interrupts interrupts({SIGTERM});
  Session session(unwatched(), interrupts);
  TrialListener listener;
  listener.ticked = [](const Trial&, bool last) {
    if (!last) raise(SIGTERM);
  };
  const Trial trial = measure(session, {0, 60 * kSecond, 0}, listener);
  EXPECT_TRUE(trial.cut_short);
  EXPECT_EQ(interrupts.signal(), SIGTERM);
  EXPECT_GT(trial.items(), 0u);
  EXPECT_LT(trial.duration_ns(), 30 * kSecond);
}

TEST(Trial, ASignalBeforeItBeginsLeavesNothing) {
  Interrupts interrupts({SIGTERM});
  Session session(unwatched(), interrupts);
  raise(SIGTERM);
  const Trial trial = measure(session, {kSecond, kSecond, 0});
  EXPECT_TRUE(trial.cut_short);
  EXPECT_EQ(trial.duration_ns(), 0u);
}

// The verdict may be any, or none for another reason.
TEST(Trial, ASecondIsJudgedAtItsEnd) {
  Interrupts none{{}};
  Session session(unwatched(), none);
  const Trial trial = measure(session, {0, kSecond, 0});
  EXPECT_EQ(trial.end.verdict.reason.find("since the change"), std::string::npos)
      << trial.end.verdict.reason;
}

TEST(Trial, TheLastTickIsTheEnd) {
  Interrupts none{{}};
  Session session(unwatched(), none);
  int began = 0, last_ticks = 0;
  Snapshot last;
  TrialListener listener;
  listener.began = [&](const Snapshot&) { ++began; };
  listener.ticked = [&](const Trial& so_far, bool is_last) {
    last_ticks += is_last;
    last = so_far.end;
  };
  const Trial trial = measure(session, {0, 250 * kMs, 0}, listener);
  EXPECT_EQ(began, 1);
  EXPECT_EQ(last_ticks, 1);
  EXPECT_EQ(last.now_ns, trial.end.now_ns);
  EXPECT_GE(trial.duration_ns(), 250 * kMs);
  EXPECT_EQ(trial.segment.label, "measure");
  EXPECT_TRUE(trial.segment.role(Role::writer).shares.on_cpu.has_value());
}

TEST(Trial, SwitchesAreCountedUpToItsEnd) {
  Interrupts none{{}};
  Session session(unwatched(), none);
  uint64_t before_the_end = 0;
  TrialListener listener;
  listener.ticked = [&](const Trial& so_far, bool is_last) {
    if (is_last) return;
    const auto stats = read_process_stats(so_far.end.worker(Role::reader).pid);
    ASSERT_TRUE(stats);
    before_the_end = stats->times.voluntary_switches;
  };
  const Trial trial = measure(session, {0, 450 * kMs, 0}, listener);
  EXPECT_GE(*trial.end.worker(Role::reader).voluntary_switches, before_the_end);
}

TEST(Trial, AShortOneHasAMedianToo) {
  Interrupts none{{}};
  Session session(unwatched(), none);
  const Trial trial = measure(session, {0, 200 * kMs, 0});
  const Reading<RateStats>& rate = trial.end.throughput.current.rate;
  EXPECT_TRUE(rate.has_value()) << rate.reason;
}

TEST(Trial, TheRatesOfItsPartsAreOverAllOfIt) {
  Interrupts none{{}};
  EngineOptions options = unwatched();
  options.settings.pipe.pairs = 2;
  Session session(options, none);
  const Trial trial = measure(session, {200 * kMs, 200 * kMs, 0});
  ASSERT_EQ(trial.end.parts.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const Progress moved = trial.end.parts[i].total - trial.begin.parts[i].total;
    const double gib = double(moved.items) / double(1ull << 30);
    EXPECT_DOUBLE_EQ(*trial.end.parts[i].rate, gib / (double(moved.clock_ns) / 1e9));
  }
}

// SIGSTOP stops all of the process, so that somebody else has to continue it.
void continue_in(pid_t stopped, uint64_t ns) {
  if (fork() != 0) return;
  usleep(static_cast<useconds_t>(ns / 1000));
  kill(stopped, SIGCONT);
  _exit(0);
}

TEST(Trial, BeginsAnewAfterASuspension) {
  // A group of our own, whose parent is in another one, as a shell makes it: in an orphaned one
  // stops are ignored.
  ASSERT_EQ(setpgid(0, 0), 0);
  Interrupts interrupts({SIGTSTP});
  int suspended = 0, began = 0;
  interrupts.suspending = [&] {
    ++suspended;
    continue_in(getpid(), 200 * kMs);
  };
  Session session(unwatched(), interrupts);
  TrialListener listener;
  listener.began = [&](const Snapshot&) { ++began; };
  listener.ticked = [&](const Trial&, bool) {
    if (suspended == 0) raise(SIGTSTP);
  };
  const uint64_t begin_ns = interrupts.now_ns(), wall_ns = monotonic_ns();
  const Trial trial = measure(session, {0, 300 * kMs, 0}, listener);
  const uint64_t ran_ns = interrupts.now_ns() - begin_ns;
  EXPECT_EQ(suspended, 1);
  EXPECT_EQ(began, 2);
  EXPECT_FALSE(trial.cut_short);
  EXPECT_GE(trial.duration_ns(), 300 * kMs);
  EXPECT_GE(monotonic_ns() - wall_ns, ran_ns + 100 * kMs) << "the stop counts for nothing";
  EXPECT_GT(trial.items(), 0u) << "the workers go on";
  while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
}

}  // namespace
}  // namespace pipetop
