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

}  // namespace
}  // namespace pipetop
