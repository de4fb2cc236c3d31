#include "engine/watch/pipe_history.h"

#include <gtest/gtest.h>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

ScannedPipe looked_at(uint64_t at_ns, uint32_t head, uint32_t used, uint32_t slot_bytes = 4096) {
  ScannedPipe pipe;
  pipe.id = {15, 100};
  pipe.at_ns = at_ns;
  RingCounts ring;
  ring.slots = 16;
  ring.head = head;
  ring.tail = head - used;
  ring.queued_bytes = used * slot_bytes;
  ring.past_slots = head > 0 ? 1 : 0;
  ring.past_bytes = ring.past_slots * slot_bytes;
  pipe.ring = ring;
  return pipe;
}

constexpr uint64_t kWindow = 5 * kSecond;

TEST(RecentRate, IsOfTheLastSecond) {
  RecentRate rate;
  EXPECT_FALSE(rate.per_s());
  rate.add(kSecond, 0);
  EXPECT_FALSE(rate.per_s());
  for (uint64_t i = 1; i <= 20; ++i) rate.add(kSecond + i * 100 * kMs, double(i) * 10);
  EXPECT_NEAR(*rate.per_s(), 100, 1e-9);
  for (uint64_t i = 21; i <= 30; ++i) rate.add(kSecond + i * 100 * kMs, 200);
  EXPECT_NEAR(*rate.per_s(), 0, 1e-9) << "nothing in the last second";
}

TEST(RecentRate, ABurstIsNoRate) {
  RecentRate rate;
  rate.add(kSecond, 0);
  rate.add(kSecond + 50 * kMs, 100);
  EXPECT_FALSE(rate.per_s());
  rate.add(kSecond + 500 * kMs, 500);
  EXPECT_NEAR(*rate.per_s(), 1000, 1e-9);
}

TEST(RecentRate, OfRareLooksIsOfTheLastTwo) {
  RecentRate rate;
  rate.add(kSecond, 0);
  rate.add(5 * kSecond, 400);
  EXPECT_NEAR(*rate.per_s(), 100, 1e-9);
  rate.add(9 * kSecond, 400);
  EXPECT_NEAR(*rate.per_s(), 0, 1e-9);
}

TEST(PipeHistory, TheRateIsNotThatOfAllTimeWhenBytesBecomeKnown) {
  PipeHistory history(kSecond);
  // Slots pass that nothing is known of, and then one tells.
  for (uint64_t i = 0; i < 10; ++i) {
    ScannedPipe pipe = looked_at(kSecond + i * 500 * kMs, 1000 + static_cast<uint32_t>(i) * 100, 0);
    pipe.ring->past_slots = 0;
    pipe.ring->past_bytes = 0;
    history.add_sample(pipe, kWindow, false);
  }
  EXPECT_FALSE(history.bytes_per_s().has_value());
  EXPECT_FALSE(history.total_bytes());
  history.add_sample(looked_at(6 * kSecond, 2000, 0), kWindow, false);
  EXPECT_FALSE(history.bytes_per_s().has_value());
  EXPECT_EQ(history.total_bytes(), 1000u * 4096);
  history.add_sample(looked_at(7 * kSecond, 2100, 0), kWindow, false);
  EXPECT_NEAR(*history.bytes_per_s(), 100 * 4096, 1);
}

TEST(PipeHistory, ANewPipeHasMovedAllThatItsHeadSays) {
  PipeHistory history(kSecond, 0);
  history.add_sample(looked_at(kSecond, 500, 0), kWindow, false);
  EXPECT_EQ(history.total_bytes(), 500u * 4096);
  EXPECT_FALSE(history.bytes_per_s().has_value()) << "since when, nobody knows";
  history.add_sample(looked_at(2 * kSecond, 600, 0), kWindow, false);
  EXPECT_NEAR(*history.bytes_per_s(), 100 * 4096, 1);
}

