// The rules on segments that are made up: what explains each step of the ladder.
#include <gtest/gtest.h>

#include "engine/judge/change_rules.h"
#include "engine/judge/tests/made_segments.h"

namespace pipetop {
namespace {

std::string words(const Segment& before, const Segment& after) {
  const Reading<Change> change = explain_change(before, after, kPipeTerms);
  return change.has_value() ? change->words() : change.reason;
}

TEST(Change, ExplainsTheArticlesLadder) {
  const MadeLadder l;
  EXPECT_EQ(words(l.write_read, l.vmsplice_read),
            "the pages are lent instead of copied: _copy_from_iter 45.0 → 0 %; slots: user pages");
  EXPECT_EQ(words(l.vmsplice_read, l.vmsplice_splice),
            "the reader no longer copies: _copy_to_iter 85.0 → 0 %");
  EXPECT_EQ(words(l.vmsplice_splice, l.huge),
            "the writer looks up 512 pages at once: gup_fast_fallback 60.0 → 4.9 %");
  EXPECT_EQ(words(l.huge, l.busy), "both spin instead of sleeping: 24k → 0 sleeps/s");
}

TEST(Change, ExplainsTheWayDown) {
  const MadeLadder l;
  EXPECT_EQ(words(l.vmsplice_read, l.write_read),
            "the pages are copied instead of lent: _copy_from_iter 0 → 45.0 %; slots: copies");
  EXPECT_EQ(words(l.vmsplice_splice, l.vmsplice_read),
            "the reader copies: _copy_to_iter 0 → 85.0 %");
  EXPECT_EQ(words(l.huge, l.vmsplice_splice),
            "the writer looks up every page by itself: gup_fast_fallback 4.9 → 60.0 %");
  EXPECT_EQ(words(l.busy, l.huge), "both sleep instead of spinning: 0 → 24k sleeps/s");
}

// Wakeups take most of the time: then that is what changed most, though the copy went, too.
TEST(Change, SaysWhatWakeupsCost) {
  const MadeLadderInVm l;
  EXPECT_EQ(words(l.write_read, l.vmsplice_read),
            "fewer sleeps: 67.7 → 211 KiB per wakeup; also _copy_from_iter 32.9 → 0 %");
  EXPECT_EQ(words(l.huge, l.busy), "both spin instead of sleeping: 24k → 0 sleeps/s");
}

TEST(Change, HasTheFactorOfTheMeans) {
  const MadeLadder l;
  const Reading<Change> change = explain_change(l.write_read, l.vmsplice_read, kPipeTerms);
  ASSERT_TRUE(change.has_value());
  EXPECT_DOUBLE_EQ(change->before, 3.7);
  EXPECT_DOUBLE_EQ(change->after, 12.7);
  EXPECT_DOUBLE_EQ(change->factor, 12.7 / 3.7);
  EXPECT_EQ(change->function, "_copy_from_iter");
}

TEST(Change, NeedsNoCauseForNothing) {
  const MadeLadder l;
  Segment same = l.huge;
  same.rate.value->mean *= 1.015;
  EXPECT_EQ(words(l.huge, same),
            "within the noise: a change of less than 2 % can't be seen after 10 s");
  same.rate.value->mean *= 1.1;
  same.rate.value->plus_minus = 0.15 * same.rate.value->mean;
  EXPECT_EQ(words(l.huge, same),
            "within the noise: a change of less than 16 % can't be seen after 10 s");
  same.rate.value->mean *= 3;
  same.rate.value->plus_minus = 20 * same.rate.value->mean;
  EXPECT_EQ(words(l.huge, same), "the rates vary too much to tell");
  same.rate.value->plus_minus.reset();
  EXPECT_EQ(words(l.huge, same), "the rates vary too much to tell") << "unknown is not 0";
  same.rate.value->mean = 0;
  EXPECT_EQ(words(l.huge, same), "nothing moves");
}

// Whatever widens the interval until 1 is in it.
TEST(Change, ClaimsNothingThatOthersMayHaveDone) {
  const MadeLadder l;
  const auto is_seen = [&](const Segment& before, const Segment& after, double repeats = 0) {
    return explain_change(before, after, kPipeTerms, repeats)->is_seen();
  };
  Segment faster = l.write_read;
  faster.rate.value->mean *= 1.08;
  const Reading<Change> change = explain_change(l.write_read, faster, kPipeTerms);
  EXPECT_TRUE(change->is_seen());
  EXPECT_NEAR(change->low, 1.08 / 1.02, 1e-9);
  EXPECT_NEAR(change->high, 1.08 * 1.02, 1e-9);
  EXPECT_FALSE(is_seen(l.write_read, faster, 0.1)) << "segments with the same settings differ, too";
  Segment stolen = faster, was = l.write_read;
  was.steal_share = Reading<double>::of(0.08);
  stolen.steal_share = Reading<double>::of(0.01);
  EXPECT_FALSE(is_seen(was, stolen));
  stolen.steal_share = was.steal_share;
  EXPECT_TRUE(is_seen(was, stolen)) << "the host took as much before";
  was = l.write_read;
  was.roles[0].shares.runnable = Reading<double>::of(0.2);
  EXPECT_FALSE(is_seen(was, faster)) << "others used the writer's CPU before";
  was.roles[0].totals.value->sleeps = 20'000 * 10;
  EXPECT_TRUE(is_seen(was, faster)) << "its wakeups took that time";
  Segment noisy = faster;
  noisy.noise = "other programs use the CPUs";
  noisy.rate.value->mean = 1.03 * l.write_read.rate->mean;
  EXPECT_FALSE(is_seen(l.write_read, noisy));
  noisy.noise.clear();
  EXPECT_TRUE(is_seen(l.write_read, noisy));
  noisy = l.vmsplice_read;
  noisy.noise = "other programs use the CPUs";
  EXPECT_TRUE(is_seen(l.write_read, noisy)) << "it clears by far";
}

TEST(Change, MayHaveNoSingleCause) {
  const MadeLadder l;
  Segment after = l.huge;
  after.rate.value->mean *= 1.5;  // all became cheaper alike
  EXPECT_EQ(words(l.huge, after), "no single cause");
  after.requested.pipe.pages = Pages::hugetlb;
  after.requested.pipe.reader_wait = Wait::busy;
  EXPECT_EQ(words(l.huge, after), "several changes at once");
}

TEST(Change, WaitsUntilTheRateHasSettled) {
  const MadeLadder l;
  Segment after = l.vmsplice_read;
  after.rate.value->samples = kSettledRates - 1;
  EXPECT_EQ(explain_change(l.write_read, after, kPipeTerms).status, ReadingStatus::warming);
  after.rate = Reading<RateStats>::warming("too short");
  EXPECT_EQ(explain_change(l.write_read, after, kPipeTerms).reason, "0 of 5 rates measured");
  Segment before = l.write_read;
  before.rate = Reading<RateStats>::warming("too short");
  EXPECT_EQ(explain_change(before, l.vmsplice_read, kPipeTerms).status, ReadingStatus::unavailable);
}

TEST(Change, ComparesNothingWithSlowMotion) {
  const MadeLadder l;
  Segment slow = l.write_read;
  slow.requested.pipe.slow_motion = true;
  for (const auto& change :
       {explain_change(slow, l.huge, kPipeTerms), explain_change(l.huge, slow, kPipeTerms)})
    EXPECT_EQ(change.reason, "slow motion: pipetop sets the pace");
}

}  // namespace
}  // namespace pipetop
