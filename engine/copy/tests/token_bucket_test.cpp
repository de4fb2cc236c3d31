#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/copy/copier.h"

namespace pipetop {
namespace {

// What gets through in `ns`, by somebody who sleeps as long as he is told, and `late_ns` longer.
uint64_t moved_in(uint64_t rate, uint64_t ns, uint64_t late_ns = 0) {
  const uint64_t begin_ns = 1'000 * kSecond;
  TokenBucket bucket(rate, begin_ns);
  uint64_t moved = 0;
  for (uint64_t now_ns = begin_ns; now_ns <= begin_ns + ns;) {
    const uint64_t bytes = bucket.available(now_ns);
    bucket.take(bytes);
    moved += bytes;
    if (bytes == 0) now_ns += bucket.wait_ns() + late_ns;
  }
  return moved;
}

TEST(TokenBucket, KeepsWithinOnePercentFromBytesToGigabytes) {
  for (const uint64_t rate : {100ull, 999ull, 12'345ull, 1'000'000ull, 1ull << 20, 100'000'000ull,
                              1ull << 30, 50'000'000'000ull}) {
    const uint64_t moved = moved_in(rate, 10 * kSecond);
    EXPECT_LE(moved, 10 * rate + 1) << rate;
    EXPECT_GE(double(moved), 9.9 * double(rate)) << rate;
  }
}

TEST(TokenBucket, MakesUpForTimersThatAreLate) {
  for (const uint64_t rate : {100ull, 1'000'000ull, 1ull << 30}) {
    const uint64_t moved = moved_in(rate, 10 * kSecond, 30 * kMs);
    EXPECT_GE(double(moved), 9.9 * double(rate)) << rate;
    EXPECT_LE(moved, 10 * rate + 1) << rate;
  }
}

TEST(TokenBucket, ABytePerSecondComesAfterASecond) {
  TokenBucket bucket(1, 0);
  EXPECT_EQ(bucket.available(kSecond - 1), 0u);
  EXPECT_EQ(bucket.available(kSecond), 1u);
  bucket.take(1);
  EXPECT_EQ(bucket.wait_ns(), kSecond);
}

TEST(TokenBucket, StartsEmptyAndHoldsATenthOfASecond) {
  constexpr uint64_t kRate = 10'000'000;
  TokenBucket bucket(kRate, 5 * kSecond);
  EXPECT_EQ(bucket.available(5 * kSecond), 0u);
  const uint64_t after_an_hour = bucket.available(3605 * kSecond);
  EXPECT_LE(after_an_hour, kRate / 10);
  EXPECT_GT(after_an_hour, kRate / 10 - 4096);
}

TEST(TokenBucket, GivesWholePagesWhereItCan) {
  TokenBucket bucket(50'000'000, 0);
  const uint64_t bytes = bucket.available(20 * kMs);
  EXPECT_GT(bytes, 0u);
  EXPECT_EQ(bytes % 4096, 0u);
}

TEST(TokenBucket, WakesAboutAHundredTimesASecond) {
  for (const uint64_t rate : {1ull, 5'000ull, 1ull << 20, 1ull << 30}) {
    TokenBucket bucket(rate, 0);
    EXPECT_GE(bucket.wait_ns(), 5 * kMs) << rate;
  }
}

TEST(TokenBucket, TheClockMayStandStill) {
  TokenBucket bucket(1'000'000, kSecond);
  const uint64_t bytes = bucket.available(2 * kSecond);
  EXPECT_EQ(bucket.available(2 * kSecond), bytes);
  EXPECT_EQ(bucket.available(kSecond), bytes);
}

TEST(TokenBucket, ANewRateHoldsFromNowOn) {
  TokenBucket bucket(1'000, 0);
  bucket.set_rate(1'000'000, 10 * kSecond);
  EXPECT_LE(bucket.available(10 * kSecond), 1'000u);
  EXPECT_GT(bucket.available(10 * kSecond + 50 * kMs), 40'000u);
}

}  // namespace
}  // namespace pipetop