TEST(PipeHistory, TheRateAfterAResizeLeavesOutItsInterval) {
  PipeHistory history(kSecond, 0);
  for (uint32_t i = 0; i < 10; ++i)
    history.add_sample(looked_at(kSecond + i * 100 * kMs, 1000 + i * 10, 0), kWindow, false);
  EXPECT_NEAR(*history.bytes_per_s(), 100 * 4096, 1);
  for (uint32_t i = 0; i < 5; ++i) {
    ScannedPipe larger = looked_at(2 * kSecond + i * 100 * kMs, 5 + i * 10, 0);
    larger.ring->slots = 32;
    history.add_sample(larger, kWindow, false);
    const auto rate = history.bytes_per_s();
    if (i < 3)
      EXPECT_FALSE(rate.has_value());
    else
      EXPECT_NEAR(*rate, 100 * 4096, 1);
  }
}

TEST(PipeHistory, SharesAreOfTheLooksInTheWindow) {
  PipeHistory history(kSecond);
  EXPECT_FALSE(history.shares().has_value());
  for (uint64_t i = 0; i < 20; ++i)
    history.add_sample(looked_at(kSecond + i * 500 * kMs, 1000, i < 15 ? 16 : 0), kWindow, false);
  const auto shares = history.shares();
  ASSERT_TRUE(shares.has_value());
  EXPECT_EQ(shares->samples, 11u);
  EXPECT_NEAR(shares->empty_share, 5.0 / 11, 1e-9);
  EXPECT_NEAR(shares->full_share, 6.0 / 11, 1e-9);
  EXPECT_NEAR(shares->mean_share, 6.0 / 11, 1e-6);
  history.restart_shares();
  EXPECT_FALSE(history.shares().has_value());
}

TEST(PipeHistory, FrequentLooksCountTenTimesASecond) {
  PipeHistory history(kSecond);
  for (uint64_t i = 0; i <= 20; ++i)
    history.add_sample(looked_at(kSecond + i * 50 * kMs, 1000, 8), kWindow, false);
  EXPECT_EQ(history.shares()->samples, 11u);
}

TEST(PipeHistory, ABlockedWriterMeansThatItIsFullWhateverItsBytesSay) {
  PipeHistory history(kSecond);
  ScannedPipe pipe;
  pipe.at_ns = kSecond;
  pipe.capacity = 65536;
  pipe.queued = 16;  // a byte in each slot
  history.add_sample(pipe, kWindow, true);
  EXPECT_EQ(history.shares()->full_share, 1.0);
  EXPECT_EQ(history.shares()->mean_share, 1.0);
}

TEST(PipeHistory, NothingIsKnownOfAPipeThatCannotBeAsked) {
  PipeHistory history(kSecond);
  ScannedPipe pipe;
  for (uint64_t i = 1; i < 5; ++i) {
    pipe.at_ns = i * kSecond;
    history.add_sample(pipe, kWindow, false);
  }
  EXPECT_FALSE(history.shares().has_value());
  EXPECT_FALSE(history.bytes_per_s().has_value());
  EXPECT_FALSE(history.total_bytes());
}

TEST(PipeHistory, PointsAreATenthOfASecondApartAndOfTwoMinutes) {
  PipeHistory history(0);
  uint32_t head = 1000;
  uint64_t at_ns = kSecond;
  const auto run = [&](uint64_t ns) {
    for (uint64_t end_ns = at_ns + ns; at_ns < end_ns; at_ns += 50 * kMs)
      history.add_sample(looked_at(at_ns, head += 10, 4), kWindow, false);
  };
  run(kSecond);
  EXPECT_EQ(history.history(), nullptr);
  history.track();
  run(2 * kSecond);
  ASSERT_NE(history.history(), nullptr);
  EXPECT_NEAR(double(history.history()->rates.size()), 19, 1);
  for (const RatePoint& point : history.history()->rates) EXPECT_NEAR(point.rate, 200 * 4096, 1);
  for (const RatePoint& point : history.history()->fill) EXPECT_EQ(point.rate, 0.25);
  run(200 * kSecond);
  const auto& rates = history.history()->rates;
  EXPECT_GE(at_ns - rates.front().at_ns, 119 * kSecond);
  EXPECT_LE(at_ns - rates.front().at_ns, 131 * kSecond);
}

