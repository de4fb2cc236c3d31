#include <gtest/gtest.h>

#include "engine/workload/table/workloads.h"
#include "tui/print/results.h"
#include "tui/print/tests/example.h"

namespace pipetop::tui {
namespace {

TEST(Assess, AGoodResultNeedsNoWords) {
  const Assessment j = assess(example_result());
  EXPECT_EQ(j.exit, Exit::ok);
  EXPECT_TRUE(j.warnings.empty());
}

TEST(Assess, AWorkerThatDiedOrFailedIsTwo) {
  RunResult r = example_result();
  r.end.workers[0].restarts = 1;
  r.end.workers[0].state_reason = "signal 9";
  EXPECT_EQ(assess(r).exit, Exit::worker_failed);
  EXPECT_EQ(assess(r).warnings.front(), "the writer died and was restarted 1 time: signal 9");
  r = example_result();
  r.end.workers[1].state = ProcessState::failed;
  r.end.workers[1].state_reason = "transfer: Bad address";
  EXPECT_EQ(assess(r).exit, Exit::worker_failed);
  EXPECT_EQ(assess(r).warnings.front(), "the reader failed: transfer: Bad address");
}

TEST(Assess, WhatWasRefusedIsThree) {
  RunResult r = example_result();
  r.end.workers[0].state = ProcessState::refused;
  EXPECT_EQ(assess(r).exit, Exit::refused);
  r = example_result();
  r.end.effective.pipe.huge = Reading<bool>::of(false);
  EXPECT_EQ(assess(r).exit, Exit::ok);
  r.end.requested.pipe.check_huge_page = true;
  EXPECT_EQ(assess(r).exit, Exit::refused);
  r.end.effective.pipe.huge = Reading<bool>::unavailable("no smaps");
  EXPECT_EQ(assess(r).exit, Exit::refused);
  r.end.requested.pipe.pages = Pages::k4;  // as in the article, nothing to check then
  EXPECT_EQ(assess(r).exit, Exit::ok);
}

TEST(Assess, StolenTimeAndLostSamplesAreSeven) {
  RunResult r = example_result();
  r.steal_share = Reading<double>::of(0.051);
  EXPECT_EQ(assess(r).exit, Exit::untrustworthy);
  EXPECT_EQ(assess(r).warnings.front(), "the host stole 5.1 % of the time: the rate is unreliable");
  r = example_result();
  r.segment.roles[0].functions.value->lost = 11;
  EXPECT_EQ(assess(r).exit, Exit::untrustworthy);
  EXPECT_EQ(assess(r).warnings.front(),
            "11 of 1011 samples of the writer were lost: its function shares are unreliable");
}

TEST(Assess, NoiseIsSaidAndMuchStolenTimeOnce) {
  RunResult r = example_result();
  r.steal_share = Reading<double>::of(0.03);
  EXPECT_EQ(assess(r).exit, Exit::ok);
  EXPECT_EQ(assess(r).warnings.front(), "disturbed: the host takes 3 % of the CPUs' time");
  r.steal_share = Reading<double>::of(0.06);
  EXPECT_EQ(assess(r).warnings.size(), 1u);
  r.around.drift = Reading<double>::of(0.5);
  EXPECT_EQ(assess(r).warnings.back(),
            "disturbed: the second half of the time was 0.50 times as fast as the first");
}

TEST(Assess, DamagedPagesAreSevenUnlessTheyWereAskedFor) {
  RunResult r = example_result();
  Integrity found;
  found.verified = 90;
  r.last.integrity = Reading<Integrity>::of(found);
  EXPECT_EQ(assess(r).exit, Exit::ok);
  found.misplaced = 7, found.torn = 2, found.unstamped = 1;
  r.last.integrity = Reading<Integrity>::of(found);
  EXPECT_EQ(assess(r).exit, Exit::untrustworthy);
  EXPECT_EQ(assess(r).warnings.front(),
            "pages arrived damaged: 7 misplaced, 2 torn, 1 unstamped of 100");
  r.last.effective.settings.pipe.buffers = Buffers::single;
  EXPECT_EQ(assess(r).exit, Exit::ok);
  EXPECT_TRUE(assess(r).warnings.empty());
}

TEST(Assess, TheWorstDecidesAndAllAreSaid) {
  RunResult r = example_result();
  r.steal_share = Reading<double>::of(0.5);
  r.end.workers[0].restarts = 2;
  EXPECT_EQ(assess(r).exit, Exit::worker_failed);
  EXPECT_EQ(assess(r).warnings.size(), 2u);
}

}  // namespace
}  // namespace pipetop::tui
