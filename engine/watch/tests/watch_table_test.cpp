// The table, through a Watcher on a machine that the test plays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "engine/watch/tests/watch_fixture.h"

namespace pipetop {
namespace {

using WatchTableTest = WatchTest;

TEST_F(WatchTableTest, ARowHoldsBothEndsAndWhatTheyDo) {
  machine.add(10, "tar");
  machine.add(11, "gzip");
  const PipeId id = machine.connect(100, 10, 11);
  machine.waits(10, WaitsFor::pipe_write, 1);
  machine.runs(11);
  machine.pipe(100).used_share = 1;
  const auto s = tick();
  ASSERT_EQ(s->table.rows.size(), 1u);
  const PipeRow& row = s->table.rows[0];
  EXPECT_EQ(row.pipe.id, id);
  ASSERT_EQ(row.pipe.writers.size(), 1u);
  ASSERT_EQ(row.pipe.readers.size(), 1u);
  const Stage& writer = row.stages[row.pipe.writers[0].stage];
  const Stage& reader = row.stages[row.pipe.readers[0].stage];
  EXPECT_EQ(writer.name, "tar");
  EXPECT_EQ(writer.command, "tar --flag");
  EXPECT_EQ(writer.state.kind, StageState::Kind::waiting);
  EXPECT_EQ(writer.state.wait, WaitsFor::pipe_write);
  EXPECT_EQ(writer.state.pipe, id);
  EXPECT_EQ(reader.state.kind, StageState::Kind::running);
  EXPECT_EQ(row.pipe.capacity, 16u * 4096);
  EXPECT_EQ(row.pipe.queued, 16u * 4096);
  EXPECT_FALSE(row.pipe.own);
  ASSERT_TRUE(row.pipe.level.has_value());
  EXPECT_EQ(row.pipe.level->full_share, 1.0);
  EXPECT_EQ(row.pipe.level->samples, 1u);
  EXPECT_EQ(s->table.source, ScanSource::bpf);
}

TEST_F(WatchTableTest, OfSeveralThreadsTheOneThatMattersIsShown) {
  machine.add(10, "pigz");
  machine.add(11, "wc");
  machine.connect(100, 10, 11);
  machine.waits(10, WaitsFor::lock);
  machine.thread(10, 12).task.wait = WaitsFor::pipe_write;
  machine.thread(10, 12).task.fd = 1;
  EXPECT_EQ(stage(tick(), "pigz").state.wait, WaitsFor::pipe_write);
  EXPECT_EQ(stage(tick(), "pigz").threads, 2u);
  machine.thread(10, 13).task.running = true;
  pass(kSecond);
  EXPECT_EQ(stage(tick(), "pigz").state.kind, StageState::Kind::running);
}

TEST_F(WatchTableTest, RatesAreOfTheLastSecond) {
  machine.add(10, "yes");
  machine.add(11, "cat");
  machine.connect(100, 10, 11);
  machine.pipe(100).bytes_per_s = 100 << 20;
  machine.pipe(100).used_share = 0.5;
  EXPECT_FALSE(tick()->table.rows[0].pipe.bytes_per_s.has_value()) << "one look knows no rate";
  for (int i = 0; i < 4; ++i) pass(500 * kMs), tick();
  const auto s = tick();
  ASSERT_TRUE(s->table.rows[0].pipe.bytes_per_s.has_value());
  EXPECT_NEAR(*s->table.rows[0].pipe.bytes_per_s, 100 << 20, 1 << 20);
  EXPECT_FALSE(s->table.rows[0].pipe.exact);
  EXPECT_NEAR(double(*s->table.rows[0].pipe.total_bytes), 200 << 20, 2 << 20);
  machine.pipe(100).bytes_per_s = 0;
  for (int i = 0; i < 4; ++i) pass(500 * kMs), tick();
  EXPECT_EQ(*tick()->table.rows[0].pipe.bytes_per_s, 0.0);
}

TEST_F(WatchTableTest, APipeInWhichNothingEverMovedHasARateOfZero) {
  machine.add(10, "sleep");
  machine.add(11, "cat");
  machine.connect(100, 10, 11);
  tick();
  pass(500 * kMs);
  ASSERT_TRUE(tick()->table.rows[0].pipe.bytes_per_s.has_value());
  EXPECT_EQ(*tick()->table.rows[0].pipe.bytes_per_s, 0.0);
}

TEST_F(WatchTableTest, CpuIsOfTheTimeBetweenTwoPasses) {
  machine.add(10, "gzip");
  machine.add(11, "cat");
  machine.connect(100, 10, 11);
  machine.runs(10);
  EXPECT_FALSE(stage(tick(), "gzip").cpu.has_value());
  pass(500 * kMs);
  EXPECT_NEAR(*stage(tick(), "gzip").cpu, 1.0, 0.01);
  EXPECT_EQ(*stage(tick(), "cat").cpu, 0.0);
  EXPECT_EQ(stage(tick(), "gzip").cpu_ns, 500 * kMs);
}

TEST_F(WatchTableTest, CpuIsNotKnownWhileThreadsExit) {
  machine.add(10, "pigz");
  machine.add(11, "cat");
  machine.connect(100, 10, 11);
  machine.runs(10);
  machine.thread(10, 77).task.cpu_ns = 10 * kSecond;
  tick();
  machine.thread(10, 77).task.cpu_ns = 0;  // as if it had gone
  pass(500 * kMs);
  EXPECT_FALSE(stage(tick(), "pigz").cpu.has_value());
  pass(500 * kMs);
  EXPECT_GT(*stage(tick(), "pigz").cpu, 0.9);
}

TEST_F(WatchTableTest, NoNameCanControlTheTerminal) {
  machine.add(10, "\x1b]0;x\x07\xff");
  machine.process(10).command = "evil \x1b[31m";
  machine.add(11, "cat");
  machine.connect(100, 10, 11);
  machine.process(10).links[7] = "/tmp/\x1b[2J";
  machine.hold(101, 10, 7, Access::write);
  machine.pipe(101).pipe.id.device = 99;  // a FIFO
  const auto s = tick();
  for (const PipeRow& row : s->table.rows)
    for (const Stage& stage : row.stages)
      for (const std::string& text : {stage.name, stage.command, row.pipe.path})
        for (const char c : text) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << text;
}

TEST_F(WatchTableTest, AFifoHasItsPathAndAnOwnPipeIsMarked) {
  machine.add(10, "logger");
  machine.process(10).links[5] = "/run/log fifo";
  machine.hold(100, 10, 5, Access::write);
  machine.pipe(100).pipe.id.device = 42;
  machine.hold(101, 10, 6, Access::read);
  machine.hold(101, 10, 7, Access::write);
  const auto s = tick();
  ASSERT_EQ(s->table.rows.size(), 2u);
  for (const PipeRow& row : s->table.rows) {
    EXPECT_EQ(row.pipe.path, row.pipe.id.inode == 100 ? "/run/log fifo" : "");
    EXPECT_EQ(row.pipe.own, row.pipe.id.inode == 101);
  }
}

TEST_F(WatchTableTest, AgesAreSinceTheStartAndSinceItWasSeen) {
  machine.add(10, "a");
  machine.add(11, "b");
  machine.connect(100, 10, 11);
  const uint64_t first_ns = machine.now_ns;
  tick();
  pass(3 * kSecond);
  const auto s = tick();
  EXPECT_EQ(s->table.rows[0].pipe.first_seen_ns, first_ns);
  // It began 100 ticks of the clock after the machine; the fake one is up for as long as its clock
  // says.
  const uint64_t tick_ns = kSecond / static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  EXPECT_EQ(stage(s, "a").age_ns, machine.now_ns - 100 * tick_ns);
}

TEST_F(WatchTableTest, AProcessThatExecsGetsItsNewNameAndCommand) {
  machine.add(10, "sh");
  machine.add(11, "cat");
  machine.connect(100, 10, 11);
  tick();
  machine.process(10).comm = "gzip";
  machine.process(10).command = "gzip -9";
  pass(500 * kMs);
  EXPECT_EQ(stage(tick(), "gzip").command, "gzip -9");
}

TEST_F(WatchTableTest, ATitleThatIsWrittenAnewComesToStay) {
  machine.add(10, "sshd");
  machine.add(11, "cat");
  machine.connect(100, 10, 11);
  tick();
  machine.process(10).command = "sshd: user";
  for (int i = 0; i < 400; ++i) pass(500 * kMs), tick();
  for (int i = 0; i < 4; ++i) {
    pass(500 * kMs);
    EXPECT_EQ(stage(tick(), "sshd").command, "sshd: user");
  }
}

TEST_F(WatchTableTest, APartKeepsItsNumberWhenOthersComeAndGo) {
  for (const pid_t pid : {10, 11, 12, 13, 14, 15}) machine.add(pid, "p");
  machine.connect(200, 12, 13);
  const size_t number = tick()->table.rows[0].pipeline;
  machine.connect(100, 10, 11);
  machine.connect(300, 13, 14);
  pass(500 * kMs);
  auto s = tick();
  ASSERT_EQ(s->table.rows.size(), 3u);
  EXPECT_NE(s->table.rows[0].pipeline, number);
  EXPECT_EQ(s->table.rows[1].pipeline, number);
  EXPECT_EQ(s->table.rows[2].pipeline, number) << "it hangs together with the one before";
  machine.exit(10);
  machine.exit(11);
  pass(500 * kMs);
  s = tick();
  ASSERT_EQ(s->table.rows.size(), 2u);
  EXPECT_EQ(s->table.rows[0].pipeline, number);
}

TEST_F(WatchTableTest, WhatHoldersDoIsNoticedThoughTheyStayTheSame) {
  machine.add(10, "sh");
  machine.add(11, "sleep", 10);
  machine.add(12, "cat");
  machine.connect(100, 10, 12);
  machine.hold(100, 11, 1, Access::write);
  const auto child_is_active = [&] {
    const auto s = tick();
    const std::vector<StageEnd>& writers = s->table.rows[0].pipe.writers;
    return std::ranges::any_of(
        writers, [](const StageEnd& end) { return end.active && end.end.process.pid == 11; });
  };
  EXPECT_FALSE(child_is_active());
  machine.thread(11).task.cpu_ns = kSecond;  // it has done something, after all
  for (int i = 0; i < 70; ++i) pass(500 * kMs), tick();
  EXPECT_TRUE(child_is_active());
}

TEST_F(WatchTableTest, ASnapshotOfBeforeStaysAsItWas) {
  machine.add(10, "a");
  machine.add(11, "b");
  machine.connect(100, 10, 11);
  std::vector<std::shared_ptr<const Snapshot>> snapshots;
  for (int i = 0; i <= 4; ++i) {
    machine.pipe(100).used_share = i / 4.0;
    snapshots.push_back(tick());
    pass(500 * kMs);
  }
  for (uint64_t i = 0; i <= 4; ++i)
    EXPECT_EQ(snapshots[i]->table.rows[0].pipe.queued, 4 * i * 4096);
}

TEST_F(WatchTableTest, PassesAreMadeTwiceASecond) {
  machine.add(10, "a");
  machine.add(11, "b");
  machine.connect(100, 10, 11);
  for (int i = 0; i < 100; ++i) {
    tick();
    pass(50 * kMs);
  }
  EXPECT_EQ(machine.scans, 10);
  EXPECT_EQ(machine.samples, 0) << "none is open";
}

TEST_F(WatchTableTest, AnIntervalThatIsAMillisecondShortWillDo) {
  machine.add(10, "a");
  machine.add(11, "b");
  machine.connect(100, 10, 11);
  tick();
  pass(499 * kMs);
  tick();
  EXPECT_EQ(machine.scans, 2);
}

TEST_F(WatchTableTest, DearPassesAreStretchedToATwentiethOfACpu) {
  machine.add(10, "a");
  machine.add(11, "b");
  machine.connect(100, 10, 11);
  machine.scan_cost_ns = 100 * kMs;
  const uint64_t before_ns = machine.cpu_ns;
  for (int i = 0; i < 1200; ++i) {  // a minute
    tick();
    pass(50 * kMs);
  }
  EXPECT_LE(machine.cpu_ns - before_ns, 3100 * kMs);
  EXPECT_GE(machine.cpu_ns - before_ns, 2500 * kMs);
  EXPECT_DOUBLE_EQ(tick()->table.scan_ms, 100.0);
}

TEST_F(WatchTableTest, OneDearPassMakesNobodyWait) {
  machine.add(10, "a");
  machine.scan_cost_ns = kMs;
  tick();
  pass(kSecond);
  machine.scan_cost_ns = kSecond;  // a process with thousands of threads, which ends
  tick();
  machine.scan_cost_ns = kMs;
  pass(kSecond);
  tick();
  EXPECT_EQ(machine.scans, 3);
}

TEST_F(WatchTableTest, APassThatFailsKeepsTheTableAndIsTriedAgainWhenDue) {
  machine.add(10, "yes");
  machine.add(11, "cat");
  machine.connect(100, 10, 11);
  for (const bool in_parts : {false, true}) {
    WatchOptions options;
    options.in_parts = in_parts;
    start(options);
    ASSERT_EQ(tick()->stale_because, "");
    const uint64_t seen_ns = machine.now_ns;
    machine.refuses = ENFILE;
    pass(kSecond);
    const auto s = tick();
    EXPECT_EQ(s->table.rows.size(), 1u);
    EXPECT_TRUE(s->stale_because.starts_with("list of pipes: Too many open files in system; "));
    EXPECT_EQ(s->stale_since_ns, seen_ns);
    machine.scans = 0;
    for (int i = 0; i < 20; ++i) {
      pass(50 * kMs);
      EXPECT_EQ(tick(), s) << "there is nothing new";
    }
    EXPECT_EQ(machine.scans, 2) << "as often as others";
    machine.refuses = 0;
    pass(kSecond);
    EXPECT_EQ(tick()->stale_because, "");
  }
}

TEST_F(WatchTableTest, AFirstPassThatFailsShowsNothingYet) {
  machine.refuses = ENOMEM;
  const auto s = tick();
  EXPECT_FALSE(watcher->has_passed());
  EXPECT_TRUE(s->stale_because.starts_with("list of pipes: Cannot allocate memory; "));
  EXPECT_EQ(s->stale_since_ns, machine.now_ns);
}

TEST_F(WatchTableTest, HalfOfAPassThatFailsIsNotUsed) {
  machine.scan_parts = 2;
  WatchOptions options;
  options.in_parts = true;
  start(options);
  const auto look = [&] {
    pass(50 * kMs);
    return tick();
  };
  look();
  machine.refuses = ENFILE;
  EXPECT_NE(look()->stale_because, "");
  machine.refuses = 0;
  pass(kSecond);
  EXPECT_NE(look()->stale_because, "") << "half of the next one tells nothing either";
  EXPECT_EQ(look()->stale_because, "");
}

TEST_F(WatchTableTest, BetweenPassesNothingIsMadeAnew) {
  machine.add(10, "a");
  machine.add(11, "b");
  machine.connect(100, 10, 11);
  const auto s = tick();
  pass(50 * kMs);
  EXPECT_EQ(tick(), s);
  pass(450 * kMs);
  EXPECT_NE(tick(), s);
}

TEST_F(WatchTableTest, WithoutBpfRatesAreOfWhatTheEndsReadAndWrote) {
  machine.source = ScanSource::proc;
  machine.reason = "needs root; sudo pipetop";
  machine.add(10, "tee");
  machine.add(11, "wc");
  machine.connect(100, 10, 11);
  for (int i = 0; i <= 4; ++i) {
    tick();
    machine.process(10).io->written_bytes += 2'000'000;  // half of it into a file
    machine.process(11).io->read_bytes += 1'000'000;
    pass(500 * kMs);
  }
  const auto s = tick();
  EXPECT_EQ(s->no_bpf, machine.reason);
  EXPECT_FALSE(s->table.rows[0].pipe.ring);
  ASSERT_TRUE(s->table.rows[0].pipe.bytes_per_s.has_value());
  EXPECT_NEAR(*s->table.rows[0].pipe.bytes_per_s, 2e6, 1);
}

// make's jobserver: all hold both ends, and what the children moved counts as make's.
TEST_F(WatchTableTest, WithoutBpfWhoReapsChildrenOrHoldsBothEndsTellsNoRate) {
  machine.source = ScanSource::proc;
  for (const pid_t pid : {10, 11, 12}) machine.add(pid, "p");
  machine.connect(100, 10, 11);
  machine.hold(200, 12, 3, Access::read);
  machine.hold(200, 12, 4, Access::write);
  machine.process(10).io.reset();
  for (int i = 0; i <= 4; ++i) {
    tick();
    machine.process(12).io->written_bytes += 1'000'000'000;
    machine.process(12).io->read_bytes += 1'000'000'000;
    pass(500 * kMs);
  }
  EXPECT_EQ(*tick()->table.rows[0].pipe.bytes_per_s, 0) << "by its reader alone";
  machine.process(11).io.reset();
  for (int i = 0; i <= 4; ++i) {
    tick();
    pass(500 * kMs);
  }
  for (const PipeRow& row : tick()->table.rows) {
    EXPECT_FALSE(row.pipe.bytes_per_s.has_value()) << row.pipe.id.inode;
    EXPECT_FALSE(row.pipe.total_bytes) << "unknown is not 0";
  }
}

TEST_F(WatchTableTest, WithoutBpfTheRateOfAnotherProcessIsNotKnownAtOnce) {
  machine.source = ScanSource::proc;
  for (const pid_t pid : {10, 11, 12}) machine.add(pid, "p");
  machine.connect(100, 10, 11);
  const auto go_on = [&](pid_t writer) {
    machine.process(writer).io->written_bytes += 1'000'000;
    machine.process(11).io->read_bytes += 1'000'000;
    pass(500 * kMs);
    return tick()->table.rows[0].pipe.bytes_per_s;
  };
  tick();
  for (int i = 0; i < 3; ++i) go_on(10);
  EXPECT_TRUE(go_on(10).has_value());
  machine.release(100, 10);
  machine.hold(100, 12, 1, Access::write);
  EXPECT_FALSE(go_on(12).has_value());
  for (int i = 0; i < 3; ++i) go_on(12);
  EXPECT_NEAR(go_on(12).value.value_or(0), 2e6, 1);
}

TEST_F(WatchTableTest, APassInPartsShowsTheOneBeforeUntilItIsComplete) {
  machine.add(10, "tar");
  machine.add(11, "gzip");
  machine.connect(100, 10, 11);
  machine.scan_parts = 3;
  machine.question_ns = kSecond;  // each part is late
  start({.in_parts = true});
  auto s = tick();
  EXPECT_FALSE(s->table.has_passed);
  int parts = 1;
  for (; !s->table.has_passed; ++parts) s = tick();
  EXPECT_GT(parts, 8) << "three of the scan, and each step of the table";
  EXPECT_EQ(machine.scans, 1);
  ASSERT_EQ(s->table.rows.size(), 1u);
  EXPECT_EQ(stage(s, "gzip").command, "gzip --flag");
  machine.add(20, "yes");
  machine.add(21, "wc");
  const PipeId later = machine.connect(200, 20, 21);
  for (int part = 1; part < parts; ++part) {
    EXPECT_EQ(tick()->table.rows.size(), 1u) << part;
    EXPECT_NE(error_of([&] { watcher->open(later); }), "no error") << "nobody has seen it yet";
  }
  for (int part = 0; part < parts && tick()->table.rows.size() == 1; ++part) continue;
  EXPECT_EQ(tick()->table.rows.size(), 2u);
  watcher->open(later);
  EXPECT_EQ(names(tick()), "yes wc");
}

TEST_F(WatchTableTest, WhatAnotherPassInterruptsIsForgotten) {
  machine.add(10, "tar");
  machine.add(11, "gzip");
  machine.connect(100, 10, 11);
  machine.question_ns = kSecond;
  start({.in_parts = true});
  for (int i = 0; i < 3; ++i) tick();
  machine.exit(11);
  machine.add(12, "zstd");
  machine.hold(100, 12, 0, Access::read);
  watcher->open(ProcessId{12, 120});
  EXPECT_EQ(names(tick()), "tar zstd");
}

TEST_F(WatchTableTest, ThousandsOfHoldersAreNamedAndNotAsked) {
  machine.add(1, "init");
  for (pid_t pid = 10; pid < 210; ++pid) {
    machine.add(pid, "holder");
    machine.hold(100, pid, 1, Access::write);
  }
  const auto s = tick();
  ASSERT_EQ(s->table.rows[0].stages.size(), 200u);
  EXPECT_EQ(s->table.rows[0].stages.front().command, "holder --flag");
  EXPECT_EQ(s->table.rows[0].stages.back().command, "holder");
}

}  // namespace
}  // namespace pipetop
