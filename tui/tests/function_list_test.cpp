#include <gtest/gtest.h>

#include "tui/tests/profiles.h"
#include "tui/tests/snapshots.h"
#include "tui/widgets/workers.h"

namespace pipetop::tui {
namespace {

// A writer's list, drawn.
class FunctionListTest : public testing::Test {
 protected:
  FunctionListTest() {
    worker_.functions = Reading<FunctionTable>::of(writing());
    worker_.blocked = Reading<BlockedTable>::of(sleeping());
  }

  Lines list(int rows, int cols, GlyphSet set = GlyphSet::unicode) {
    refresh(list_.contents, worker_, reference_, choice_, list_.folds_in(choice_));
    return drawn(
        rows, cols,
        [&](const Area& a) {
          draw_function_list(a, {list_, choice_, Role::writer, true});
        },
        set);
  }
  void compare_with(const FunctionTable& functions) {
    Segment segment;
    segment.roles[0].functions = Reading<FunctionTable>::of(functions);
    reference_ = {std::make_shared<const Segment>(segment)};
  }

  WorkerReadings worker_;
  Reference reference_;
  ListChoice choice_;
  ListState list_;
};

TEST_F(FunctionListTest, SharesNamesAndBars) {
  EXPECT_EQ(list(4, 60), (Lines{"▾self  child function             running 2,000 samples ±2.2",
                                " 40.0   40.0  copy_from_iter                 ██████",
                                " 25.0   25.0  spin_on_owner                  ███▊",
                                " 20.0   20.0  [user]                         ███"}));
  EXPECT_EQ(list(2, 30, GlyphSet::ascii),
            (Lines{" 40.0  40.0  copy_from_iter", " 25.0  25.0  spin_on_owner"}));
}

// A timer interrupt had to wait for it.
TEST_F(FunctionListTest, SamplesThatAreNotItsOwnAreMarked) {
  worker_.functions = Reading<FunctionTable>::of(
      table({{"wake_up;_raw_spin_unlock_irqrestore", .6}, {"[user]", .4}}));
  const auto rows = [&](bool by_timer) {
    refresh(list_.contents, worker_, reference_, choice_, list_.folds_in(choice_));
    return drawn(3, 60, [&](const Area& a) {
      draw_function_list(a, {list_, choice_, Role::writer, true, false, {}, by_timer});
    });
  };
  EXPECT_NE(rows(true)[1].find("_raw_spin_unlock_irqrestore *"), std::string::npos)
      << rows(true)[1];
  EXPECT_EQ(rows(false)[1].find("*"), std::string::npos);
  EXPECT_EQ(rows(true)[2].find("*"), std::string::npos);
  choice_.activity = Activity::waiting;
  EXPECT_EQ(rows(true)[1].find("*"), std::string::npos);
}

TEST_F(FunctionListTest, TheTreeIsDrawnWithItsLines) {
  choice_.form = ListForm::tree;
  list_.folds.set_all(true);
  EXPECT_EQ(
      list(7, 80),
      (Lines{" self ▾child function                                 running 2,000 samples ±2.2",
             "  0.0   80.0 ▾ entry_64                                            ██████████▍",
             " 15.0   80.0 └─▾ pipe_write                                        ██████████▍",
             " 40.0   40.0   ├─  copy_from_iter                                  █████▎",
             "  0.0   25.0   └─▾ mutex_lock                                      ███▎",
             " 25.0   25.0     └─  spin_on_owner                                 ███▎",
             " 20.0   20.0   [user]                                              ██▋"}));
  EXPECT_EQ(list(4, 28, GlyphSet::ascii),
            (Lines{" self*child    running 2,000", "  0.0  80.0 -entry_64",
                   " 15.0  80.0 `-pipe_write", " 40.0  40.0  | copy_from_it~"}));
}

TEST_F(FunctionListTest, DeepRowsAreSetInOnlyAsFarAsNamesAreRead) {
  worker_.functions =
      Reading<FunctionTable>::of(table({{"a;b;c;d;e;f;g;h;i;j;k;l;the_function_itself", 1}}));
  choice_.form = ListForm::tree;
  list_.folds.set_all(true);
  const Lines lines = list(14, 36);
  EXPECT_EQ(lines[1], "  0.0   100 ▾a");
  EXPECT_EQ(lines[13], "  100   100            └ the_functi…");
}

TEST_F(FunctionListTest, ChangesNewAndVanished) {
  compare_with(table({{"entry_64;old_function", .3}, {"[user]", .7}}));
  EXPECT_EQ(list(9, 60), (Lines{"▾self  child Δ prev function      running 2,000 samples ±2.2",
                                " 40.0   40.0    new  copy_from_iter            █████▎",
                                " 25.0   25.0    new  spin_on_owner             ███▎",
                                " 20.0   20.0  -50.0  [user]                    ██▋",
                                " 15.0   80.0    new ▸pipe_write                ██",
                                "  0.0   80.0    0.0 ▸entry_64", "  0.0   25.0    0.0 ▸mutex_lock",
                                " no longer seen", "  0.0    0.0  -30.0  old_function"}));
  EXPECT_EQ(list(3, 36),
            (Lines{"▾self child Δprev  running 2,000 smp", " 40.0  40.0   new  copy_from_iter",
                   " 25.0  25.0   new  spin_on_owner"}));
  EXPECT_EQ(list(3, 28), (Lines{"▾self Δprev    running 2,000", " 40.0   new  copy_from_iter",
                                " 25.0   new  spin_on_owner"}))
      << "the share that it is sorted by, and its change";
}

TEST_F(FunctionListTest, ACompilersCloneHasTheNameOfItsFunction) {
  worker_.functions = Reading<FunctionTable>::of(
      table({{"schedule;finish_task_switch.isra.0", .6}, {"[user]", .4}}));
  refresh(list_.contents, worker_, reference_, choice_, list_.folds_in(choice_));
  const auto lines = drawn(3, 60, [&](const Area& a) {
    draw_function_list(a, {list_, choice_, Role::writer, true, false, "finish_task_switch"});
  });
  EXPECT_NE(lines[1].find(" finish_task_switch  "), std::string::npos) << lines[1];
}

// As in slow motion: one sample is not 100 % of anything.
TEST_F(FunctionListTest, FewSamplesAreCounted) {
  FunctionTable few;
  few.samples = 3;
  few.tree = flat_tree({{"copy_from_iter", 2, 2}, {"schedule", 1, 3}});
  worker_.functions = Reading<FunctionTable>::of(few);
  EXPECT_EQ(list(3, 60), (Lines{"▾self  child function                      running 3 samples",
                                "  2/3    2/3  copy_from_iter", "  1/3    3/3  schedule"}));
  choice_.activity = Activity::waiting;
  EXPECT_NE(list(3, 60)[1].find("100"), std::string::npos) << "times are exact";
}

TEST_F(FunctionListTest, FewerThanAThousandSamplesSayHowLongToWait) {
  worker_.functions.value->samples = 500;
  worker_.functions.value->span_ns = 5'000'000'000;
  EXPECT_NE(list(3, 70)[0].find("500 samples ±4.4, ±3.0 in 6 s"), std::string::npos);
  EXPECT_TRUE(list(3, 44)[0].ends_with("500 samples ±4.4")) << list(3, 44)[0];
  EXPECT_EQ(list(3, 28)[0].find("±"), std::string::npos);
}

TEST_F(FunctionListTest, AnUnknownReferenceTakesNoRoom) {
  reference_ = {std::make_shared<const Segment>()};
  EXPECT_EQ(list(3, 60)[0], "▾self  child function             running 2,000 samples ±2.2");
  EXPECT_EQ(list(3, 60)[1], " 40.0   40.0  copy_from_iter                 ██████");
}

TEST_F(FunctionListTest, LostSamplesAreNotHidden) {
  worker_.functions.value->samples = 12'991;
  worker_.functions.value->lost = 17;
  EXPECT_EQ(list(3, 28)[0], "▾self child   12,991 17 lost");
  EXPECT_EQ(list(3, 36)[0], "▾self child   running 12,991 17 lost");
  EXPECT_EQ(list(3, 45)[0], "▾self  child   running 12,991 samples 17 lost");
  EXPECT_EQ(list(3, 60)[0], "▾self  child function    running 12,991 samples ±0.9 17 lost");
}

// One sleep of 40 us in seconds.
TEST_F(FunctionListTest, NextToNoWaitingHasNoBars) {
  choice_.activity = Activity::waiting;
  BlockedTable& blocked = *worker_.blocked.value;
  blocked.times = 1;
  blocked.ns = 40'000;
  blocked.tree = flat_tree({{"schedule", 40'000, 40'000}});
  EXPECT_EQ(list(3, 60), (Lines{"▾self  child function                  waiting 1 sleep 40 us",
                                "  100    100  schedule", ""}));
}

// Beside [running] and [runnable], of which the numbers are shares of the time, too.
TEST_F(FunctionListTest, BarsOfWallTimeStayWhenNextToNothingWaits) {
  worker_.shares.on_cpu = Reading<double>::of(.8);
  worker_.shares.blocked = Reading<double>::of(.15);
  worker_.shares.runnable = Reading<double>::of(.05);
  choice_.activity = Activity::waiting;
  choice_.wall = true;
  worker_.blocked.value->ns = 40'000;
  worker_.blocked.value->tree = flat_tree({{"schedule", 40'000, 40'000}});
  EXPECT_NE(list(3, 80)[1].find("█"), std::string::npos) << list(3, 80)[1];
}

TEST_F(FunctionListTest, WaitingSaysHowOftenAndHowLong) {
  choice_.activity = Activity::waiting;
  EXPECT_EQ(list(3, 60), (Lines{"▾self  child function            waiting 1,234 sleeps 400 ms",
                                "  100    100  schedule                       ███████████████",
                                "  0.0    100 ▸entry_64"}));
  EXPECT_EQ(list(3, 28)[0], "▾self child    waiting 1,234");
  worker_.blocked = Reading<BlockedTable>::of({});
  EXPECT_EQ(list(3, 60)[1], " no sleep since the last change");
}

TEST_F(FunctionListTest, TheHeaderTellsOfTheFilterAndCutsNoNumber) {
  choice_.filter = "iter";
  EXPECT_EQ(list(3, 60)[0], "▾self  child function       /iter running 2,000 samples ±2.2");
  EXPECT_EQ(list(3, 28)[0], "▾self child      /iter 2,000");
  choice_.filter = "copy_from_";
  EXPECT_EQ(list(3, 28)[0], "▾self child      /copy_from_");
  choice_.filter = "elephant";
  EXPECT_EQ(list(3, 60)[1], " no function matches \"elephant\"");
}

TEST_F(FunctionListTest, WallTimeIsSaid) {
  worker_.shares.on_cpu = Reading<double>::of(.8);
  worker_.shares.blocked = Reading<double>::of(.15);
  worker_.shares.runnable = Reading<double>::of(.05);
  choice_.wall = true;
  const Lines lines = list(8, 80);
  EXPECT_EQ(lines[0],
            "▾self  child function                   running, of wall time 2,000 samples ±2.2");
  EXPECT_EQ(lines[1].substr(0, 29), " 32.0   32.0   copy_from_iter");
  EXPECT_EQ(lines[4].substr(0, 24), " 15.0   15.0   [blocked]");
  EXPECT_EQ(list(3, 36)[0], "▾self child   running/wall 2,000 smp");
}

TEST_F(FunctionListTest, AbsenceSaysWhyAndWhatToDo) {
  worker_.functions = Reading<FunctionTable>::unavailable("Permission denied; run as root");
  EXPECT_EQ(list(3, 30), (Lines{"functions unavailable:", "Permission denied", "run as root"}));
  worker_.functions = {};
  EXPECT_EQ(list(2, 30), (Lines{"functions: warming …", ""}));
  choice_.activity = Activity::waiting;
  worker_.blocked = Reading<BlockedTable>::unavailable("no BPF");
  EXPECT_EQ(list(2, 40)[0], "blocked time unavailable: no BPF");
}

TEST_F(FunctionListTest, ATableWithoutCallersIsFlat) {
  worker_.functions = Reading<FunctionTable>::of(function_table());
  EXPECT_EQ(list(2, 40)[0], " 40.0  45.0  mutex_spin_on_owner");
  choice_.form = ListForm::tree;
  EXPECT_EQ(list(3, 60)[0], "the tree unavailable: callers were not recorded");
}

}  // namespace
}  // namespace pipetop::tui
