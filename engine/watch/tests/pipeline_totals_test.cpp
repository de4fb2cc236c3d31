// Totals of pipelines, on a machine that the test plays.
#include "engine/watch/pipeline_totals.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <numeric>

#include "engine/base/error.h"
#include "engine/watch/tests/fake_machine.h"

namespace pipetop {
namespace {

struct PipelineTotalsTest : testing::Test {
  void start(TotalsOptions options = {}) {
    totals = std::make_unique<PipelineTotals>(std::move(options), machine.parts());
    totals->pass(machine.now_ns);
  }
  void pass(uint64_t ns = 5 * kSecond) {
    machine.pass(ns);
    totals->pass(machine.now_ns);
  }
  PipeTotals pipe(const std::string& pipeline) const {
    PipeTotals found;
    totals->pipes().for_each([&](const auto& labels, const PipeTotals& t) {
      if (labels[0] == pipeline) found = t;
    });
    return found;
  }
  StageTotals stage(const std::string& name) const {
    StageTotals found;
    totals->stages().for_each([&](const auto& labels, const StageTotals& t) {
      if (labels[2] == name) found = t;
    });
    return found;
  }
  // "stage gzip"
  std::string bottlenecks() const {
    std::string text;
    totals->bottlenecks().for_each([&](const auto& labels, const BottleneckTotals& t) {
      if (t.pipelines > 0) text += fmt::format("{} {} {};", labels[2], labels[3], t.pipelines);
    });
    return text;
  }
  // It has read and written so much in all.
  void exit(pid_t pid, uint64_t read, uint64_t written) {
    machine.exited.push_back({machine.process(pid).id, machine.now_ns, read, written});
    machine.exit(pid);
  }
  void add_pair(pid_t writer, uint64_t inode, const std::string& a = "tar",
                const std::string& b = "gzip") {
    machine.add(writer, a);
    machine.add(writer + 1, b);
    machine.connect(inode, writer, writer + 1);
    machine.pipe(inode).bytes_per_s = 1e6;
    machine.pipe(inode).used_share = 1;
    machine.waits(writer, WaitsFor::pipe_write, 1);
    machine.runs(writer + 1);
  }

