#include <gtest/gtest.h>

#include "engine/workload/table/workloads.h"
#include "tui/tests/snapshots.h"
#include "tui/widgets/workers.h"

namespace pipetop::tui {
namespace {

std::string title(const WorkerReadings& w, int cols) {
  std::string text;
  for (const TitlePart& part : worker_title(w, cols)) {
    if (!part.text.empty()) text += (text.empty() ? "" : " · ") + part.text;
  }
  return text;
}

TEST(Worker, TitleLosesDetailBeforeWords) {
  const Snapshot s = example_snapshot();
  EXPECT_EQ(title(s.workers[0], 60), "writer 812 · cpu 0 · write · 4k · block");
  EXPECT_EQ(title(s.workers[0], 34), "writer 812 · write · 4k · block");
  EXPECT_EQ(title(s.workers[0], 20), "writer · write · 4k · block");
}

TEST(Worker, StateIsShownUnlessAllIsWell) {
  WorkerReadings w = example_snapshot().workers[1];
  w.restarts = 2;
  EXPECT_EQ(title(w, 80), "reader 813 · restarted ×2 · cpu 1 · read · block");
  w.state = ProcessState::restarting;
  w.state_reason = "signal 9";
  EXPECT_EQ(title(w, 80), "reader 813 · restarting: signal 9 · cpu 1 · read · block");
  w.state = ProcessState::stopped;
  w.state_reason = "SIGSTOP";
  EXPECT_EQ(title(w, 80), "reader 813 · stopped: SIGSTOP · cpu 1 · read · block");
}

TEST(Worker, HugePagesThatAreNoneAreSaid) {
  WorkerReadings w = example_snapshot().workers[0];
  w.technique[1] = "thp (not huge)";
  const auto parts = worker_title(w, 80);
  EXPECT_EQ(parts[4].text, "thp (not huge)");
  EXPECT_EQ(parts[4].ink.style, Style::warning);
}

Lines counters(const WorkerReadings& w, int cols) {
  const ListState state;
  return drawn(9, cols, [&](const Area& a) {
    draw_worker(a, w, unit_of(Settings{}), {state, ListChoice{}, Role::writer, false});
  });
}

TEST(Worker, CountersThatAreUnknownAreNotZero) {
  WorkerReadings w = example_snapshot().workers[0];
  w.eagain_share = {};
  w.shares.on_cpu = Reading<double>::unavailable("no /proc");
  EXPECT_EQ(counters(w, 60)[0], "532 k calls/s  128 KiB/call  EAGAIN    …  cpu  n/a");
  EXPECT_EQ(counters(w, 60)[1], "ctx     …/s  short    …  faults     …/s");
}

// The panels of 80x24 have 35 and 36 columns.
TEST(Worker, AllThreeSharesStayWhenNarrow) {
  WorkerReadings w = example_snapshot().workers[0];
  w.counts.eagain = 0;
  const auto second_line = [&](double on_cpu, double blocked, double runnable, int cols) {
    w.shares = {Reading<double>::of(on_cpu), Reading<double>::of(runnable),
                Reading<double>::of(blocked)};
    return counters(w, cols)[1];
  };
  for (const int cols : {35, 36, 37}) {
    EXPECT_EQ(second_line(0.2, 0.49, 0.31, cols), "cpu 20  blocked 49  runnable 31 %");
    EXPECT_EQ(second_line(0.03, 0.9, 0.07, cols), "cpu  3  blocked 90  runnable  7 %");
    EXPECT_EQ(second_line(1, 0, 0, cols), "cpu 100  blocked 0  runnable 0 %");
  }
  EXPECT_EQ(second_line(0.2, 0.49, 0.31, 38).substr(0, 22), "blocked 49 %  runnable");
  EXPECT_EQ(second_line(0.2, 0.49, 0.31, 32), "cpu 20 %  blocked 49 %");
  w.times_source = "schedstat";
  EXPECT_EQ(second_line(1, 0, 0, 35), "cpu ≤ 100  blocked 0  runnable 0 %");
  EXPECT_EQ(second_line(0.8, 0.1, 0.1, 35), "cpu ≤ 80  blocked 10  runnable 10 %");
}

TEST(Worker, TheMostTellingCountersStayWhenNarrow) {
  WorkerReadings w = example_snapshot().workers[0];
  w.shares.blocked = w.shares.runnable = Reading<double>::of(0.1);
  w.voluntary_switches_per_s = w.wakeups_per_s = Reading<double>::of(1200);
  w.involuntary_switches_per_s = Reading<double>::of(17);
  EXPECT_EQ(counters(w, 90)[0],
            "532 k calls/s  128 KiB/call  EAGAIN  1 %  cpu 100 %  blocked 10 %  runnable 10 %");
  EXPECT_EQ(counters(w, 90)[1].substr(0, 45), "wakeups 1.20 k/s  vol 1.20 k/s  invol    17/s");
  EXPECT_EQ(counters(w, 36)[1], "EAGAIN  1 %  cpu 100 %  blocked 10 %");
  w.counts.eagain = 0;
  EXPECT_EQ(counters(w, 40)[0], "532 k calls/s  128 KiB/call  cpu 100 %");
  EXPECT_EQ(counters(w, 40)[1], "blocked 10 %  runnable 10 %  EAGAIN  1 %");
  w.times_source = "schedstat";
  EXPECT_EQ(counters(w, 60)[0], "532 k calls/s  128 KiB/call  cpu ≤ 100 %  blocked 10 %");
}

}  // namespace
}  // namespace pipetop::tui
