// The smaller pieces that a Watcher is made of.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/tests/support/scratch_directory.h"
#include "engine/tests/support/test_pipe.h"
#include "engine/watch/byte_counts.h"
#include "engine/watch/pipeline_instruments.h"
#include "engine/watch/pipeline_members.h"
#include "engine/watch/scanned_values.h"
#include "engine/watch/target.h"
#include "engine/watch/tests/watch_fixture.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {
namespace {

TEST(ParseTarget, ReadsAPidADescriptorOrAPath) {
  EXPECT_EQ(parse_target("12").pid, 12);
  EXPECT_EQ(parse_target("12").fd, -1);
  EXPECT_EQ(parse_target("12:0").pid, 12);
  EXPECT_EQ(parse_target("12:0").fd, 0);
  for (const char* path : {"/run/fifo", "./12", "fifo", "a:1", "-", "-1"}) {
    EXPECT_EQ(parse_target(path).pid, 0) << path;
    EXPECT_EQ(parse_target(path).path, path);
  }
}

TEST(ParseTarget, RefusesWhatIsNone) {
  for (const char* bad : {"", "0", "0:1", "12:", "12:x", "12:-1", "99999999999", "1:99999999999"})
    EXPECT_THROW(parse_target(bad), Error) << bad;
}

class Fifo : public WatchTest {
 protected:
  void SetUp() override {
    path = folder_.file("fifo");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    struct stat status = {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    id = id_of(status);
  }

  std::string path;
  PipeId id;

 private:
  ScratchDirectory folder_;
};

TEST_F(Fifo, IsFoundByItsPath) {
  PipeScan scan;
  ScannedPipe pipe;
  pipe.id = id;
  scan.pipes = {pipe};
  const WatchParts parts = machine.parts();
  EXPECT_EQ(find_pipe(parse_target(path), scan, parts), id);
}

TEST_F(Fifo, ThatNobodyHasOpenIsSaidToBe) {
  const WatchParts parts = machine.parts();
  const auto error = [&](const std::string& target, const PipeScan& scan = {}) {
    return error_of([&] { find_pipe(parse_target(target), scan, parts); });
  };
  EXPECT_EQ(error(path), "nobody has " + path + " open; start what writes or reads it first");
  PipeScan own;
  own.unreadable = 3;
  EXPECT_EQ(error(path, own),
            "no process of yours has " + path +
                " open; to see those of others, run it as root: sudo pipetop watch");
  EXPECT_EQ(error("/dev/null"), "/dev/null is no FIFO; give one, a PID or PID:FD");
  EXPECT_EQ(error(path + "x"), "cannot read " + path + "x: No such file or directory");
}

TEST(ProcessFacts, ACommandLineIsQuotedWhereItNeedsIt) {
  using namespace std::string_literals;
  EXPECT_EQ(printable_command("sh\0-c\0cat | wc\0"s), "sh -c 'cat | wc'");
  EXPECT_EQ(printable_command("echo\0it's\0"s), "echo 'it'\\''s'");
  EXPECT_EQ(printable_command("printf\0\0%s\0"s), "printf '' %s");
  EXPECT_EQ(printable_command("sshd: user [priv]\0\0\0"s), "sshd: user [priv]");
  EXPECT_EQ(printable_command(""), "");
  EXPECT_EQ(printable_command("a\x1b[2J\0b\nc\0"s), "'a?[2J' 'b?c'");
}

TEST(ProcessFacts, AreReadOfThisProcess) {
  const ProcessFacts facts = read_process_facts(getpid());
  EXPECT_NE(facts.command.find(program_invocation_short_name), std::string::npos) << facts.command;
  EXPECT_EQ(facts.nice, getpriority(PRIO_PROCESS, 0));
  EXPECT_FALSE(facts.cpus.empty());
}

TEST(ProcessFacts, OfTheGoneThereAreNone) {
  const ProcessFacts facts = read_process_facts(0x3fffffff);
  EXPECT_EQ(facts.command, "");
  EXPECT_TRUE(facts.cpus.empty());
}

TEST(KnownProcesses, AreReadAgainNowAndThenAndWhenTheyExec) {
  int reads = 0;
  KnownProcesses known([&](pid_t) {
    ++reads;
    return ProcessFacts{"x", 0, {}};
  });
  const ProcessId process{16, 1};
  known.of(process, "sh", kSecond, 10 * kSecond);
  known.of(process, "sh", 2 * kSecond, 10 * kSecond);
  EXPECT_EQ(reads, 1);
  known.of(process, "gzip", 3 * kSecond, 10 * kSecond);
  EXPECT_EQ(reads, 2);
  known.of(process, "gzip", 14 * kSecond, 10 * kSecond);
  EXPECT_EQ(reads, 3);
  known.of({16, 2}, "gzip", 14 * kSecond, 10 * kSecond);
  EXPECT_EQ(reads, 4) << "the number was given again";
}

TEST(Descendants, AreFoundThroughParentsThatHoldNoPipe) {
  FakeMachine machine;
  machine.add(5, "sh");
  machine.add(6, "make", 5);
  machine.add(7, "cc", 6);
  machine.add(8, "other");
  Descendants tree(5, machine.parts().parent_of);
  EXPECT_TRUE(tree.contains({5, 50}, 1));
  EXPECT_TRUE(tree.contains({7, 70}, 6));
  EXPECT_FALSE(tree.contains({8, 80}, 1));
  EXPECT_FALSE(tree.contains({1, 0}, 0));
  machine.exit(6);
  EXPECT_TRUE(tree.contains({7, 70}, 1)) << "it was one";
}

TEST(Descendants, WhoseParentExitsMeanwhileIsAskedForAgain) {
  FakeMachine machine;
  machine.add(4000, "pipetop");
  machine.add(5, "sh", 4000);
  machine.add(6, "make", 5);
  machine.add(7, "cc", 6);
  Descendants tree(5, machine.parts().parent_of, 4000);
  machine.exit(6);
  EXPECT_FALSE(tree.contains({7, 70}, 6)) << "its parent was gone before it could be asked";
  EXPECT_TRUE(tree.contains({7, 70}, 4000)) << "it was adopted";
}

observe::EndBytes moved(ProcessId process, int fd, bool writing, uint64_t bytes, PipeId pipe) {
  observe::EndBytes end;
  end.process = process;
  end.fd = fd;
  end.writing = writing;
  end.bytes = bytes;
  end.pipe = pipe;
  return end;
}

TEST(ByteCounts, AreOfEachPipeAndEnd) {
  const ProcessId a{10, 1}, b{11, 1};
  const PipeId first{15, 100}, second{15, 200};
  ByteCounts counts;
  counts.add({moved(a, 1, true, 100, first), moved(b, 0, false, 60, first)});
  EXPECT_EQ(counts.of(first), 100u);
  EXPECT_EQ(counts.of(first, a, 1, true), 100u);
  EXPECT_EQ(counts.of(first, b, 0, false), 60u);
  EXPECT_EQ(counts.of(first, a, 1, false), 0u);
  // The descriptor refers to another pipe now.
  counts.add({moved(a, 1, true, 50, second), moved(b, 0, false, 40, first)});
  EXPECT_EQ(counts.of(first), 100u);
  EXPECT_EQ(counts.of(second), 50u);
  EXPECT_EQ(counts.of(first, b, 0, false), 100u);
}

TEST(ByteCounts, PipesThatAreGoneAreForgottenAfterAPassThatCouldHaveSeenThem) {
  const PipeId gone{15, 100}, stays{15, 200};
  ByteCounts counts;
  counts.add({moved({10, 1}, 1, true, 5, gone), moved({10, 1}, 2, true, 6, stays)});
  const auto is_gone = [&](PipeId pipe) { return pipe == gone; };
  const auto is_other = [](ProcessId) { return false; };
  counts.forget(is_gone, is_other);
  EXPECT_EQ(counts.of(gone), 5u) << "it may be newer than the pass";
  counts.forget(is_gone, is_other);
  EXPECT_EQ(counts.of(gone), 0u);
  EXPECT_EQ(counts.of(stays), 6u);
}

// A shell that starts a thousand programs a second, all of which write to one pipe.
TEST(ByteCounts, WhatProcessesThatAreGoneMovedCountsForThePipeOnly) {
  const PipeId pipe{15, 100};
  const ProcessId gone{10, 1}, stays{11, 1};
  ByteCounts counts;
  counts.add({moved(gone, 1, true, 5, pipe), moved(stays, 1, true, 6, pipe)});
  const auto is_gone = [](PipeId) { return false; };
  const auto is_other = [&](ProcessId process) { return process == gone; };
  counts.forget(is_gone, is_other);
  EXPECT_EQ(counts.of(pipe, gone, 1, true), 5u) << "it may be newer than the pass";
  counts.forget(is_gone, is_other);
  EXPECT_EQ(counts.of(pipe, gone, 1, true), 0u);
  EXPECT_EQ(counts.of(pipe, stays, 1, true), 6u);
  EXPECT_EQ(counts.of(pipe), 11u);
}

TEST(ByteCounts, OfAPipeThatIsOnlySeenToBeReadAreThoseThatWereRead) {
  ByteCounts counts;
  counts.add({moved({11, 1}, 0, false, 60, {15, 100})});
  EXPECT_EQ(counts.of({15, 100}), 60u);
}

class ScanClockTest : public testing::Test {
 protected:
  ScanClockTest() {
    machine.source = ScanSource::proc;
    machine.add(10, "a");
    machine.add(11, "b");
    machine.connect(100, 10, 11);
    const PipeScan scan = machine.scan();
    observer.watch(scan.tasks, scan.pipes);
  }
  void look(uint64_t ns) {
    machine.pass(ns);
    observer.add(machine.scan());
  }

