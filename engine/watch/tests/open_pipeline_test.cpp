// The open pipeline, through a Watcher on a machine that the test plays.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/judge/verdict.h"
#include "engine/watch/pipeline_members.h"
#include "engine/watch/tests/watch_fixture.h"

namespace pipetop {
namespace {

class OpenPipelineTest : public WatchTest {
 protected:
  // tar waits for gzip, ssh for gzip's output.
  void make_tar_gzip_ssh() {
    tar = machine.add(10, "tar", 5);
    gzip = machine.add(11, "gzip", 5);
    ssh = machine.add(12, "ssh", 5);
    first = machine.connect(100, 10, 11);
    second = machine.connect(200, 11, 12);
    machine.waits(10, WaitsFor::pipe_write, 1);
    machine.runs(11);
    machine.waits(12, WaitsFor::pipe_read, 0);
    machine.pipe(100).used_share = 1;
    machine.pipe(100).bytes_per_s = 30 << 20;
    machine.pipe(200).bytes_per_s = 10 << 20;
  }
  const Pipe& pipe(const std::shared_ptr<const Snapshot>& s, PipeId id) {
    kept_ = s;
    static const Pipe none;
    const auto found = std::ranges::find(s->watched->pipes, id, &Pipe::id);
    if (found != s->watched->pipes.end()) return *found;
    ADD_FAILURE() << "no pipe " << id.inode;
    return none;
  }

  ProcessId tar, gzip, ssh;
  PipeId first, second;