TEST(PipeHistory, ExactBytesOfAllThatEverMovedReplaceTheEstimate) {
  PipeHistory history(kSecond, 0);
  history.add_sample(looked_at(kSecond, 500, 0), kWindow, false);
  EXPECT_EQ(history.total_bytes(), 500u * 4096);
  history.count(kSecond + kMs, 1000, true);
  EXPECT_EQ(history.total_bytes(), 1000u);
  history.add_sample(looked_at(2 * kSecond, 600, 0), kWindow, false);
  history.count(2 * kSecond, 1500, true);
  EXPECT_EQ(history.total_bytes(), 1500u);
}

// By io_uring, or while the first call is still at it.
TEST(PipeHistory, WhatNoCallTellsOfIsUnknownAndNotZero) {
  for (const bool all : {true, false}) {
    PipeHistory history(kSecond, all ? std::optional<uint64_t>(0) : std::nullopt);
    history.add_sample(looked_at(kSecond, 0, 0), kWindow, false);
    history.count(kSecond + kMs, 0, all);
    history.add_sample(looked_at(kSecond + 2 * kMs, 0, 0), kWindow, false);
    EXPECT_EQ(history.total_bytes(), 0u) << "nothing has moved";
    history.add_sample(looked_at(2 * kSecond, 500, 0), kWindow, false);
    history.count(2 * kSecond, 0);
    EXPECT_FALSE(history.total_bytes());
    EXPECT_FALSE(history.bytes_per_s().has_value());
    history.count(3 * kSecond, 4000);
    EXPECT_EQ(history.total_bytes(), 4000u);
    EXPECT_TRUE(history.bytes_per_s().has_value());
  }
}

TEST(PipeHistory, AResizeMovesNoBytes) {
  PipeHistory history(kSecond, 0);
  history.add_sample(looked_at(kSecond, 0, 0), kWindow, false);
  history.count(kSecond + kMs, 0, true);
  ScannedPipe resized = looked_at(2 * kSecond, 3, 0);
  resized.ring->slots = 64;
  history.add_sample(resized, kWindow, false);
  EXPECT_EQ(history.total_bytes(), 0u);
}

TEST(PipeHistory, ExactBytesGoOnWhereTheEstimateStops) {
  PipeHistory history(0);
  for (uint64_t i = 0; i < 4; ++i)
    history.add_sample(looked_at((i + 1) * kSecond, 1000 + static_cast<uint32_t>(i), 0), kWindow,
                       false);
  EXPECT_EQ(history.total_bytes(), 3u * 4096);
  history.count(5 * kSecond, 0);
  history.add_sample(looked_at(5 * kSecond, 2000, 0), kWindow, false);
  history.count(6 * kSecond, 500);
  history.add_sample(looked_at(6 * kSecond, 3000, 0), kWindow, false);
  EXPECT_TRUE(history.exact());
  EXPECT_EQ(history.total_bytes(), 3u * 4096 + 500);
  EXPECT_NEAR(*history.bytes_per_s(), 500, 1e-9);
  history.stop_counting();
  EXPECT_FALSE(history.exact());
  history.add_sample(looked_at(7 * kSecond, 3001, 0), kWindow, false);
  history.add_sample(looked_at(8 * kSecond, 3002, 0), kWindow, false);
  EXPECT_EQ(history.total_bytes(), 5u * 4096 + 500);
}

constexpr uint64_t kTick = 500'000'000;

// A ring of 16 slots whose last ones held so much each.
RingCounts ring_at(uint32_t head, uint32_t past_slots, uint64_t slot_bytes) {
  return {.slots = 16,
          .head = head,
          .tail = head,
          .queued_bytes = 0,
          .past_slots = past_slots,
          .past_bytes = past_slots * slot_bytes};
}

