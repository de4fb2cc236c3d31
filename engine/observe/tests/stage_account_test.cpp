#include "engine/observe/stage_account.h"

#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/observe/task_time.h"

namespace pipetop::observe {
namespace {

constexpr PipeId kPipe = {1, 42};
constexpr uint32_t kPipeNumber = 7;
constexpr int kSocket = 5;

uint64_t key_of(stage_wait wait, uint32_t number) { return uint64_t{wait} << 32 | number; }

class StageAccountTest : public testing::Test {
 protected:
  StageAccountTest() {
    record_.task = 1;
    record_.time.state = TASK_ON_CPU;
    record_.time.since_ns = kSecond;
  }

  StageWait explain(stage_wait wait, uint32_t number) const {
    if (wait == STAGE_PIPE_READ && number == kPipeNumber) return {WaitsFor::pipe_read, kPipe};
    if (wait == STAGE_FD_READ && number == kSocket) return {socket_, {}};
    return {};
  }

  std::optional<ThreadTimes> try_times(uint64_t now_ns) {
    return account_.times(record_, now_ns,
                          [&](stage_wait wait, uint32_t number) { return explain(wait, number); });
  }
  ThreadTimes times(uint64_t now_ns) { return try_times(now_ns).value_or(ThreadTimes{}); }

  void fall_asleep(uint64_t at_ns, stage_wait wait, uint32_t number) {
    record_.time.state = TASK_BLOCKED;
    record_.time.since_ns = at_ns;
    record_.wait = wait;
    record_.key = key_of(wait, number);
    ++record_.time.sleeps;
  }

  // The sleep is over, and its place is this one.
  void wake_up(uint64_t at_ns, size_t place) {
    const uint64_t ns = at_ns - record_.time.since_ns;
    record_.wait_ns[record_.wait] += ns;
    if (record_.places[place].key != record_.key) record_.places[place] = {record_.key, 0};
    record_.places[place].ns += ns;
    record_.time.state = TASK_ON_CPU;
    record_.time.since_ns = at_ns;
  }

