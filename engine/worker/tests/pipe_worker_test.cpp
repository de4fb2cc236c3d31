#include "engine/worker/pipe_worker.h"

#include <gtest/gtest.h>

#include <functional>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

TEST(SlowMotion, AnOperationIsASixteenthOfTheRingInWholePages) {
  EXPECT_EQ(slow_bytes(128 << 10, 256 << 10), 8u << 10);
  EXPECT_EQ(slow_bytes(64 << 10, 256 << 10), kPageBytes);
  EXPECT_EQ(slow_bytes(4096, 256 << 10), kPageBytes);
  EXPECT_EQ(slow_bytes(1 << 20, 8192), 8192u) << "no more than a buffer holds";
  EXPECT_EQ(slow_operations(128 << 10, 256 << 10), 16u);
  EXPECT_EQ(slow_operations(4096, 4096), 1u);
  EXPECT_EQ(slow_operations(1 << 20, 8192), 128u);
}

TEST(SlowMotion, ACommandWithoutItIsFree) {
  PipeCommand command;
  command.buf_bytes = 65536;
  EXPECT_EQ(slow_motion_of(Role::writer, command).bytes, 0u);
  command.slow_ring_bytes = 65536;
  EXPECT_EQ(slow_motion_of(Role::writer, command).bytes, kPageBytes);
}

TEST(SingleStep, APermitIsOneStep) {
  ControlBlock block;
  EXPECT_TRUE(grant_permit(block));
  EXPECT_FALSE(grant_permit(block)) << "the last one was not made yet";
  EXPECT_TRUE(await_permit(block));
  EXPECT_TRUE(await_permit(block)) << "until it is made";
  add(block.marks.steps, 1);
  EXPECT_TRUE(grant_permit(block));
  revoke_permit(block);
  EXPECT_EQ(block.permits.load(), block.marks.steps);
  EXPECT_TRUE(grant_permit(block));
}

TEST(SlowMotion, PacesAreTwoToTwentyASecond) {
  for (const Role role : {Role::writer, Role::reader})
    for (const uint64_t operations : {1u, 16u, 256u})
      for (uint64_t ms = 0; ms < 200'000; ms += 50) {
        const uint64_t interval = slow_interval_ns({role, 4096, operations}, ms * 1'000'000);
        ASSERT_GE(interval, 50'000'000u);
        ASSERT_LE(interval, 500'000'000u);
      }
}

// Both ends by their paces alone, without a clock.
class Ring {
 public:
  explicit Ring(uint64_t operations) : operations_(operations) {}

  void run_to(uint64_t end_ns) {
    while (std::min(writer_ns_, reader_ns_) < end_ns) {
      if (writer_ns_ <= reader_ns_) {
        if (used_ < operations_) ++used_;
        writer_ns_ += slow_interval_ns({Role::writer, 4096, operations_}, writer_ns_);
      } else {
        if (used_ > 0) --used_;
        reader_ns_ += slow_interval_ns({Role::reader, 4096, operations_}, reader_ns_);
      }
      full += used_ == operations_;
      empty += full > 0 && used_ == 0;
    }
  }

  uint64_t full = 0, empty = 0;  // looks at it; empty after it was full

 private:
  uint64_t operations_, used_ = 0, writer_ns_ = 0, reader_ns_ = 0;
};

TEST(SlowMotion, TheRingFillsAndDrains) {
  for (const uint64_t operations : {1u, 4u, 16u, 128u}) {
    Ring ring(operations);
    ring.run_to(operations > 16 ? 100'000'000'000 : 12'000'000'000);
    EXPECT_GT(ring.full, 10u) << operations;
    EXPECT_GT(ring.empty, 4u) << operations;
  }
}

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
  uint64_t wait_for(uint64_t needed_ns, uint64_t wakeup_ns) {
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
    spin_.moved(clock);
    EXPECT_FALSE(spin_.sleeps());
    now_ns_ += kUs;
    return spun_ns;
  }

  AdaptiveSpin spin_;
  uint64_t now_ns_ = 1;
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

}  // namespace

}  // namespace pipetop