TEST(RateEstimate, IsWhatTheHeadPassed) {
  RateEstimate estimate;
  for (uint32_t i = 0; i <= 10; ++i) estimate.add(i * kTick, ring_at(i * 1000, 16, 4096));
  ASSERT_TRUE(estimate.total_bytes());
  EXPECT_DOUBLE_EQ(*estimate.total_bytes(), 10'000 * 4096.0);
}

TEST(RateEstimate, SaysHowFarOffItMayBe) {
  RateEstimate seen;  // all slots, whatever they held
  for (uint32_t i = 0; i <= 10; ++i) seen.add(i * kTick, ring_at(i * 8, 8, 100 + i % 2 * 900));
  EXPECT_DOUBLE_EQ(seen.range()->low, 1);
  EXPECT_DOUBLE_EQ(seen.range()->high, 1);
  RateEstimate guessed;  // between 16 of a thousand
  EXPECT_FALSE(guessed.range());
  for (uint32_t i = 0; i <= 30; ++i)
    guessed.add(i * kTick, ring_at(i * 1000, 16, i % 2 ? 2000 : 1000));
  EXPECT_NEAR(guessed.range()->low, 1000 / 1500.0, 0.05);
  EXPECT_NEAR(guessed.range()->high, 2000 / 1500.0, 0.05);
}

TEST(RateEstimate, IndicesWrap) {
  RateEstimate estimate;
  estimate.add(1, ring_at(0xffff'fff0, 16, 100));
  estimate.add(2, ring_at(16, 16, 100));
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 3200.0);
}

TEST(RateEstimate, IsUnknownUntilASlotTells) {
  RateEstimate estimate;
  EXPECT_FALSE(estimate.total_bytes());
  estimate.add(1, ring_at(0, 0, 0));
  estimate.add(2, ring_at(100, 0, 0));
  EXPECT_FALSE(estimate.total_bytes());
  estimate.add(3, ring_at(110, 16, 10));  // so those before it held as much, as far as we know
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 1100.0);
  estimate.add(4, ring_at(120, 0, 0));  // and those after it
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 1200.0);
}

TEST(RateEstimate, NothingMovesNothingIsAdded) {
  RateEstimate estimate;
  for (uint64_t i = 1; i < 10; ++i) estimate.add(i * kTick, ring_at(7, 7, 4096));
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 0.0);
}

TEST(RateEstimate, AnIntervalAcrossAResizeIsLeftOut) {
  RateEstimate estimate;
  estimate.add(1, ring_at(1000, 16, 4096));
  estimate.add(2, ring_at(1010, 16, 4096));
  RingCounts larger = ring_at(4, 4, 4096);
  larger.slots = 256;
  estimate.add(3, larger);
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 10 * 4096.0);
  larger.head = larger.tail = 24;
  estimate.add(4, larger);
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 30 * 4096.0);
}

// To the size that it has: the kernel renumbers it all the same.
TEST(RateEstimate, ANewNumberingOfTheSameSizeIsNoticed) {
  RateEstimate estimate;
  estimate.add(1, ring_at(1000, 16, 4096));
  estimate.add(2, ring_at(3, 3, 4096));
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 0.0);
  RingCounts head_is_ahead = ring_at(20, 16, 4096);
  head_is_ahead.tail = 10;
  RateEstimate other;
  other.add(1, head_is_ahead);
  head_is_ahead.head = 25;
  head_is_ahead.tail = 0;
  other.add(2, head_is_ahead);
  EXPECT_DOUBLE_EQ(other.total_bytes().value_or(-1), 0.0);
}

// Each interval counts with its own slots: with a mean over both kinds a short time of small and
// fast ones would count as gigabytes.
TEST(RateEstimate, FollowsAChangeOfTheSlots) {
  RateEstimate estimate;
  uint32_t head = 0;
  estimate.add(0, ring_at(head, 16, 4096));
  for (uint64_t i = 1; i <= 4; ++i) estimate.add(i, ring_at(head += 1000, 16, 4096));
  for (uint64_t i = 5; i <= 8; ++i) estimate.add(i, ring_at(head += 1'000'000, 16, 1));
  const double large = 4 * 1000 * 4096.0, small = 3 * 1'000'000.0;
  const double between = 1e6 * (4096 + 1) / 2;  // when it changed is not known
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), large + between + small);
}

// A few slots, all of which can be seen at the end: what was before doesn't matter.
TEST(RateEstimate, FewSlotsAreWhatTheyHeld) {
  RateEstimate estimate;
  estimate.add(1, ring_at(0, 16, 4096));
  estimate.add(2, ring_at(16, 16, 10));
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 160.0);
}

// ---- with what the sides have written and read -----------------------------

