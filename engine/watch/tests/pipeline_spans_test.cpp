#include "engine/watch/pipeline_spans.h"

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
