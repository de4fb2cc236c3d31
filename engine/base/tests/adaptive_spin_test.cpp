#include "engine/base/adaptive_spin.h"

#include <gtest/gtest.h>

#include <functional>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

constexpr uint64_t kUs = 1'000;
constexpr uint64_t kTry = 200;  // what a transfer in vain takes, ns

// A role whose time is made up.
class Waiter {
 public:
  // A wait that data ends after `spun_ns` if it is spun, and if it falls asleep
  // `slept_ns` after that. Returns how long it spun.
  uint64_t wait(uint64_t spun_ns, uint64_t slept_ns) {
    return wait([&](uint64_t since_ns) { return since_ns >= spun_ns; },
                [&](uint64_t) { return slept_ns; });
  }
  // One that lasts as long whatever is done, and a wakeup longer if it is slept.
  uint64_t wait_for(uint64_t needed_ns, uint64_t wakeup_ns, uint64_t bytes = UINT64_MAX) {
    bytes_ = bytes;
    return wait([&](uint64_t since_ns) { return since_ns >= needed_ns; },
                [&](uint64_t since_ns) { return needed_ns - since_ns + wakeup_ns; });
  }
  bool slept() const { return slept_; }

 private:
  uint64_t wait(const std::function<bool(uint64_t)>& is_over,
                const std::function<uint64_t(uint64_t)>& sleep) {
    const auto clock = [&] { return now_ns_; };
    const uint64_t begin_ns = now_ns_;
    slept_ = false;
    while (!slept_ && !is_over(now_ns_ - begin_ns)) {
      now_ns_ += kTry;
      spin_.missed(clock);
      slept_ = spin_.sleeps();
    }
    const uint64_t spun_ns = now_ns_ - begin_ns;
    if (slept_) now_ns_ += sleep(spun_ns);
    spin_.moved(clock, bytes_);
    EXPECT_FALSE(spin_.sleeps());
    now_ns_ += kUs;
    return spun_ns;
  }

  AdaptiveSpin spin_;
  uint64_t now_ns_ = 1, bytes_ = UINT64_MAX;
  bool slept_ = false;
};

TEST(AdaptiveSpin, ShortWaitsAreSpunThrough) {
  Waiter waiter;
  for (int i = 0; i < 1000; ++i) {
    waiter.wait_for(2 * kUs, 30 * kUs);
    EXPECT_FALSE(waiter.slept()) << i;
  }
}

TEST(AdaptiveSpin, LongWaitsAreSleptThrough) {
  Waiter waiter;
  uint64_t spun_ns = 0;
  for (int i = 0; i < 100; ++i) spun_ns += waiter.wait_for(100 * kMs, 30 * kUs);
  EXPECT_LT(spun_ns, 1 * kMs);
  for (int i = 0; i < 100; ++i) EXPECT_LE(waiter.wait_for(200 * kUs, 30 * kUs), kTry) << i;
}

TEST(AdaptiveSpin, SpinsForTwiceTheTypicalWait) {
  Waiter waiter;
  for (int i = 0; i < 100; ++i) waiter.wait_for(20 * kUs, 30 * kUs);
  const uint64_t spun_ns = waiter.wait_for(10 * kMs, 30 * kUs);
  EXPECT_GE(spun_ns, 38 * kUs);
  EXPECT_LE(spun_ns, 42 * kUs);
}

TEST(AdaptiveSpin, NeverSpinsForLongerThanItsLimit) {
  Waiter waiter;
  for (uint64_t us = 1; us < 5000; us += 7)
    EXPECT_LE(waiter.wait_for(us % 300 * kUs, us % 50 * kUs),
              AdaptiveSpin::kMostSpin_ns + AdaptiveSpin::kTriesPerClockRead * kTry);
}

TEST(AdaptiveSpin, OneLongWaitAmidShortOnesIsForgiven) {
  Waiter waiter;
  for (int i = 0; i < 100; ++i) waiter.wait_for(2 * kUs, 30 * kUs);
  waiter.wait_for(10 * kMs, 30 * kUs);
  EXPECT_TRUE(waiter.slept());
  for (int i = 0; i < 100; ++i) {
    waiter.wait_for(2 * kUs, 30 * kUs);
    EXPECT_FALSE(waiter.slept()) << i;
  }
}

// Two that sleep make each other wait for a wakeup; it must not stay like that.
TEST(AdaptiveSpin, FindsItsWayOutOfSleepingInTurns) {
  Waiter waiter;
  for (int i = 0; i < 100; ++i) waiter.wait_for(10 * kMs, 50 * kUs);
  int slept = 0;
  for (int i = 0; i < 1000; ++i) {
    waiter.wait(30 * kUs, 60 * kUs);
    slept += waiter.slept();
  }
  EXPECT_LT(slept, 30);
}

// On one CPU with the other side, which runs only when this one sleeps.
TEST(AdaptiveSpin, StopsSpinningInVain) {
  Waiter waiter;
  for (int i = 0; i < 5000; ++i) waiter.wait(10 * kMs, 10 * kUs);
  uint64_t spun_ns = 0;
  for (int i = 0; i < 5000; ++i) spun_ns += waiter.wait(10 * kMs, 10 * kUs);
  EXPECT_LT(spun_ns, 5000 * kUs / 2);
}

TEST(AdaptiveSpin, SpinsAgainOnceItPays) {
  Waiter waiter;
  for (int i = 0; i < 20'000; ++i) waiter.wait(10 * kMs, 10 * kUs);
  for (uint64_t i = 0; i <= AdaptiveSpin::kMostPause; ++i) waiter.wait(3 * kUs, 10 * kUs);
  for (int i = 0; i < 100; ++i) {
    waiter.wait(3 * kUs, 10 * kUs);
    EXPECT_FALSE(waiter.slept()) << i;
  }
}

// A wakeup by a signal, or of a ring that the other one has emptied again.
TEST(AdaptiveSpin, SleepsAgainWhenItWokeInVain) {
  AdaptiveSpin spin;
  uint64_t now_ns = 1;
  const auto clock = [&] { return now_ns; };
  for (; !spin.sleeps(); now_ns += kTry) spin.missed(clock);
  spin.missed(clock);
  EXPECT_TRUE(spin.sleeps());
  spin.moved(clock);
  EXPECT_FALSE(spin.sleeps());
}

// A neighbour that is slow by bytes, however short its waits are.
TEST(AdaptiveSpin, SpinsForManyBytesOnly) {
  Waiter fast, slow;
  uint64_t fast_ns = 0, slow_ns = 0;
  for (int i = 0; i < 5000; ++i) {
    fast_ns += fast.wait_for(10 * kUs, 30 * kUs, 64 << 10);
    slow_ns += slow.wait_for(10 * kUs, 30 * kUs, 4 << 10);
  }
  EXPECT_GE(fast_ns, 5000 * 10 * kUs);
  EXPECT_LT(slow_ns, fast_ns / 10);
}

}  // namespace
}  // namespace pipetop
