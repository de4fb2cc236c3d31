// Other people's pipes are resized, here one of this process: what the Watcher says of it.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "engine/base/error.h"
#include "engine/tests/support/test_pipe.h"
#include "engine/watch/tests/watch_fixture.h"

namespace pipetop {
namespace {

class WatchChanges : public WatchTest {
 protected:
  WatchChanges() {
    const auto self = real_identity();
    machine.add(self.pid, "self");
    machine.process(self.pid).id = self;
    machine.thread(self.pid).task.process = machine.thread(self.pid).times.process = self;
    machine.add(12, "other");
    machine.hold(id.inode, self.pid, real.in.get(), Access::write);
    machine.hold(id.inode, 12, 0, Access::read);
    machine.pipe(id.inode).pipe.id = id;
    machine.pipe(id.inode).samples.pipe = id;
    machine.waits(self.pid, WaitsFor::pipe_write, real.in.get());
    machine.waits(12, WaitsFor::pipe_read, 0);
    machine.pipe(id.inode).bytes_per_s = 100e6;
  }
  static ProcessId real_identity() { return *real_watch_parts(BpfUse::off).identify(getpid()); }
  uint64_t real_size() const { return static_cast<uint64_t>(fcntl(real.out.get(), F_GETPIPE_SZ)); }

  TestPipe real{O_NONBLOCK};
  PipeId id = real.id;
};

TEST_F(WatchChanges, AResizeIsDoneSaidAndPutBack) {
  tick();
  watcher->open(id);
  run(3 * kSecond);
  ASSERT_EQ(real_size(), 65536u);
  const std::string said = watcher->resize(id, true);
  EXPECT_EQ(real_size(), 131072u);
  EXPECT_NE(said.find("128 KiB"), std::string::npos) << said;
  auto s = tick();
  ASSERT_EQ(s->interventions.size(), 1u);
  EXPECT_EQ(s->interventions[0].text, said);
  EXPECT_EQ(s->interventions[0].pipe, id);
  EXPECT_NEAR(s->interventions[0].before_bytes_per_s.value_or(0), 100e6, 1e6);
  EXPECT_FALSE(s->interventions[0].after_bytes_per_s) << "not yet";
  machine.pipe(id.inode).bytes_per_s = 200e6;
  s = run(3 * kSecond);
  EXPECT_NEAR(s->interventions[0].after_bytes_per_s.value_or(0), 200e6, 2e6);
  EXPECT_FALSE(watcher->undo().empty());
  EXPECT_EQ(real_size(), 65536u);
  EXPECT_TRUE(tick()->interventions.empty());
}

TEST_F(WatchChanges, AChangeBeginsASegmentWhichIsComparedWithTheOneBefore) {
  tick();
  watcher->open(id);
  auto s = run(3 * kSecond);
  EXPECT_EQ(s->watched->measured, id);
  EXPECT_EQ(s->throughput.current.label, "start");
  EXPECT_NEAR(s->throughput.current.rate->mean, 100e6, 2e6);
  EXPECT_EQ(s->change.status, ReadingStatus::unavailable);
  const std::string said = watcher->resize(id, true);
  machine.pipe(id.inode).bytes_per_s = 200e6;
  s = run(3 * kSecond);
  const Throughput& now = s->throughput;
  EXPECT_EQ(now.current.number, 2u);
  EXPECT_EQ(now.current.label, said);
  EXPECT_EQ(now.current.key, "}");
  EXPECT_NEAR(now.current.rate->mean, 200e6, 4e6);
  ASSERT_EQ(now.marks.size(), 1u);
  ASSERT_EQ(now.segments.size(), 1u);
  EXPECT_EQ(now.segments[0]->pipe_bytes, 65536u);
  EXPECT_EQ(now.segments[0]->stages.size(), 2u);
  EXPECT_NEAR(now.segments[0]->stages[0].shares.waits->writing, 1, 0.01);
  ASSERT_TRUE(s->change.has_value()) << s->change.reason;
  EXPECT_NEAR(s->change->factor, 2, 0.05);
  watcher->undo();
  EXPECT_EQ(tick()->throughput.current.number, 3u);
}

TEST_F(WatchChanges, TheWindowBeginsAnewWithAChange) {
  tick();
  watcher->open(id);
  EXPECT_GT(run(4 * kSecond)->watched->window_ns, 3 * kSecond);
  watcher->resize(id, true);
  EXPECT_LT(run(kSecond)->watched->window_ns, 1100 * kMs);
}

TEST_F(WatchChanges, WhatWasAfterOneChangeIsBeforeTheNext) {
  tick();
  watcher->open(id);
  run(3 * kSecond);
  watcher->resize(id, true);
  machine.pipe(id.inode).bytes_per_s = 200e6;
  run(3 * kSecond);
  machine.pipe(id.inode).slots = 32;
  run(kSecond);
  watcher->resize(id, true);
  machine.pipe(id.inode).bytes_per_s = 50e6;
  const auto s = run(3 * kSecond);
  ASSERT_EQ(s->interventions.size(), 2u);
  EXPECT_NEAR(s->interventions[0].after_bytes_per_s.value_or(0), 200e6, 2e6);
  EXPECT_NEAR(s->interventions[1].before_bytes_per_s.value_or(0), 200e6, 2e6);
  EXPECT_NEAR(s->interventions[1].after_bytes_per_s.value_or(0), 50e6, 1e6);
}

TEST_F(WatchChanges, WhatWasBeforeAnUndoIsNotBeforeTheNextChange) {
  tick();
  watcher->open(id);
  run(3 * kSecond);
  watcher->resize(id, true);
  machine.pipe(id.inode).bytes_per_s = 200e6;
  run(3 * kSecond);
  watcher->undo();
  machine.pipe(id.inode).bytes_per_s = 100e6;
  run(2 * kSecond);
  watcher->resize(id, true);
  EXPECT_NEAR(tick()->interventions.at(0).before_bytes_per_s.value_or(0), 100e6, 1e6);
}

TEST_F(WatchChanges, ASizeThatItHasAlreadyIsNoChange) {
  machine.pipe(id.inode).slots = 8;  // it had before somebody else resized it
  tick();
  watcher->open(id);
  run(kSecond);
  EXPECT_EQ(watcher->resize(id, true), fmt::format("pipe {} has 64 KiB already", id.inode));
  EXPECT_EQ(real_size(), 65536u);
  EXPECT_TRUE(tick()->interventions.empty());
}

TEST_F(WatchChanges, ARefusalChangesNothingAndSaysWhy) {
  tick();
  EXPECT_EQ(error_of([&] {
              watcher->resize({id.device, 1}, true);
            }),
            "pipe 1 is closed; choose another one");
  machine.release(id.inode, getpid());  // the other holder doesn't exist
  watcher->close();
  pass(kSecond);
  tick();
  EXPECT_NE(error_of([&] { watcher->resize(id, true); }), "no error");
  EXPECT_EQ(real_size(), 65536u);
  EXPECT_TRUE(tick()->interventions.empty());
}

}  // namespace
}  // namespace pipetop
