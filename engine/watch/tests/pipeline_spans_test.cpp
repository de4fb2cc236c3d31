#include "engine/watch/pipeline_spans.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/judge/tests/made_pipelines.h"

namespace pipetop {
namespace {

using observe::RingTally;
using observe::ThreadTimes;

constexpr ProcessId kProcess = {10, 100};

ThreadTimes thread(pid_t tid, uint64_t wall_ns, uint64_t on_cpu_ns, uint64_t read_ns,
                   uint64_t lock_ns = 0) {
  ThreadTimes times;
  times.process = kProcess;
  times.tid = tid;
  times.wall_ns = wall_ns;
  times.on_cpu_ns = on_cpu_ns;
  times.wait_ns[static_cast<size_t>(WaitsFor::pipe_read)] = read_ns;
  times.wait_ns[static_cast<size_t>(WaitsFor::lock)] = lock_ns;
  return times;
}

// Those of the other pipes differ: 125 MiB/s into gzip, 0.5 out of it.
TEST(WatchSegments, AllRatesOfAPipelineAreOfItsFirstPipe) {
  Pipeline seen =
      made_pipeline({"cat", "gzip", "wc", "yes", "head"}, {{{0}, {1}}, {{1}, {2}}, {{3}, {4}}});
  for (size_t i = 0; i < seen.pipes.size(); ++i) {
    seen.pipes[i].capacity = 65536 << i;
    for (uint64_t ms = 0; ms <= 9000; ms += 100)
      seen.pipes[i].rates.push_back({ms * kMs, 100e6 / double(i * 200 + 1)});
  }
  WatchSegments segments(0);
  const auto change = [&](uint64_t second, size_t pipe) {
    segments.begin(second * kSecond, seen, {}, seen.pipes[pipe].id, "changed", "}");
    return segments.throughput((second + 3) * kSecond, seen);
  };
  const Throughput now = change(3, 1);
  EXPECT_EQ(segments.measured_in(seen), seen.pipes[0].id);
  EXPECT_NEAR(now.segments[0]->rate->mean, 100e6, 1);
  EXPECT_NEAR(now.current.rate->mean, 100e6, 1);
  EXPECT_NEAR(now.previous->rate->mean, 100e6, 1);
  EXPECT_EQ(now.current.pipe_bytes, 131072u) << "of the one that was changed";
  change(6, 2);
  EXPECT_EQ(segments.measured_in(seen), seen.pipes[2].id) << "nothing connects it";
}

TEST(PipelineWindow, KnowsNothingOfWhatWasNeverCounted) {
  PipelineWindow window(5 * kSecond);
  EXPECT_FALSE(window.shares(kProcess).has_value());
  EXPECT_FALSE(window.ring({15, 1}).has_value());
  window.add(kSecond, {thread(10, 0, 0, 0)}, {});
  EXPECT_FALSE(window.shares(kProcess).has_value()) << "no time has passed";
  EXPECT_FALSE(window.shares({11, 1}).has_value());
}

TEST(PipelineWindow, SharesAreDifferencesOverTheWindow) {
  PipelineWindow window(5 * kSecond);
  // A CPU's work for ten seconds, then reading for ten.
  for (uint64_t s = 0; s <= 20; ++s)
    window.add(s * kSecond,
               {thread(10, s * kSecond, std::min<uint64_t>(s, 10) * kSecond,
                       (s - std::min<uint64_t>(s, 10)) * kSecond)},
               {});
  EXPECT_NEAR(window.shares(kProcess)->reading, 1, 1e-9);
  EXPECT_NEAR(window.shares(kProcess)->on_cpu, 0, 1e-9);
  EXPECT_NEAR(double(window.length_ns()), 5e9, 1e9);
}

TEST(PipelineWindow, TheThreadThatWaitsForPipesStandsForItsProcess) {
  PipelineWindow window(5 * kSecond);
  window.add(0, {}, {});
  window.add(2 * kSecond,
             {thread(10, 2 * kSecond, 0, 0, 2 * kSecond),                   // waits for the others
              thread(11, 2 * kSecond, 2 * kSecond, 0),                      // works
              thread(12, 2 * kSecond, kSecond / 2, kSecond, kSecond / 2)},  // reads
             {});
  EXPECT_NEAR(window.shares(kProcess)->reading, 0.5, 1e-9);
  EXPECT_NEAR(window.shares(kProcess)->on_cpu, 0.25, 1e-9);
  EXPECT_NEAR(window.shares(kProcess)->cpu, 1.25, 1e-9) << "of all of them";
  EXPECT_NEAR(window.shares(kProcess)->busiest_other, 1, 1e-9);
}

TEST(PipelineWindow, WithoutOneTheBusiestDoes) {
  PipelineWindow window(5 * kSecond);
  window.add(0, {}, {});
  window.add(2 * kSecond,
             {thread(10, 2 * kSecond, 0, 20 * kMs, 2 * kSecond - 20 * kMs),
              thread(11, 2 * kSecond, 2 * kSecond, 0)},
             {});
  EXPECT_NEAR(window.shares(kProcess)->on_cpu, 1, 1e-9);
}

// A scan of threads of kProcess from tid 10 on.
PipeScan scan_of(const std::vector<std::string>& names) {
  PipeScan scan;
  for (const std::string& name : names) {
    ScannedTask& task = scan.tasks.emplace_back();
    task.process = kProcess;
    task.tid = pid_t(9 + scan.tasks.size());
    task.comm = name;
  }
  return scan;
}

// One that reads what always has data, one that computes, one that waits for room, one that sleeps.
TEST(PipelineWindow, ThreadsHaveRoles) {
  constexpr PipeId kOut = {15, 7};
  ThreadTimes writer = thread(12, 2 * kSecond, kSecond / 4, 0);
  const auto add = [&](PipelineWindow& window, uint64_t ns) {
    writer.wall_ns = ns;
    writer.pipes = {{kOut, true, ns / 2}};
    writer.wait_ns[size_t(WaitsFor::pipe_write)] = ns / 2;
    window.add(ns,
               {thread(10, ns, ns / 10, 0, ns / 2), thread(11, ns, ns, 0), writer,
                thread(13, ns, 0, 0, ns)},
               {});
  };
  PipelineWindow window(5 * kSecond);
  const PipeScan scan = scan_of({"in", "work", "out", "idle", "new"});
  std::map<pid_t, ProcessIo> io;
  // What was read before is not of the window.
  for (pid_t tid = 10; tid < 14; ++tid) io[tid] = {900'000, 900'000, 1, 1};
  const auto threads = [&] {
    return window.threads(kProcess, ScanIndex(scan), [&](pid_t tid) {
      return io.contains(tid) ? std::optional(io[tid]) : std::nullopt;
    });
  };
  add(window, 0);
  threads();
  io[10].read_bytes += 1000;
  io[11].read_bytes += 10;
  add(window, 2 * kSecond);
  const std::vector<StageThread> found = threads();
  std::string text;
  for (const StageThread& one : found) text += fmt::format("{} {}; ", one.name, one.role());
  EXPECT_EQ(text, "work computes; in reads; out writes; idle waits; new ; ");
  EXPECT_EQ(found[0].shares->on_cpu, 1);
  EXPECT_FALSE(found[4].shares.has_value()) << "nothing is known of it";
  ASSERT_EQ(found[2].pipes.size(), 1u);
  EXPECT_EQ(found[2].pipes[0].pipe, kOut);
  EXPECT_EQ(found[2].pipes[0].share, 0.5);
}

TEST(PipelineWindow, TheBusiestOfManyThreadsAreListed) {
  const PipeScan scan = scan_of(std::vector<std::string>(300, "t"));
  std::vector<ThreadTimes> times;
  for (const ScannedTask& task : scan.tasks)
    times.push_back(thread(task.tid, kSecond, uint64_t(task.tid) * kMs, 0));
  PipelineWindow window(5 * kSecond);
  window.add(0, {}, {});
  window.add(kSecond, times, {});
  size_t asked = 0;
  const auto threads =
      window.threads(kProcess, ScanIndex(scan), [&](pid_t) -> std::optional<ProcessIo> {
        ++asked;
        return {};
      });
  ASSERT_EQ(threads.size(), Stage::kMostThreads);
  EXPECT_EQ(asked, Stage::kMostThreads);
  EXPECT_EQ(threads.front().tid, 309);
  EXPECT_EQ(threads.back().tid, 310 - int(Stage::kMostThreads));
}

TEST(PipelineWindow, ANewThreadHasItsOwnTime) {
  PipelineWindow window(5 * kSecond);
  window.add(kSecond, {}, {});
  window.add(4 * kSecond, {thread(10, kSecond, kSecond, 0)}, {});
  EXPECT_NEAR(window.shares(kProcess)->on_cpu, 1, 1e-9);
}

TEST(PipelineWindow, ARestartForgetsWhatWasBefore) {
  PipelineWindow window(5 * kSecond);
  window.add(kSecond, {thread(10, 0, 0, 0)}, {});
  window.add(2 * kSecond, {thread(10, kSecond, kSecond, 0)}, {});
  window.restart();
  EXPECT_FALSE(window.shares(kProcess).has_value());
  window.add(3 * kSecond, {thread(10, 2 * kSecond, 2 * kSecond, 0)}, {});
  window.add(4 * kSecond, {thread(10, 3 * kSecond, 2 * kSecond, kSecond)}, {});
  EXPECT_NEAR(window.shares(kProcess)->reading, 1, 1e-9);
  EXPECT_EQ(window.length_ns(), kSecond);
}

TEST(PipelineWindow, WhatHasExitedLeavesItWithTheWindow) {
  PipelineWindow window(5 * kSecond);
  PipelineWindow all(PipelineWindow::kAllTime);
  for (PipelineWindow* w : {&window, &all}) {
    w->add(0, {thread(10, 0, 0, 0)}, {});
    w->add(kSecond, {thread(10, kSecond, kSecond, 0)}, {});
    w->add(2 * kSecond, {}, {});
    EXPECT_TRUE(w->shares(kProcess).has_value());
    for (uint64_t s = 3; s < 20; ++s) w->add(s * kSecond, {}, {});
  }
  EXPECT_FALSE(window.shares(kProcess).has_value());
  EXPECT_NEAR(all.shares(kProcess)->on_cpu, 1, 1e-9) << "of its own time";
}

TEST(PipelineWindow, WhatIsNotKeptIsForgotten) {
  PipelineWindow all(PipelineWindow::kAllTime);
  const PipeId id{15, 1};
  all.add(0, {thread(10, 0, 0, 0)}, {RingTally{id, 100, 100, 0, 0}});
  all.add(kSecond, {thread(10, kSecond, kSecond, 0)}, {RingTally{id, 200, 110, 60, 70}});
  all.keep({kProcess}, {id});
  EXPECT_TRUE(all.shares(kProcess).has_value());
  EXPECT_TRUE(all.ring(id).has_value());
  all.keep({}, {});
  EXPECT_FALSE(all.shares(kProcess).has_value());
  EXPECT_FALSE(all.ring(id).has_value());
}

TEST(PipelineWindow, RingsAreSharesOfLooks) {
  PipelineWindow window(5 * kSecond);
  const PipeId id{15, 1};
  window.add(0, {}, {RingTally{id, 100, 100, 0, 0}});
  EXPECT_FALSE(window.ring(id).has_value());
  window.add(kSecond, {}, {RingTally{id, 200, 110, 60, 70}});
  const auto ring = window.ring(id);
  ASSERT_TRUE(ring.has_value());
  EXPECT_EQ(ring->samples, 100u);
  EXPECT_NEAR(ring->empty_share, 0.1, 1e-9);
  EXPECT_NEAR(ring->full_share, 0.6, 1e-9);
  EXPECT_NEAR(ring->mean_share, 0.7, 1e-9);
}

// A cycle of 164 ms, sampled every 20.4: always at the same moments.
TEST(PipelineWindow, LongSleepsInARingCorrectItsSamples) {
  constexpr PipeId kPipe = {15, 1};
  const auto level_with = [&](uint64_t sleeps) {
    PipelineWindow window(5 * kSecond);
    for (uint64_t s = 0; s <= 5; ++s) {
      ThreadTimes writer = thread(10, s * kSecond, 0, 0), reader = thread(11, s * kSecond, 0, 0);
      writer.pipes = {{kPipe, true, s * 370 * kMs}};
      reader.pipes = {{kPipe, false, s * 590 * kMs}};
      writer.sleeps = reader.sleeps = s * sleeps;
      window.add(s * kSecond, {writer, reader}, {{kPipe, s * 100, s * 46, s * 54, double(s) * 54}});
    }
    return *window.ring(kPipe).value;
  };
  EXPECT_NEAR(level_with(6).full_share, 0.41, 1e-9) << "the reader found it empty";
  EXPECT_NEAR(level_with(6).empty_share, 0.59, 1e-9);
  EXPECT_NEAR(level_with(6).mean_share, 0.41, 1e-9);
  EXPECT_NEAR(level_with(5000).full_share, 0.54, 1e-9) << "in short ones it fills and drains";
}

}  // namespace
}  // namespace pipetop