// As ring_at(), with what went through it in all.
struct Sides {
  uint64_t at_ns;
  uint32_t head;
  uint64_t slot_bytes, written, read;
};
RingCounts with(const Sides& sides) {
  RingCounts ring = ring_at(sides.head, 16, sides.slot_bytes);
  ring.sides = SideBytes{.written = sides.written,
                         .read = sides.read,
                         .written_ns = sides.at_ns,
                         .read_ns = sides.at_ns,
                         .holders = 5};
  return ring;
}
void add_to(RateEstimate& estimate, const Sides& sides) { estimate.add(sides.at_ns, with(sides)); }

// Single bytes, and now and then a full page while the reader is away: looks see the pages more
// often than they come.
TEST(RateEstimate, SidesThatAgreeAreRight) {
  RateEstimate estimate;
  add_to(estimate, {0, 0, 1, 777, 88});
  for (uint32_t i = 1; i <= 10; ++i)
    add_to(estimate, {i * kTick, i * 100'000, 300, 777 + i * 200'000, 88 + i * 200'000});
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 2e6);
}

TEST(RateEstimate, WhatIsQueuedWasNotReadYet) {
  RateEstimate estimate;
  RingCounts ring = with({0, 0, 1, 0, 0});
  ring.queued_bytes = 30'000;
  estimate.add(0, ring);
  ring =
      with({kTick, 1000, 300, 10'000, 39'990});  // and 10 by the time at which that was looked at
  estimate.add(kTick, ring);
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 10'000.0);
}

// Three slots passed, and all can be seen; thirteen older ones, too.
TEST(RateEstimate, OlderSlotsAreNoMeasureOfTheNewest) {
  RateEstimate estimate;
  add_to(estimate, {0, 0, 1, 0, 0});
  add_to(estimate, {kTick, 29, 560, 9'000, 9'000});
  add_to(estimate, {2 * kTick, 32, 1200, 19'400, 19'400});
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 19'400.0);
}

// Four of the 950 single bytes had been written when the sides were looked at the last time, and
// were not in the ring yet.
TEST(RateEstimate, AFewBytesBetweenTheLooksAreNoDisagreement) {
  RateEstimate estimate;
  add_to(estimate, {0, 0, 1, 0, 0});
  add_to(estimate, {kTick, 50, 648, 10'364, 10'364});
  add_to(estimate, {2 * kTick, 1000, 300, 11'310, 11'310});
  EXPECT_NEAR(estimate.total_bytes().value_or(-1), 11'310, 5);
}

// They are looked at one after the other: over a longer time they agree.
TEST(RateEstimate, WaitsUntilTheSidesAgree) {
  constexpr uint64_t kSoon = 1'000'000;
  RateEstimate estimate;
  add_to(estimate, {0, 0, 300, 0, 0});
  EXPECT_TRUE(estimate.total_bytes());
  add_to(estimate, {kSoon, 1000, 300, 1500, 2000});
  EXPECT_FALSE(estimate.total_bytes());  // not 0, and not what the slots say
  add_to(estimate, {2 * kSoon, 5000, 300, 10'000, 10'400});
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 10'000.0);
  // From now on slots hold 2 bytes until something else is known.
  add_to(estimate, {3 * kSoon, 5500, 300, 11'500, 10'600});
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 11'000.0);
  add_to(estimate, {4 * kSoon, 6000, 300, 12'100, 12'500});
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 12'100.0);
}

// The look at the sides was interrupted for 40 ms between the writer and the reader.
TEST(RateEstimate, SidesThatHaveEndedAgree) {
  RateEstimate estimate;
  RingCounts ring = with({0, 0, 4096, 0, 0});
  ring.sides->read_ns = 40'000'000;
  estimate.add(0, ring);
  add_to(estimate, {120'000'000, 1000, 3000, 4'096'000, 4'096'000});
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 4'096'000.0);
}

TEST(RateEstimate, NeverFalls) {
  constexpr uint64_t kSoon = 1'000'000;
  RateEstimate estimate;
  add_to(estimate, {0, 0, 300, 0, 0});
  add_to(estimate, {kSoon, 1000, 300, 10'000, 10'000});
  add_to(estimate, {2 * kSoon, 2000, 300, 11'100, 12'000});
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 12'000.0)
      << "not 20,000: neither side moved so much";
  add_to(estimate, {3 * kSoon, 2500, 300, 11'900, 12'000});
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 12'000.0);
  add_to(estimate, {4 * kSoon, 9000, 300, 30'000, 30'000});
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 30'000.0);
}

// cat writes 128 KiB at a time into a ring of half of that, of which its reader takes little by
// little: more slots than are seen pass between two looks.
TEST(RateEstimate, LongWritesCountOnce) {
  constexpr uint64_t kCall = 32 * 4096;
  RateEstimate estimate;
  for (uint32_t i = 0; i <= 100; ++i) {
    const uint64_t put = (16 + i * 22) * 4096ull;
    RingCounts ring =
        with({i * 50 * kMs, 16 + i * 22, 4096, put / kCall * kCall, put - 16ull * 4096});
    ring.queued_bytes = 16 * 4096;
    estimate.add(i * 50 * kMs, ring);
  }
  EXPECT_NEAR(estimate.total_bytes().value_or(-1), 2200 * 4096.0, 0.03 * 2200 * 4096);
}

// Who writes elsewhere, too, or moves pages by splice: then there are only the slots.
TEST(RateEstimate, SidesThatDisagreeAreLeftOut) {
  for (const uint64_t per_slot : {0, 1000}) {
    RateEstimate estimate;
    add_to(estimate, {0, 0, 300, 0, 0});
    uint32_t head = 0;
    for (uint64_t i = 1; i <= 6; ++i) {
      head += 1000;
      add_to(estimate, {i * kTick, head, 300, head * per_slot, head * 300});
    }
    EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 300.0 * head) << per_slot;
  }
}

