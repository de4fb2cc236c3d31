#include "tui/widgets/worker.h"

#include <gtest/gtest.h>

#include "tui/tests/snapshots.h"

namespace pipetop::tui {
namespace {

Lines list(const Reading<FunctionTable>& functions, int rows, int cols, ListState state = {},
           GlyphSet set = GlyphSet::unicode) {
  return drawn(
      rows, cols,
      [&](const Area& a) {
        draw_function_list(a, {functions, state, Role::writer, true, 0.4});
      },
      set);
}

TEST(FunctionList, SharesNamesAndBars) {
  const auto functions = Reading<FunctionTable>::of(function_table());
  EXPECT_EQ(list(functions, 4, 50), (Lines{" self  child function                2,000 samples",
                                           " 40.0   45.0 mutex_spin_on_owner      ████████████",
                                           " 20.0   20.0 gup_fast_fallback        ██████",
                                           "  5.0   95.0 entry_SYSCALL_64_after_… █▌"}));
  EXPECT_EQ(list(functions, 2, 30, {}, GlyphSet::ascii),
            (Lines{" 40.0   45.0 mutex_spin_on_ow~", " 20.0   20.0 gup_fast_fallback"}));
}

TEST(FunctionList, LostSamplesAreNotHidden) {
  FunctionTable table = function_table();
  table.samples = 12'991;
  table.lost = 17;
  const Lines lines = list(Reading<FunctionTable>::of(table), 3, 34);
  EXPECT_EQ(lines[0], " self  child    12,991 smp 17 lost");
}

TEST(FunctionList, AbsenceSaysWhyAndWhatToDo) {
  const auto none = Reading<FunctionTable>::unavailable("Permission denied; run as root");
  EXPECT_EQ(list(none, 3, 30),
            (Lines{"functions unavailable:", "Permission denied", "run as root"}));
  EXPECT_EQ(list({}, 2, 30), (Lines{"functions: warming …", ""}));
}

TEST(FunctionList, ScrollsToTheSelection) {
  const auto functions = Reading<FunctionTable>::of(function_table());
  ListState state{"[user]", 0, 0};
  follow(state, functions, 2);
  EXPECT_EQ(state.selected, 3) << "the function has moved";
  EXPECT_EQ(state.scroll, 2);
  EXPECT_EQ(list(functions, 3, 30, state)[2], "  1.0    1.0 [user]");
}

TEST(FunctionList, AVanishedSelectionStaysWithinTheList) {
  FunctionTable table = function_table();
  table.rows.resize(1);
  ListState state{"gone", 3, 3};
  follow(state, Reading<FunctionTable>::of(table), 5);
  EXPECT_EQ(state.selected, 0);
  EXPECT_EQ(state.scroll, 0);
}

std::string title(const WorkerView& w, int cols) {
  std::string text;
  for (const TitlePart& part : worker_title(w, Effective{}, cols)) {
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
  WorkerView w = example_snapshot().workers[1];
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
  Effective effective;
  effective.settings.pages = Pages::thp;
  effective.huge = Reading<bool>::of(false);
  const auto parts = worker_title(example_snapshot().workers[0], effective, 80);
  EXPECT_EQ(parts[4].text, "thp (not huge)");
  EXPECT_EQ(parts[4].ink.style, Style::warning);
}

TEST(Worker, CountersThatAreUnknownAreNotZero) {
  WorkerView w = example_snapshot().workers[0];
  w.eagain_share = {};
  w.on_cpu_share = Reading<double>::unavailable("no /proc");
  const ListState state;
  const Lines lines = drawn(6, 60, [&](const Area& a) {
    draw_worker(a, w, {w.functions, state, Role::writer, false, 0.4});
  });
  EXPECT_EQ(lines[0], "532 k calls/s  128 KiB/call  EAGAIN    …  cpu  n/a");
  EXPECT_EQ(lines[1], "ctx     …/s  short    …  faults     …/s");
}

}  // namespace
}  // namespace pipetop::tui