 private:
  std::shared_ptr<const Snapshot> kept_;
};

TEST_F(OpenPipelineTest, HoldsItsStagesInTheOrderOfTheFlowAndTheirShares) {
  make_tar_gzip_ssh();
  tick();
  watcher->open(second);
  const auto s = run(3 * kSecond);
  ASSERT_TRUE(s->watched);
  EXPECT_EQ(names(s), "tar gzip ssh");
  EXPECT_EQ(s->watched->title(), "tar | gzip | ssh");
  ASSERT_EQ(s->watched->pipes.size(), 2u);
  EXPECT_EQ(s->watched->pipes[0].id, first);
  ASSERT_TRUE(stage(s, "tar").shares.has_value());
  EXPECT_NEAR(stage(s, "tar").shares->writing, 1.0, 1e-6);
  EXPECT_NEAR(stage(s, "gzip").shares->on_cpu, 1.0, 1e-6);
  EXPECT_NEAR(stage(s, "ssh").shares->reading, 1.0, 1e-6);
  EXPECT_NEAR(*stage(s, "gzip").cpu, 1.0, 1e-6);
  EXPECT_EQ(pipe(s, first).level->full_share, 1.0);
  EXPECT_GT(pipe(s, first).level->samples, 100u) << "the clock's, not the scans'";
  EXPECT_EQ(pipe(s, second).level->empty_share, 1.0);
  EXPECT_TRUE(pipe(s, first).frame.has_value());
  EXPECT_NEAR(*pipe(s, first).bytes_per_s, 30 << 20, 1 << 20);
  EXPECT_EQ(s->watched->verdict.kind, Verdict::Kind::stage);
  EXPECT_EQ(s->watched->verdict.stage, gzip);
  EXPECT_EQ(stage(s, "gzip").cpus, (std::vector<int>{0, 1}));
}

TEST_F(OpenPipelineTest, IsLookedAtTwentyTimesASecondAndHasAHistory) {
  make_tar_gzip_ssh();
  tick();
  watcher->open(first);
  machine.samples = 0;
  const auto s = run(3 * kSecond);
  EXPECT_NEAR(machine.samples, 60, 1);
  EXPECT_NEAR(machine.scans, 7, 1);
  EXPECT_NEAR(double(pipe(s, first).rates.size()), 30, 3);
  for (const RatePoint& point : pipe(s, first).rates) EXPECT_NEAR(point.rate, 30 << 20, 1 << 20);
  ASSERT_FALSE(pipe(s, first).fill.empty());
  EXPECT_EQ(pipe(s, first).fill.back().rate, 1.0);
}

// What that is, see outside_test.cpp.
TEST_F(OpenPipelineTest, OfWhoPollsItSaysWhetherOthersFeedOrEmptyIt) {
  make_tar_gzip_ssh();
  machine.waits(12, WaitsFor::poll);
  machine.process(12).links[3] = "socket:[4711]";
  tick();
  watcher->open(second);
  auto s = run(3 * kSecond);
  EXPECT_EQ(stage(s, "ssh").outside, true);
  EXPECT_FALSE(stage(s, "tar").outside) << "it doesn't poll";
  machine.pipe(200).pipe.socket = SocketLink{.read_inode = 4711};
  s = run(2 * kSecond);
  EXPECT_EQ(stage(s, "ssh").outside, false) << "that socket leads to gzip";
}

// A script's log has all of its processes as writers; its reader waits, and nothing moves.
TEST_F(OpenPipelineTest, OfTwoThePipelineThatMovesIsMeant) {
  machine.add(5, "bash", 1);
  machine.add(6, "tee", 1);
  machine.connect(600, 5, 6);
  machine.waits(5, WaitsFor::child);
  machine.waits(6, WaitsFor::pipe_read, 0);
  machine.add(21, "yes", 5);
  machine.add(22, "head", 5);
  const PipeId moves = machine.connect(500, 21, 22);
  machine.hold(600, 22, 1, Access::write);
  machine.pipe(500).bytes_per_s = 1 << 20;
  machine.waits(21, WaitsFor::sleep);
  machine.waits(22, WaitsFor::sleep);
  tick();
  for (const pid_t pid : {21, 22}) {
    watcher->open(machine.process(pid).id);
    const auto s = run(kSecond);
    EXPECT_EQ(names(s), "yes head");
    EXPECT_EQ(s->watched->pipes[0].id, moves);
  }
}

TEST_F(OpenPipelineTest, OnlyItsPipesAreAskedByRoot) {
  make_tar_gzip_ssh();
  machine.add(20, "yes");
  machine.add(21, "cat");
  machine.connect(300, 20, 21);
  tick();
  EXPECT_TRUE(machine.open.empty());
  watcher->open(second);
  EXPECT_EQ(machine.open, (std::set<PipeId>{first, second}));
  watcher->close();
  EXPECT_TRUE(machine.open.empty());
}

TEST_F(OpenPipelineTest, WhatIsTooMuchForLooksIsLookedAtWithPasses) {
  make_tar_gzip_ssh();
  tick();
  machine.is_cut = true;
  watcher->open(second);
  const int samples = machine.samples;
  auto s = run(3 * kSecond);
  EXPECT_EQ(machine.samples, samples);
  EXPECT_NE(notices.find("too many descriptors"), notices.npos) << notices;
  EXPECT_EQ(names(s), "tar gzip ssh");
  EXPECT_NEAR(*pipe(s, second).bytes_per_s, 10 << 20, 1 << 20);
  machine.exit(12);
  s = run(2 * kSecond);
  EXPECT_TRUE(stage(s, "ssh").gone);
}

TEST_F(OpenPipelineTest, OfThousandsOfPipesSomeAreShown) {
  machine.add(10, "tar");
  machine.add(12, "ssh");
  for (int i = 0; i < 300; ++i) {
    machine.hold(1000 + uint64_t(i), 10, 10 + i, Access::write);
    machine.hold(1000 + uint64_t(i), 12, 10 + i, Access::read);
  }
  tick();
  const PipeId chosen = {FakeMachine::kPipeDevice, 1299};
  watcher->open(chosen);
  const auto s = run(kSecond);
  EXPECT_EQ(s->watched->pipes.size(), PipelineMembers::kMost);
  EXPECT_FALSE(pipe(s, chosen).closed);
  EXPECT_NE(notices.find("44 more processes and pipes"), notices.npos) << notices;
}

TEST_F(OpenPipelineTest, OfThousandsOfHoldersSomeAreShown) {
  machine.add(10, "tar");
  machine.add(12, "ssh");
  const PipeId id = machine.connect(100, 10, 12);
  for (pid_t pid = 100; pid < 400; ++pid) {
    machine.add(pid, "holder", 10);
    machine.hold(100, pid, 7, Access::write);
  }
  tick();
  watcher->open(id);
  const auto s = run(kSecond);
  EXPECT_EQ(s->watched->stages.size(), 2 + PipelineMembers::kMost);
  EXPECT_NE(notices.find("44 more processes and pipes"), notices.npos) << notices;
}

TEST_F(OpenPipelineTest, TheWindowForgetsWhatWasBefore) {
  make_tar_gzip_ssh();
  start({.window_ns = kSecond});
  tick();
  watcher->open(first);
  run(3 * kSecond);
  machine.runs(12);
  const auto s = run(1100 * kMs);
  EXPECT_NEAR(stage(s, "ssh").shares->on_cpu, 1.0, 1e-6);
  EXPECT_NEAR(double(s->watched->window_ns), double(kSecond), 0.11 * double(kSecond));
}

TEST_F(OpenPipelineTest, OverallIsAllTheTimeSinceItWasOpened) {
  make_tar_gzip_ssh();
  start({.window_ns = kSecond});
  tick();
  EXPECT_FALSE(watcher->overall());
  watcher->open(first);
  run(3 * kSecond);
  machine.runs(12);
  run(kSecond);
  const auto all = watcher->overall();
  ASSERT_TRUE(all);
  EXPECT_NEAR(double(all->window_ns), 4e9, 0.1e9);
  EXPECT_NEAR(all->stages[2].shares->reading, 0.75, 0.02);
  EXPECT_NEAR(all->stages[2].shares->on_cpu, 0.25, 0.02);
}

TEST_F(OpenPipelineTest, WhoExitsStaysForAMoment) {
  make_tar_gzip_ssh();
  tick();
  watcher->open(first);
  run(kSecond);
  machine.exit(10);
  auto s = run(100 * kMs);
  EXPECT_EQ(names(s), "tar(gone) gzip ssh");
  EXPECT_EQ(stage(s, "tar").state.kind, StageState::Kind::zombie);
  EXPECT_NEAR(stage(s, "tar").shares->writing, 1.0, 1e-6) << "the last that was known";
  ASSERT_EQ(pipe(s, first).writers.size(), 1u) << "it shows where it was";
  EXPECT_EQ(pipe(s, first).writers[0].stage, 0u);
  s = run(7 * kSecond);
  EXPECT_EQ(names(s), "gzip ssh");
  EXPECT_EQ(notices, "");
}

TEST_F(OpenPipelineTest, AnExitIsNoticedWithoutWaitingForThePass) {
  make_tar_gzip_ssh();
  tick();
  watcher->open(first);
  run(520 * kMs);
  const int scans = machine.scans;
  machine.exit(10);
  run(100 * kMs);
  EXPECT_GT(machine.scans, scans);
}

TEST_F(OpenPipelineTest, AForkIsNoticedWithoutWaitingForThePass) {
  make_tar_gzip_ssh();
  start({.table_ns = 100 * kSecond});
  tick();
  watcher->open(first);
  run(kSecond);
  const int scans = machine.scans;
  machine.add(20, "zstd", 11);
  machine.connect(300, 11, 20);
  const auto s = run(100 * kMs);
  EXPECT_EQ(machine.scans, scans + 1);
  EXPECT_NE(names(s).find("zstd"), std::string::npos) << names(s);
}

TEST_F(OpenPipelineTest, AnEndedPipelineStaysAndSaysSoOnce) {
  make_tar_gzip_ssh();
  tick();
  watcher->open(first);
  run(kSecond);
  for (const pid_t pid : {10, 11, 12}) machine.exit(pid);
  auto s = run(100 * kMs);
  EXPECT_EQ(s->watched->verdict.kind, Verdict::Kind::idle) << s->watched->verdict.because;
  s = run(20 * kSecond);
  EXPECT_EQ(names(s), "tar(gone) gzip(gone) ssh(gone)");
  EXPECT_EQ(notices, "the pipeline has ended\n");
  EXPECT_EQ(pipe(s, first).bytes_per_s.status, ReadingStatus::unavailable);
  watcher->close();
  EXPECT_FALSE(tick()->watched);
  EXPECT_TRUE(machine.watched.empty()) << "nothing is paid for";
}

TEST_F(OpenPipelineTest, AnotherOneUsesWhatWasLoaded) {
  make_tar_gzip_ssh();
  machine.add(30, "yes");
  machine.add(31, "head");
  const PipeId other = machine.connect(500, 30, 31);
  watcher = nullptr;
  start();
  watcher->prepare();
  EXPECT_EQ(machine.observers, 1);
  watcher->open(first);
  run(2 * kSecond);
  watcher->open(other);
  const auto s = run(2 * kSecond);
  EXPECT_EQ(machine.observers, 1);
  EXPECT_EQ(machine.watched, (std::vector<pid_t>{30, 31}));
  EXPECT_EQ(names(s), "yes head");
  EXPECT_NEAR(double(s->watched->window_ns), 2e9, 0.1e9) << "of its own time";
}

TEST_F(OpenPipelineTest, ATreeIsEmptyAtFirstAndKeepsAllThatWas) {
  machine.add(5, "sh", 4000);
  tick();
  watcher->open_tree(5);
  EXPECT_EQ(names(run(kSecond)), "none");
  make_tar_gzip_ssh();
  EXPECT_EQ(names(run(100 * kMs)), "tar gzip ssh");
  machine.exit(10);
  EXPECT_EQ(names(run(20 * kSecond)), "tar(gone) gzip ssh");
  machine.exit(11);
  machine.exit(12);
  const auto s = run(20 * kSecond);
  EXPECT_EQ(names(s), "tar(gone) gzip(gone) ssh(gone)");
  EXPECT_EQ(notices, "");
  const auto all = watcher->overall();
  ASSERT_TRUE(all);
  EXPECT_GT(all->stages[1].shares->on_cpu, 0.5) << "of its life";
  EXPECT_EQ(all->stages[1].cpu_ns, stage(s, "gzip").cpu_ns);
  ASSERT_EQ(all->pipes.size(), 2u);
  EXPECT_NEAR(*all->pipes[0].bytes_per_s, 30 << 20, 2 << 20) << "while it was there";
  EXPECT_TRUE(all->pipes[0].closed);
  EXPECT_FALSE(all->pipes[0].queued) << "it is closed";
  EXPECT_EQ(all->verdict.kind, Verdict::Kind::stage) << all->verdict.because;
}

TEST_F(OpenPipelineTest, TheOverallRateIsOfTheTimeThatItWasLookedAt) {
  machine.add(5, "sh", 4000);
  tick();
  watcher->open_tree(5);
  run(kSecond);
  make_tar_gzip_ssh();
  machine.pipe(100).moved = 100 << 20;  // before it was looked at
  run(kSecond);
  auto all = watcher->overall();
  ASSERT_TRUE(all);
  EXPECT_NEAR(*all->pipes[0].bytes_per_s, 30 << 20, 1 << 20);
}

TEST_F(OpenPipelineTest, ATreeHasItsOrphansAndNotItsNeighbours) {
  machine.add(4000, "pipetop", 1);
  machine.add(5, "sh", 4000);
  make_tar_gzip_ssh();
  for (const pid_t pid : {10, 11, 12}) machine.process(pid).parent = 4000;  // sh has exited
  machine.exit(5);
  machine.add(30, "yes");
  machine.add(31, "head");
  machine.connect(500, 30, 31);
  // All share a log with another process.
  machine.add(40, "logger");
  machine.add(41, "other");
  for (const pid_t pid : {10, 11, 12, 41, 4000}) machine.hold(600, pid, 2, Access::write);
  machine.hold(600, 40, 0, Access::read);
  tick();
  watcher->open_tree(5);
  EXPECT_EQ(names(run(kSecond)), "tar gzip ssh");
  // Once it is written to, it is shown with its reader, but not with those that share it.
  machine.waits(10, WaitsFor::pipe_write, 2);
  const std::string seen = names(run(kSecond));
  EXPECT_NE(seen.find("logger"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("other"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("pipetop"), std::string::npos) << seen;
}

// xz has one that wakes it up, and makes it before the shell has made the others.
TEST_F(OpenPipelineTest, APipeToItselfDoesNotChangeTheOrderOfATree) {
  machine.add(5, "sh", 4000);
  make_tar_gzip_ssh();
  for (const int fd : {3, 4}) machine.hold(50, 11, fd, fd == 3 ? Access::read : Access::write);
  tick();
  watcher->open_tree(5);
  auto s = run(kSecond);
  EXPECT_EQ(s->watched->title(), "tar | gzip | ssh");
  EXPECT_EQ(s->watched->pipes.size(), 2u) << "nothing moves in it";
  machine.waits(11, WaitsFor::pipe_read, 3);
  s = run(kSecond);
  EXPECT_EQ(s->watched->title(), "tar | gzip | ssh");
  EXPECT_EQ(s->watched->pipes.size(), 3u);
}

TEST_F(OpenPipelineTest, AShellMeansThePipelinesThatItRuns) {
  machine.add(5, "bash", 1);
  machine.process(5).leads_session = true;
  make_tar_gzip_ssh();
  machine.add(20, "sh", 5);
  machine.add(21, "yes", 20);
  machine.add(22, "head", 20);
  machine.connect(500, 21, 22);
  tick();
  watcher->open(ProcessId{5, 50});
  const auto s = run(kSecond);
  EXPECT_EQ(names(s), "tar gzip ssh") << "more of its stages move";
  EXPECT_EQ(notices, "process 5 has other pipelines, too: yes | head\n");
}

TEST_F(OpenPipelineTest, AScriptMeansAllThatItRunsUntilItEnds) {
  machine.add(5, "make", 1);
  make_tar_gzip_ssh();
  for (const int fd : {3, 4})  // a jobserver
    machine.hold(600, 5, fd, fd == 3 ? Access::read : Access::write);
  tick();
  watcher->open(ProcessId{5, 50});
  EXPECT_EQ(names(run(kSecond)).substr(0, 12), "tar gzip ssh");
  for (const pid_t pid : {10, 11, 12}) machine.exit(pid);
  run(kSecond);
  EXPECT_FALSE(watcher->has_ended());
  machine.add(21, "yes", 5);
  machine.add(22, "head", 5);
  machine.connect(500, 21, 22);
  EXPECT_NE(names(run(kSecond)).find("yes head"), std::string::npos);
  for (const pid_t pid : {5, 21, 22}) machine.exit(pid);
  run(kSecond);
  EXPECT_TRUE(watcher->has_ended());
}

// It holds the pipe of two children while it starts them.
TEST_F(OpenPipelineTest, AShellThatOnlyStartedTheOthersIsNoStage) {
  machine.add(5, "sh", 4000);
  machine.add(10, "head", 5);
  machine.add(11, "gzip", 5);
  machine.hold(100, 10, 1, Access::write);
  machine.hold(100, 5, 3, Access::read);
  tick();
  watcher->open_tree(5);
  EXPECT_EQ(names(run(100 * kMs)), "head sh");
  machine.release(100, 5);
  machine.hold(100, 11, 0, Access::read);
  EXPECT_EQ(names(run(kSecond)), "head gzip");
  for (const pid_t pid : {5, 10, 11}) machine.exit(pid);
  const auto s = run(kSecond);
  EXPECT_EQ(s->watched->title(), "head | gzip");
}

// One after the other, each with its own bottleneck.
TEST_F(OpenPipelineTest, ATreesRunsAreByTime) {
  machine.add(5, "sh", 4000);
  tick();
  watcher->open_tree(5);
  make_tar_gzip_ssh();
  run(3 * kSecond);
  for (const pid_t pid : {10, 11, 12}) machine.exit(pid);
  run(kSecond);
  machine.add(21, "yes", 5);
  machine.add(22, "md5sum", 5);
  machine.connect(500, 21, 22);
  machine.waits(21, WaitsFor::pipe_write, 1);
  machine.runs(22);
  run(2 * kSecond);
  const auto runs = watcher->runs();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].pipeline.title(), "tar | gzip | ssh");
  EXPECT_EQ(runs[0].pipeline.verdict.stage, gzip);
  EXPECT_EQ(runs[1].pipeline.title(), "yes | md5sum");
  EXPECT_EQ(runs[1].pipeline.verdict.stage->pid, 22);
  EXPECT_GE(runs[1].span.end_ns, runs[0].span.end_ns + 2 * kSecond);
}

TEST_F(OpenPipelineTest, AProcessMeansItsInputAndOutputRatherThanItsLog) {
  machine.add(10, "server", 1);
  machine.add(11, "client", 1);
  for (const pid_t pid : {8, 9}) machine.add(pid, pid == 8 ? "logger" : "other", 1);
  machine.hold(50, 10, 2, Access::write);
  machine.hold(50, 9, 1, Access::write);
  machine.hold(50, 8, 0, Access::read);
  machine.connect(100, 10, 11);
  tick();
  watcher->open(ProcessId{10, 100});
  EXPECT_EQ(names(run(kSecond)), "server client");
}

TEST_F(OpenPipelineTest, ATargetIsAPidADescriptorOrAFifo) {
  machine.add(5, "bash", 1);
  make_tar_gzip_ssh();
  for (const char* target : {"5", "11", "11:0", "12:0"}) {
    start();
    watcher->open(parse_target(target));
    EXPECT_EQ(names(tick()), "tar gzip ssh") << target;
  }
}

TEST_F(OpenPipelineTest, WhatCannotBeOpenedIsSaid) {
  make_tar_gzip_ssh();
  machine.add(7, "vi", 1);
  for (int fd = 0; fd < 3; ++fd) machine.process(7).links[fd] = "/dev/pts/3";
  tick();
  const auto error = [&](const char* target) {
    return error_of([&] { watcher->open(parse_target(target)); });
  };
  EXPECT_EQ(error("999"), "there is no process 999; pgrep -a NAME finds one by its name");
  EXPECT_EQ(
      error("7"),
      "process 7 holds no pipe, and nothing that it started does: stdin is /dev/pts/3, stdout "
      "is /dev/pts/3, stderr is /dev/pts/3; pipetop watch lists all pipes");
  EXPECT_EQ(error("7:1"),
            "descriptor 1 of process 7 is /dev/pts/3, not a pipe; pipetop watch lists all pipes");
  EXPECT_EQ(error("7:9"), "process 7 has no descriptor 9; see ls -l /proc/7/fd");
  EXPECT_EQ(error_of([&] {
              watcher->open(PipeId{15, 77});
            }),
            "pipe 77 is closed; choose another one");
  machine.unreadable = 1;
  machine.process(7).links.clear();
  EXPECT_EQ(error("7"), "no permission to see process 7; run as root: sudo pipetop watch");
  EXPECT_EQ(names(tick()), "none") << "nothing is open after an error";
}

TEST_F(OpenPipelineTest, AnErrorLeavesWhatIsOpen) {
  make_tar_gzip_ssh();
  tick();
  watcher->open(first);
  EXPECT_THROW(watcher->open(parse_target("999")), Error);
  EXPECT_EQ(names(tick()), "tar gzip ssh");
}

TEST_F(OpenPipelineTest, FunctionsAreOfWhoIsBlamedAndWhoIsSelected) {
  make_tar_gzip_ssh();
  tick();
  watcher->open(first);
  watcher->select(ssh);
  auto s = run(3 * kSecond);
  EXPECT_EQ(machine.blamed, gzip);
  EXPECT_EQ(machine.selected, ssh);
  EXPECT_EQ(stage(s, "gzip").functions->samples, 11u);
  EXPECT_EQ(stage(s, "ssh").functions->samples, 12u);
  EXPECT_EQ(stage(s, "tar").functions.status, ReadingStatus::warming);
  watcher->select({});
  s = run(100 * kMs);
  EXPECT_FALSE(stage(s, "ssh").functions.has_value());
}

TEST_F(OpenPipelineTest, NewThreadsAreWatchedAsTheyAppear) {
  make_tar_gzip_ssh();
  tick();
  watcher->open(first);
  EXPECT_EQ(machine.watched, (std::vector<pid_t>{10, 11, 12}));
  machine.thread(11, 77);
  run(100 * kMs);
  EXPECT_EQ(machine.watched, (std::vector<pid_t>{10, 11, 77, 12}));
}

TEST_F(OpenPipelineTest, WhoHasSeveralThreadsHasAListOfThem) {
  make_tar_gzip_ssh();
  machine.thread(11, 21).task.running = true;
  tick();
  watcher->open(first);
  const auto s = run(3 * kSecond);
  EXPECT_TRUE(stage(s, "tar").thread_list.empty());
  const Stage& listed = stage(s, "gzip");
  ASSERT_EQ(listed.thread_list.size(), 2u);
  EXPECT_EQ(listed.thread_list[0].tid, 11);
  EXPECT_EQ(listed.thread_list[0].role(), "computes");
  EXPECT_EQ(listed.thread_list[1].tid, 21);
}

TEST_F(OpenPipelineTest, EachStageIsAskedForItsQuotaAndOnceForItsPidInside) {
  make_tar_gzip_ssh();
  WatchParts parts = machine.parts();
  std::map<std::string, uint64_t> reads;
  int asked = 0;
  parts.memberships_of = [](pid_t pid) { return pid == 12 ? "0::/ssh" : "0::/box"; };
  parts.read_quotas = [&](const std::string& of) -> std::vector<QuotaTotals> {
    const uint64_t periods = 10 * ++reads[of];
    if (of == "0::/ssh") return {};
    return {{"/box", 0.5, periods, periods / 2}};
  };
  parts.pid_inside = [&](pid_t pid) { return ++asked, pid == 11 ? 1 : 0; };
  watcher = std::make_unique<Watcher>(WatchOptions(), std::move(parts));
  tick();
  watcher->open(first);
  const auto s = run(3 * kSecond);
  for (const char* name : {"tar", "gzip"}) {
    EXPECT_EQ(stage(s, name).quota_cpus, 0.5) << name;
    EXPECT_EQ(stage(s, name).limits.quota->share, 0.5) << name;
  }
  EXPECT_FALSE(stage(s, "ssh").quota_cpus || stage(s, "ssh").limits.quota);
  EXPECT_EQ(reads["0::/box"], reads["0::/ssh"]) << "once for the two that are in it";
  EXPECT_LE(reads["0::/box"], 4u) << "once a second";
  EXPECT_EQ(stage(s, "gzip").pid_inside, 1);
  EXPECT_EQ(stage(s, "tar").pid_inside, 0);
  EXPECT_EQ(asked, 3);
}

TEST_F(OpenPipelineTest, WhoOnlyHoldsAnEndIsShownApart) {
  make_tar_gzip_ssh();
  machine.add(5, "bash", 1);
  machine.hold(100, 5, 9, Access::write);
  tick();
  watcher->open(first);
  const auto s = run(kSecond);
  EXPECT_EQ(names(s), "tar gzip ssh bash");
  const auto& writers = pipe(s, first).writers;
  ASSERT_EQ(writers.size(), 2u);
  for (const StageEnd& end : writers) EXPECT_EQ(end.active, end.end.process == tar);
  EXPECT_EQ(machine.watched, (std::vector<pid_t>{10, 11, 12}));
  const std::vector<std::string>& evidence = s->watched->verdict.evidence;
  const std::string clause = "gzip never sees end of file: bash still holds a write end";
  EXPECT_NE(std::ranges::find(evidence, clause), evidence.end());
}

TEST_F(OpenPipelineTest, ExactBytesReplaceTheEstimate) {
  make_tar_gzip_ssh();
  tick();
  EXPECT_NE(error_of([&] { watcher->count_bytes(true); }), "no error") << "nothing is open";
  watcher->open(first);
  auto s = run(kSecond);
  const uint64_t before = *pipe(s, first).total_bytes;
  watcher->count_bytes(true);
  EXPECT_TRUE(machine.counts_bytes);
  for (int i = 0; i < 20; ++i) {
    machine.bytes.push_back({tar, 1, true, 1000, 1, first});
    machine.bytes.push_back({gzip, 0, false, 1000, 1, first});
    s = run(50 * kMs);
  }
  EXPECT_TRUE(s->counts_bytes);
  EXPECT_TRUE(pipe(s, first).exact);
  EXPECT_EQ(pipe(s, first).writers[0].bytes, 20'000u);
  EXPECT_EQ(pipe(s, first).readers[0].bytes, 20'000u);
  EXPECT_NEAR(*pipe(s, first).bytes_per_s, 20'000, 1100);
  EXPECT_EQ(*pipe(s, first).total_bytes, before + 20'000);
  watcher->count_bytes(false);
  EXPECT_FALSE(machine.counts_bytes);
  s = run(2 * kSecond);
  EXPECT_FALSE(pipe(s, first).exact);
  EXPECT_FALSE(pipe(s, first).writers[0].bytes);
  EXPECT_NEAR(*pipe(s, first).bytes_per_s, 30 << 20, 1 << 20) << "the estimate again";
}

TEST_F(OpenPipelineTest, BytesOfATreeThatWereCountedFromTheStartAreExact) {
  tick();
  watcher->count_children();
  EXPECT_TRUE(machine.counts_bytes && machine.counts_children);
  run(kSecond);
  machine.add(5, "sh", 4000);
  watcher->open_tree(5);
  run(kSecond);
  make_tar_gzip_ssh();
  machine.pipe(100).moved = 100 << 20;  // before it was looked at
  machine.bytes = {{tar, 1, true, 99'000'000, 10, first}};
  auto s = run(100 * kMs);
  EXPECT_TRUE(s->counts_bytes);
  EXPECT_TRUE(pipe(s, first).exact);
  EXPECT_EQ(pipe(s, first).total_bytes, 99'000'000u) << "and not the estimate";
  machine.bytes = {{tar, 1, true, 1000, 1, first}};
  for (const pid_t pid : {10, 11, 12}) machine.exit(pid);
  s = run(kSecond);
  EXPECT_TRUE(pipe(s, first).closed);
  EXPECT_EQ(pipe(s, first).total_bytes, 99'001'000u) << "with those after the last look";
  EXPECT_EQ(notices, "");
  machine.missed_bytes = true;
  run(kSecond);
  EXPECT_NE(notices.find("bytes are missing"), std::string::npos) << notices;
}

// Its estimate has what was counted of it before.
TEST_F(OpenPipelineTest, APipeThatJoinsLaterGoesOnFromItsEstimate) {
  make_tar_gzip_ssh();
  tick();
  run(kSecond);
  watcher->count_children();
  machine.add(5, "sh", 4000);
  watcher->open_tree(5);
  run(kSecond);
  machine.bytes = {{tar, 1, true, 50 << 20, 10, first}};
  run(kSecond);
  for (const pid_t pid : {10, 11, 12}) machine.process(pid).parent = 5;
  machine.thread(10).task.parent = 5;
  machine.add(30, "cat", 5);
  machine.hold(100, 30, 0, Access::read);
  auto s = run(kSecond);
  ASSERT_TRUE(s->watched);
  const uint64_t joined = *pipe(s, first).total_bytes;
  EXPECT_LT(joined, 200u << 20) << "30 MiB a second for four seconds";
  machine.bytes = {{tar, 1, true, 1000, 1, first}};
  s = run(kSecond);
  EXPECT_EQ(pipe(s, first).total_bytes, joined + 1000);
}

TEST_F(OpenPipelineTest, WhatIsClosedKeepsItsBytesWhenCountingEndsAndBeginsAgain) {
  make_tar_gzip_ssh();
  tick();
  watcher->open(first);
  run(kSecond);
  watcher->count_bytes(true);
  machine.bytes = {{tar, 1, true, 1000, 1, first}};
  auto s = run(kSecond);
  machine.exit(10);
  machine.release(100, 11);
  s = run(kSecond);
  ASSERT_TRUE(pipe(s, first).closed);
  const uint64_t bytes = *pipe(s, first).total_bytes;
  EXPECT_GT(bytes, 1000u);
  watcher->count_bytes(false);
  run(kSecond);
  watcher->count_bytes(true);
  s = run(kSecond);
  EXPECT_EQ(pipe(s, first).total_bytes, bytes);
}

TEST_F(OpenPipelineTest, WithoutBpfSharesAreOfLooks) {
  machine.source = ScanSource::proc;
  machine.reason = "needs root; sudo pipetop";
  make_tar_gzip_ssh();
  machine.thread(10, 20);
  tick();
  watcher->open(first);
  const auto s = run(6 * kSecond);
  EXPECT_EQ(machine.observers, 0);
  EXPECT_NEAR(stage(s, "tar").shares->writing, 1.0, 1e-6);
  EXPECT_NEAR(stage(s, "gzip").shares->on_cpu, 1.0, 1e-6);
  EXPECT_NEAR(*stage(s, "gzip").cpu, 1.0, 0.01);
  EXPECT_EQ(pipe(s, first).level->full_share, 1.0);
  EXPECT_NEAR(double(pipe(s, first).level->samples), 50, 6) << "ten a second";
  EXPECT_EQ(pipe(s, first).frame.reason, machine.reason);
  EXPECT_EQ(stage(s, "gzip").functions.reason, machine.reason);
  EXPECT_EQ(error_of([&] { watcher->count_bytes(true); }),
            "exact bytes need BPF: needs root; sudo pipetop");
  EXPECT_EQ(s->watched->verdict.stage, gzip);
  for (const StageThread& thread : stage(s, "tar").thread_list) {
    EXPECT_EQ(thread.role(), "writes");
    EXPECT_TRUE(thread.pipes.empty()) << "how long is not known";
  }
  EXPECT_EQ(stage(s, "tar").thread_list.size(), 2u);
}

TEST_F(OpenPipelineTest, AClockThatIsRefusedLeavesTheRest) {
  machine.no_clock = "no tracepoints; use Linux 5.11 or later";
  make_tar_gzip_ssh();
  tick();
  watcher->open(first);
  const auto s = run(3 * kSecond);
  EXPECT_NE(notices.find("no tracepoints"), std::string::npos);
  EXPECT_NEAR(stage(s, "gzip").shares->on_cpu, 1.0, 1e-6);
  EXPECT_TRUE(pipe(s, first).frame.has_value());
}

}  // namespace
}  // namespace pipetop