// A few full slots are seen between many of a byte: the sides disagree, but neither moved so much.
TEST(RateEstimate, SidesThatDisagreeAreStillTheMost) {
  RateEstimate estimate;
  add_to(estimate, {0, 0, 300, 0, 0});
  uint32_t head = 0;
  for (uint64_t i = 1; i <= 6; ++i) {
    head += 1000;
    add_to(estimate, {i * kTick, head, 300, head * 2, head * 3});
  }
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 3.0 * head);
}

TEST(RateEstimate, OtherHoldersAreNoSides) {
  RateEstimate estimate;
  add_to(estimate, {0, 0, 300, 0, 0});
  RingCounts ring = with({kTick, 1000, 300, 9000, 9000});
  ring.sides->holders = 6;
  estimate.add(kTick, ring);
  EXPECT_FALSE(estimate.total_bytes());
  ring.head = ring.tail = 2000;
  ring.sides.reset();  // nor can it be told any more
  estimate.add(2 * kTick, ring);
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 600'000.0);
}

// Each side counts up to when it was looked at.
TEST(RateEstimate, SidesMayBeLookedAtLater) {
  RateEstimate estimate;
  estimate.add(0, with({0, 0, 300, 0, 0}));
  RingCounts ring = with({kTick, 1000, 300, 20'000, 30'000});
  ring.sides->written_ns = 2 * kTick;
  ring.sides->read_ns = 3 * kTick;
  estimate.add(kTick, ring);
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 20'000.0);
  add_to(estimate, {3 * kTick, 3000, 300, 30'000, 30'000});
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 30'000.0) << "counted once";
}

// What they do while nothing moves has nothing to do with the pipe.
TEST(RateEstimate, SidesBeginWhenItMoves) {
  RateEstimate estimate;
  add_to(estimate, {0, 0, 300, 0, 0});
  add_to(estimate, {kTick, 0, 300, 70'000, 70'000});
  add_to(estimate, {2 * kTick, 1000, 300, 80'000, 80'000});
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 10'000.0);
}

// After the last byte the sides are looked at once more.
TEST(RateEstimate, SettlesWhenItStands) {
  constexpr uint64_t kSoon = 1'000'000;
  RateEstimate estimate;
  add_to(estimate, {0, 0, 300, 0, 0});
  add_to(estimate, {kSoon, 1000, 300, 1500, 900});
  add_to(estimate, {2 * kSoon, 1000, 300, 2000, 2000});
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 2000.0);
  RingCounts still = with({3 * kSoon, 1000, 300, 0, 0});
  still.sides.reset();
  estimate.add(3 * kSoon, still);
  EXPECT_DOUBLE_EQ(estimate.total_bytes().value_or(-1), 2000.0);
}

}  // namespace

}  // namespace pipetop