  FakeMachine machine;
  std::unique_ptr<PipelineTotals> totals;
};

TEST_F(PipelineTotalsTest, BytesAndTimesOnlyGrow) {
  add_pair(10, 100);
  start();
  for (int i = 0; i < 3; ++i) pass();
  const PipeTotals t = pipe("tar|gzip");
  EXPECT_NEAR(t.bytes, 15e6, 1e5);
  EXPECT_NEAR(t.full_s, 10, 0.1) << "the clocks watch it from the second pass on";
  EXPECT_NEAR(t.observed_s, 10, 0.1);
  EXPECT_EQ(t.empty_s, 0);
  EXPECT_EQ(t.pipes, 1);
  EXPECT_EQ(t.capacity_bytes, 65536);
  EXPECT_EQ(t.queued_bytes, 65536);
  EXPECT_NEAR(stage("tar").seconds[StageTotals::writing], 10, 0.1);
  EXPECT_NEAR(stage("gzip").seconds[StageTotals::on_cpu], 10, 0.1);
  EXPECT_EQ(bottlenecks(), "stage gzip 1;");
}

// `pv -L 2M | cat`, whose standard error is a socket: watch says the same.
TEST_F(PipelineTotalsTest, WhoPollsByItselfIsNotHeldUpFromOutside) {
  add_pair(10, 100, "pv", "cat");
  machine.pipe(100).used_share = 0;
  machine.waits(10, WaitsFor::poll);
  machine.waits(11, WaitsFor::pipe_read, 0);
  FakeProcess& pv = machine.process(10);
  pv.links[2] = "socket:[4711]";
  pv.polls = std::vector<observe::Polled>();
  start();
  for (int i = 0; i < 3; ++i) pass();
  EXPECT_EQ(bottlenecks(), "stage pv 1;");
  pv.polls = {{2, false, true}};
  pass();
  EXPECT_EQ(bottlenecks(), "outside pv 1;");
}

TEST_F(PipelineTotalsTest, APassThatFailsLeavesAllAsItWasAndTheNextMakesUpForIt) {
  add_pair(10, 100);
  start();
  for (int i = 0; i < 2; ++i) pass();
  const PipeTotals before = pipe("tar|gzip");
  ASSERT_EQ(bottlenecks(), "stage gzip 1;");
  machine.refuses = ENOMEM;
  for (int i = 0; i < 3; ++i) EXPECT_THROW(pass(), SystemError);
  const PipeTotals then = pipe("tar|gzip");
  EXPECT_EQ(then.bytes, before.bytes);
  EXPECT_EQ(then.pipes, 1);
  EXPECT_EQ(then.capacity_bytes, 65536);
  EXPECT_EQ(bottlenecks(), "stage gzip 1;");
  machine.refuses = 0;
  pass();
  EXPECT_NEAR(pipe("tar|gzip").bytes, 30e6, 1e5);
  EXPECT_NEAR(stage("gzip").seconds[StageTotals::on_cpu], 25, 0.1);
}

TEST_F(PipelineTotalsTest, WhatStandsIsKnownWithoutAClock) {
  add_pair(10, 100);
  machine.pipe(100).bytes_per_s = 0;
  machine.waits(11, WaitsFor::stopped);
  start();
  pass();
  const PipeTotals t = pipe("tar|gzip");
  EXPECT_EQ(t.bytes, 0);
  EXPECT_EQ(t.full_s, 5);
  EXPECT_EQ(t.observed_s, 5);
  EXPECT_EQ(stage("tar").seconds[StageTotals::writing], 5);
  EXPECT_EQ(stage("gzip").seconds[StageTotals::other], 5);
  EXPECT_EQ(bottlenecks(), "stopped gzip 1;");
}

TEST_F(PipelineTotalsTest, WithoutAClockTheTimeOfWhatMovesIsNotTold) {
  machine.no_clock = "no clock; none";
  add_pair(10, 100);
  machine.source = ScanSource::bpf;
  start();
  for (int i = 0; i < 3; ++i) pass();
  EXPECT_EQ(pipe("tar|gzip").observed_s, 0);
  EXPECT_NEAR(pipe("tar|gzip").bytes, 15e6, 1e5);
}

TEST_F(PipelineTotalsTest, PipelinesOfTheSameToolsAreOneSeries) {
  for (int i = 0; i < 5; ++i) add_pair(10 + 2 * i, 100 + uint64_t(i));
  start();
  pass();
  pass();
  EXPECT_EQ(totals->pipes().size(), 1u);
  EXPECT_EQ(totals->stages().size(), 2u);
  EXPECT_EQ(pipe("tar|gzip").pipes, 5);
  EXPECT_EQ(stage("gzip").processes, 5);
  EXPECT_EQ(bottlenecks(), "stage gzip 5;");
}

TEST_F(PipelineTotalsTest, ThousandsOfNamesMakeNoMoreSeries) {
  start({.most_series = 20});
  double last = 0;
  for (int i = 0; i < 2000; ++i) {
    const pid_t pid = 10 + 2 * i;
    add_pair(pid, 100 + uint64_t(i), fmt::format("tool{}", i));
    pass(kSecond);
    machine.exit(pid);
    machine.exit(pid + 1);
    last = totals->pipes().other().bytes;
  }
  EXPECT_EQ(totals->pipes().size(), 20u);
  EXPECT_EQ(totals->stages().size(), 20u);
  EXPECT_EQ(totals->bottlenecks().size(), 20u);
  EXPECT_TRUE(totals->pipes().has_other());
  EXPECT_GT(last, 1e6) << "what is in no series of its own counts";
  EXPECT_EQ(totals->summed_pipelines(), 1u);
  double sum = totals->pipes().other().bytes;
  totals->pipes().for_each([&](const auto&, const PipeTotals& t) { sum += t.bytes; });
  EXPECT_NEAR(sum, 2000 * (1e6 + 65536), 20e6) << "with what is in the full rings";
}

// It moved 5 MB after the last pass that saw it.
TEST_F(PipelineTotalsTest, WhatMovedAfterTheLastPassIsCountedAtTheEnd) {
  add_pair(10, 100);
  machine.pipe(100).used_share = 0;
  machine.thread(10).task.written_bytes = machine.thread(11).task.read_bytes = 1000;
  start();
  for (int i = 0; i < 3; ++i) pass();
  const double before = pipe("tar|gzip").bytes;
  machine.pass(3 * kSecond);
  exit(10, 77, 5'001'000);
  exit(11, 5'001'000, 77);
  pass(2 * kSecond);
  EXPECT_EQ(pipe("tar|gzip").bytes - before, 5e6);
  EXPECT_NEAR(stage("tar").seconds[StageTotals::writing], 13, 0.1);
  EXPECT_NEAR(stage("gzip").seconds[StageTotals::on_cpu], 13, 0.1);
  EXPECT_NEAR(pipe("tar|gzip").observed_s, 13, 0.1);
  EXPECT_NEAR(pipe("tar|gzip").empty_s, 13, 0.1);
  EXPECT_EQ(totals->unknown_ends(), 0u);
  const double after = pipe("tar|gzip").bytes;
  pass();
  EXPECT_EQ(pipe("tar|gzip").bytes, after) << "once";
}

// tar has exited, and gzip has yet to read what is in the pipe.
TEST_F(PipelineTotalsTest, WhoIsLeftIsStillThatPipeline) {
  add_pair(10, 100);
  machine.add(12, "ssh");
  machine.connect(200, 11, 12);
  machine.pipe(200).bytes_per_s = 1e5;
  start();
  for (int i = 0; i < 3; ++i) pass();
  const double before = pipe("tar|gzip|ssh").bytes;
  machine.exit(10);
  for (int i = 0; i < 3; ++i) pass();
  EXPECT_GT(pipe("tar|gzip|ssh").bytes, before);
  EXPECT_EQ(totals->pipes().size(), 2u);
  totals->pipes().for_each([&](const auto& labels, const PipeTotals& t) {
    EXPECT_EQ(labels[0], "tar|gzip|ssh");
    EXPECT_NE(labels[2], "");
    EXPECT_EQ(t.pipes, 1);
  });
  machine.add(13, "pv");  // somebody is new
  machine.connect(300, 12, 13);
  pass();
  EXPECT_EQ(pipe("gzip|ssh|pv").pipes, 1);
}

// One lives on: how much of what it wrote went through this pipe, nobody knows.
TEST_F(PipelineTotalsTest, AnEndThatIsNotKnownIsCounted) {
  add_pair(10, 100);
  start();
  pass();
  const double before = pipe("tar|gzip").bytes;
  machine.release(100, 10);
  exit(11, 5'000'000, 0);
  pass();
  EXPECT_EQ(pipe("tar|gzip").bytes, before);
  EXPECT_EQ(totals->unknown_ends(), 1u);
}

TEST_F(PipelineTotalsTest, WhatComesAndGoesBetweenTwoPassesIsUnseen) {
  start();
  const auto exited = [&](pid_t pid, std::optional<PipeId> in, std::optional<PipeId> out) {
    machine.exited.push_back({.process = {pid, 1},
                              .read_bytes = 3'000'000,
                              .written_bytes = 2'000'000,
                              .in = in,
                              .out = out,
                              .read_before = 500'000,
                              .written_before = 500'000});
  };
  const PipeId one{15, 900}, other{15, 901};
  exited(50, {}, one);
  exited(51, one, other);
  exited(52, other, {});
  pass();
  ASSERT_TRUE(totals->unseen());
  EXPECT_EQ(totals->unseen()->pipes, 2u);
  EXPECT_EQ(totals->unseen()->least, 2 * 1'500'000u) << "the less of what was put in and taken out";
  EXPECT_EQ(totals->unseen()->most, 2 * 2'500'000u);
  pass();
  EXPECT_EQ(totals->unseen()->pipes, 2u);
  add_pair(10, 100);
  exited(53, {}, PipeId{FakeMachine::kPipeDevice, 100});
  pass();
  EXPECT_EQ(totals->unseen()->pipes, 2u) << "this pass has seen it";
}

TEST_F(PipelineTotalsTest, WithoutExitsNobodyKnowsWhatIsUnseen) {
  machine.lists_exits = false;
  start();
  pass();
  EXPECT_FALSE(totals->unseen());
}

TEST_F(PipelineTotalsTest, TheTimeBeforeAFirstLookIsNotObserved) {
  start();
  add_pair(10'000, 100);  // it began now: at ten times as many ticks
  pass(3 * kSecond);
  EXPECT_NEAR(stage("tar").unobserved_s, 3, 0.1);
  pass();
  EXPECT_NEAR(stage("tar").unobserved_s, 3, 0.1) << "the clocks run";
}

TEST_F(PipelineTotalsTest, AnHourAfterItsEndASeriesGivesWay) {
  start({.most_series = 1});
  add_pair(10, 100);
  pass();
  machine.exit(10);
  machine.exit(11);
  add_pair(20, 200, "cat", "wc");
  pass();
  EXPECT_EQ(pipe("cat|wc").pipes, 0);
  pass(PipelineTotals::kPatience_ns);
  EXPECT_EQ(pipe("cat|wc").pipes, 1);
  EXPECT_EQ(pipe("tar|gzip").bytes, 0);
}

TEST_F(PipelineTotalsTest, RulesNameKeepAndLeaveOut) {
  for (int i = 0; i < 3; ++i)
    add_pair(10 + 2 * i, 100 + uint64_t(i), fmt::format("job{}", i), "sh");
  add_pair(30, 300, "tar", "ssh");
  add_pair(40, 400, "secret", "ssh");
  TotalsOptions options;
  options.most_series = 2;
  options.rules = {{"tar|*", "backup", true}, {"secret*", "", false}};
  start(options);
  pass();
  pass();
  EXPECT_EQ(pipe("backup").pipes, 1) << "it comes last, and has a series before the others";
  EXPECT_EQ(totals->pipes().size(), 2u);
  EXPECT_EQ(totals->pipes().other().pipes, 2) << "of job0 to job2, without the secret one";
}

TEST_F(PipelineTotalsTest, OwnPipesAreCountedOnly) {
  machine.add(10, "daemon");
  machine.hold(100, 10, 5, Access::read);
  machine.hold(100, 10, 6, Access::write);
  start();
  pass();
  EXPECT_EQ(totals->pipes().size(), 0u);
  EXPECT_EQ(totals->own_pipes(), 1u);
}

TEST_F(PipelineTotalsTest, ALongPipelineHasAShortName) {
  for (pid_t pid = 10; pid < 30; ++pid) machine.add(pid, fmt::format("t{}", pid));
  for (pid_t pid = 10; pid < 29; ++pid) machine.connect(100 + uint64_t(pid), pid, pid + 1);
  start();
  EXPECT_EQ(pipe("t10|t11|t12|t13|t14|t15|t16|t17|...").pipes, 1);
  EXPECT_EQ(totals->pipes().size(), 19u);
}

TEST_F(PipelineTotalsTest, AQuotaOnTheBottleneckIsItsShare) {
  WatchParts parts = machine.parts();
  uint64_t periods = 0;
  parts.memberships_of = [](pid_t pid) { return std::to_string(pid); };
  parts.read_quotas = [&](const std::string& of) -> std::vector<QuotaTotals> {
    EXPECT_EQ(of, "11");
    periods += 50;
    return {{"/x", 0.2, periods, periods * 4 / 5}};
  };
  add_pair(10, 100);
  totals = std::make_unique<PipelineTotals>(TotalsOptions(), std::move(parts));
  totals->pass(machine.now_ns);
  for (int i = 0; i < 3; ++i) pass();
  double throttled = 0;
  totals->bottlenecks().for_each([&](const auto&, const BottleneckTotals& t) {
    throttled = std::max(throttled, t.throttled.value_or(0));
  });
  EXPECT_NEAR(throttled, 0.8, 0.01);
}

}  // namespace
}  // namespace pipetop
