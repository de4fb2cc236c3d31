#include "engine/worker/pipe_worker.h"

#include <gtest/gtest.h>

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

}  // namespace

}  // namespace pipetop