  stage_thread record_ = {};
  StageAccount account_;
  WaitsFor socket_ = WaitsFor::network;
};

uint64_t spent(const ThreadTimes& times, WaitsFor wait) {
  return times.wait_ns[static_cast<size_t>(wait)];
}

TEST_F(StageAccountTest, TheCurrentIntervalCounts) {
  const ThreadTimes now = times(3 * kSecond);
  EXPECT_EQ(now.on_cpu_ns, 2 * kSecond);
  EXPECT_EQ(now.wall_ns, 2 * kSecond);
  EXPECT_TRUE(now.running);
  EXPECT_EQ(times(kSecond / 2).wall_ns, 0u) << "an event may be later than that";
}

TEST_F(StageAccountTest, ASleepInAPipeIsCountedWhileItLastsAndAfter) {
  fall_asleep(2 * kSecond, STAGE_PIPE_READ, kPipeNumber);
  ThreadTimes now = times(5 * kSecond);
  EXPECT_EQ(now.now, WaitsFor::pipe_read);
  EXPECT_EQ(now.now_pipe, kPipe);
  ASSERT_EQ(now.pipes.size(), 1u);
  EXPECT_EQ(now.pipes[0].ns, 3 * kSecond);
  EXPECT_EQ(spent(now, WaitsFor::pipe_read), 3 * kSecond);
  wake_up(6 * kSecond, 0);
  now = times(7 * kSecond);
  EXPECT_EQ(now.pipes[0].ns, 4 * kSecond);
  EXPECT_EQ(now.now, WaitsFor::none);
  EXPECT_FALSE(now.now_pipe);
  EXPECT_EQ(now.wall_ns, 5 * kSecond);
}

// The descriptor is closed, or another file's.
TEST_F(StageAccountTest, WhatWasReportedIsNotTakenBack) {
  fall_asleep(2 * kSecond, STAGE_FD_READ, kSocket);
  EXPECT_EQ(spent(times(5 * kSecond), WaitsFor::network), 3 * kSecond);
  wake_up(6 * kSecond, 0);
  socket_ = WaitsFor::other;
  const ThreadTimes now = times(6 * kSecond);
  EXPECT_EQ(spent(now, WaitsFor::network), 3 * kSecond);
  EXPECT_EQ(spent(now, WaitsFor::other), 1 * kSecond);
}

TEST_F(StageAccountTest, WhatGaveWayUnseenIsOther) {
  fall_asleep(2 * kSecond, STAGE_FD_READ, kSocket);
  wake_up(3 * kSecond, 0);
  fall_asleep(3 * kSecond, STAGE_PIPE_READ, kPipeNumber);
  wake_up(5 * kSecond, 0);  // in its place
  const ThreadTimes now = times(5 * kSecond);
  EXPECT_EQ(spent(now, WaitsFor::pipe_read), 2 * kSecond);
  EXPECT_EQ(spent(now, WaitsFor::network), 0u);
  EXPECT_EQ(spent(now, WaitsFor::other), 1 * kSecond);
  EXPECT_EQ(now.wall_ns, 3 * kSecond);
}

TEST_F(StageAccountTest, APlaceThatComesBackGoesOn) {
  for (uint64_t i = 1; i <= 3; ++i) {
    fall_asleep(2 * i * kSecond, STAGE_PIPE_READ, kPipeNumber);
    wake_up((2 * i + 1) * kSecond, 0);
    EXPECT_EQ(times(2 * i * kSecond).pipes[0].ns, i * kSecond);
    fall_asleep((2 * i + 1) * kSecond, STAGE_FD_READ, kSocket);
    wake_up((2 * i + 2) * kSecond, 0);
    EXPECT_EQ(spent(times(2 * i * kSecond), WaitsFor::network), i * kSecond);
  }
}

TEST_F(StageAccountTest, OtherWaitsNeedNoExplanation) {
  record_.wait_ns[STAGE_POLL] = 4;
  record_.wait_ns[STAGE_STOPPED] = 5;
  fall_asleep(2 * kSecond, STAGE_LOCK, 0);
  const ThreadTimes now = times(2 * kSecond + 6);
  EXPECT_EQ(spent(now, WaitsFor::poll), 4u);
  EXPECT_EQ(spent(now, WaitsFor::stopped), 5u);
  EXPECT_EQ(spent(now, WaitsFor::lock), 6u);
  EXPECT_EQ(now.now, WaitsFor::lock);
}

TEST_F(StageAccountTest, NothingIsKnownUntilSomebodyHasLooked) {
  record_.time.state = TASK_UNKNOWN;
  EXPECT_FALSE(try_times(2 * kSecond));
  record_.time.seen = TASK_BLOCKED;
  record_.seen_wait = STAGE_PIPE_READ;
  record_.seen_key = key_of(STAGE_PIPE_READ, kPipeNumber);
  record_.time.seen_ns = kSecond + kMs;
  EXPECT_FALSE(try_times(2 * kSecond)) << "a switch may have been under way";
  EXPECT_FALSE(is_worth_inspecting(record_, kSecond + 2 * kMs));
  EXPECT_TRUE(is_worth_inspecting(record_, 2 * kSecond));
  record_.time.seen_ns = 2 * kSecond;
  EXPECT_FALSE(is_worth_inspecting(record_, 3 * kSecond));
  EXPECT_EQ(times(3 * kSecond).pipes[0].ns, 2 * kSecond) << "since it is watched";
}

TEST_F(StageAccountTest, NobodyDoesNothing) {
  record_.time.ns[TASK_ON_CPU] = 9;
  record_.time.state = TASK_NOBODY;
  const ThreadTimes now = times(5 * kSecond);
  EXPECT_EQ(now.wall_ns, 9u);
  EXPECT_EQ(now.now, WaitsFor::none);
  EXPECT_FALSE(now.running || now.runnable);
  record_.task = 0;
  EXPECT_FALSE(try_times(5 * kSecond)) << "it was never found";
}

TEST_F(StageAccountTest, OnlyTheLastPipesAreRemembered) {
  for (uint32_t i = 0; i < 100; ++i) {
    fall_asleep(kSecond, STAGE_PIPE_READ, i);
    wake_up(kSecond + 1, i % STAGE_PLACES);
    account_.times(record_, kSecond + 1, [](stage_wait, uint32_t number) {
      return StageWait{WaitsFor::pipe_read, PipeId{1, number}};
    });
  }
  const auto now =
      account_.times(record_, kSecond + 1, [](stage_wait, uint32_t) { return StageWait{}; });
  ASSERT_TRUE(now);
  EXPECT_EQ(now->pipes.size(), 64u);
  EXPECT_EQ(now->pipes.back().pipe.inode, 99u);
  EXPECT_EQ(spent(*now, WaitsFor::pipe_read), 100u);
}

TEST(StageRecord, IsReadBetweenTwoChanges) {
  stage_thread record = {};
  record.time.sequence = 4;
  record.time.sleeps = 3;
  const auto copy = read_between_changes(record, [] {});
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->time.sleeps, 3u);
  record.time.sequence = 5;
  EXPECT_FALSE(read_between_changes(record, [] {}));
}

}  // namespace
}  // namespace pipetop::observe