  FakeMachine machine;
  ScanObserver observer{"needs root; sudo"};
};

TEST_F(ScanClockTest, WhatALookSeesCountsForTheTimeBeforeIt) {
  machine.waits(10, WaitsFor::pipe_write, 1);
  observer.add(machine.scan());
  look(kSecond);
  look(kSecond);
  machine.waits(10, WaitsFor::disk);
  look(kSecond);
  const auto times = observer.times(machine.now_ns)[0];
  EXPECT_EQ(times.wall_ns, 3 * kSecond);
  EXPECT_EQ(times.wait_ns[static_cast<size_t>(WaitsFor::pipe_write)], 2 * kSecond);
  EXPECT_EQ(times.wait_ns[static_cast<size_t>(WaitsFor::disk)], kSecond);
  ASSERT_EQ(times.pipes.size(), 1u);
  EXPECT_EQ(times.pipes[0].pipe.inode, 100u);
  EXPECT_TRUE(times.pipes[0].writing);
}

TEST_F(ScanClockTest, APauseCountsForNothing) {
  machine.waits(10, WaitsFor::pipe_write, 1);
  observer.add(machine.scan());
  look(kSecond);
  look(60 * kSecond);
  EXPECT_EQ(observer.times(machine.now_ns)[0].wall_ns, kSecond);
  look(kSecond);
  EXPECT_EQ(observer.times(machine.now_ns)[0].wall_ns, 2 * kSecond);
}

TEST_F(ScanClockTest, WhoIsReadyButUsesNoCpuWaitsForOne) {
  ScannedTask& task = machine.thread(10).task;
  task.runnable = true;
  task.wait = WaitsFor::none;
  observer.add(machine.scan());
  for (int i = 0; i < 10; ++i) {
    task.cpu_ns += 25 * kMs;
    look(100 * kMs);
  }
  const auto times = observer.times(machine.now_ns)[0];
  EXPECT_EQ(times.on_cpu_ns, 250 * kMs);
  EXPECT_EQ(times.runnable_ns, 750 * kMs);
}

TEST_F(ScanClockTest, RingsAreLookedAtTenTimesASecond) {
  machine.pipe(100).used_share = 0.5;
  for (int i = 0; i < 40; ++i) look(50 * kMs);
  const auto samples = observer.samples()[0];
  EXPECT_EQ(samples.samples, 20u);
  EXPECT_NEAR(samples.used_share, 10, 1e-9);
  EXPECT_EQ(samples.empty + samples.full, 0u);
}

}  // namespace
}  // namespace pipetop
