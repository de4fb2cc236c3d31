// What is in effect as it is seen while data flows; and slow motion.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>

#include "engine/tests/engine_fixture.h"

namespace pipetop {
namespace {

TEST_F(EngineTest, HugeIsTrueExactlyForHugePages) {
  start({});
  Settings s;
  s.pipe.write_with = WriteWith::vmsplice;
  for (const Pages pages : {Pages::k4, Pages::thp}) {
    s.pipe.pages = pages;
    engine->apply(s, "pages");
    const Snapshot settled = settle();
    ASSERT_TRUE(settled.effective.pipe.huge.has_value()) << settled.effective.pipe.huge.reason;
    EXPECT_EQ(*settled.effective.pipe.huge, settled.effective.settings.pipe.pages != Pages::k4);
  }
}

TEST_F(EngineTest, AWorkerMovedFromOutsideIsAMismatch) {
  start({});
  const Snapshot running = flow();
  const Settings& placed = running.effective.settings;
  if (placed.pipe.writer_cpu == kNoCpu || placed.pipe.writer_cpu == placed.pipe.reader_cpu)
    GTEST_SKIP() << "there is but one CPU";
  const auto moved = [](const Snapshot& s) {
    return std::ranges::any_of(s.effective.mismatches,
                               [](const Mismatch& m) { return m.knob == "placement"; });
  };
  EXPECT_FALSE(moved(running));
  cpu_set_t elsewhere;
  CPU_ZERO(&elsewhere);
  CPU_SET(placed.pipe.reader_cpu, &elsewhere);
  ASSERT_EQ(::sched_setaffinity(writer(running).pid, sizeof elsewhere, &elsewhere), 0);
  EXPECT_EQ(until(moved).effective.settings.pipe.writer_cpu, placed.pipe.reader_cpu);
  Settings again;
  again.pipe.gift = true;
  engine->apply(again, "pins it again");
  const Snapshot pinned = until([](const Snapshot& s) {
    return s.effective.settled && s.workers[0].context_switches_per_s.has_value();
  });
  EXPECT_FALSE(moved(pinned));
}

TEST_F(EngineTest, PagesThatNobodyTouchedAreNotSaidToBeHuge) {
  Settings s;
  s.pipe.pages = Pages::thp;
  s.pipe.touch_pages = false;
  start(s);
  const Snapshot untouched = flow();
  EXPECT_FALSE(untouched.effective.pipe.huge.has_value());
  EXPECT_NE(untouched.effective.pipe.huge.reason.find("never touched"), std::string::npos)
      << untouched.effective.pipe.huge.reason;
}

// A few operations with each technique and wait, then free again.
class SlowMotionTest : public EngineTest, public testing::WithParamInterface<Wait> {};

TEST_P(SlowMotionTest, MovesLittleAndLosesNothing) {
  start(stamped());
  for (const WriteWith technique : kAllWriteWith) {
    Settings s = stamped();
    s.pipe.write_with = technique;
    s.pipe.writer_wait = s.pipe.reader_wait = GetParam();
    s.pipe.slow_motion = true;
    engine->apply(s, "slow");
    const Snapshot begin = settle();
    const Snapshot slow = until([&](const Snapshot& t) {
      return t.throughput.total_items > begin.throughput.total_items + t.effective.pipe.bytes / 8;
    });
    EXPECT_EQ(slow.effective.settings.pipe.buf_size, slow.effective.pipe.bytes / 16);
    s.pipe.slow_motion = false;
    engine->apply(s, "free");
    expect_no_damage(flow());
  }
}

INSTANTIATE_TEST_SUITE_P(Waits, SlowMotionTest, testing::ValuesIn(kAllWaits), name_of_wait);

// By FIONREAD, which is no sampler: the ring is seen full, and empty again.
TEST_F(EngineTest, SlowMotionFillsTheRingAndDrainsIt) {
  Settings s;
  s.pipe.slow_motion = true;
  start(s);
  const Snapshot full = until([](const Snapshot& t) {
    return t.ring.occupancy.has_value() && t.ring.occupancy->full_share > 0;
  });
  const double full_empty = full.ring.occupancy->empty_share * double(full.ring.occupancy->samples);
  until([&](const Snapshot& t) {
    const Occupancy& o = *t.ring.occupancy;
    return o.empty_share * double(o.samples) > full_empty + 0.5;
  });
}

// The ring is far too full for its new size, and slow motion would take minutes.
TEST_F(EngineTest, AShrinkDoesNotWaitInSlowMotion) {
  Settings s = stamped();
  s.pipe.write_with = WriteWith::vmsplice;
  s.pipe.pipe_size = 1 << 20;
  s.pipe.buf_size = 4096;
  start(s);
  flow();
  s.pipe.slow_motion = true;
  s.pipe.pipe_size = 4096;
  engine->apply(s, "shrink");
  EXPECT_EQ(settle().effective.pipe.bytes, 4096u);
  s.pipe.slow_motion = false;
  engine->apply(s, "free");
  expect_no_damage(flow());
}

}  // namespace
}  // namespace pipetop
