#include <signal.h>

#include <algorithm>

#include "engine/tests/engine_fixture.h"

namespace pipetop {
namespace {

class SegmentsTest : public EngineTest {
 protected:
  // The present segment, once it has seen data flow and both workers at it.
  Segment measured() {
    Segment segment;
    until([&](const Snapshot& s) {
      segment = engine->segment();
      return s.throughput.current.rate.has_value() && segment.rate.has_value() &&
             segment.rate->max > 0 && segment.occupancy.has_value() &&
             std::ranges::all_of(segment.roles, [](const SegmentRole& role) {
               return role.shares.on_cpu.has_value() && *role.shares.on_cpu > 0;
             });
    });
    return segment;
  }
};

void expect_plausible(const Segment& s) {
  ASSERT_TRUE(s.rate.has_value()) << s.rate.reason;
  EXPECT_GT(s.rate->max, 0);
  EXPECT_LE(s.rate->min, s.rate->median);
  EXPECT_LE(s.rate->median, s.rate->max);
  EXPECT_LE(s.rate->min, s.rate->mean);
  EXPECT_LE(s.rate->mean, s.rate->max);
  EXPECT_GT(s.items, 0u);
  for (const SegmentRole& role : s.roles) {
    ASSERT_TRUE(role.shares.on_cpu.has_value()) << role.shares.on_cpu.reason;
    EXPECT_GT(*role.shares.on_cpu, 0);
    EXPECT_NEAR(*role.shares.on_cpu + *role.shares.runnable + *role.shares.blocked, 1, 1e-9);
  }
  ASSERT_TRUE(s.occupancy.has_value()) << s.occupancy.reason;
}

TEST_F(SegmentsTest, ThreeChangesCloseThreeSegments) {
  Settings s;
  start(s);
  measured();
  s.pipe.write_with = WriteWith::vmsplice;
  engine->apply(s, "write_with vmsplice", "v");
  measured();
  s.pipe.pipe_size = 256 << 10;
  engine->apply(s, "pipe_size 256KiB", "}");
  const Segment present = measured();
  s.pipe.read_with = ReadWith::splice;
  engine->apply(s, "read_with splice", "s");
  const Snapshot end = flow();

  const auto& closed = end.throughput.segments;
  ASSERT_EQ(closed.size(), 3u);
  EXPECT_EQ(end.throughput.previous, closed[2]);
  const char* labels[] = {"start", "write_with vmsplice", "pipe_size 256KiB"};
  const char* keys[] = {"", "v", "}"};
  const uint64_t pipe_bytes[] = {64 << 10, 128 << 10, 256 << 10};
  for (uint32_t i = 0; i < 3; ++i) {
    const Segment& segment = *closed[i];
    EXPECT_EQ(segment.number, i + 1);
    EXPECT_EQ(segment.label, labels[i]);
    EXPECT_EQ(segment.key, keys[i]);
    EXPECT_EQ(segment.pipe_bytes, pipe_bytes[i]);
    EXPECT_EQ(segment.effective.pipe.pipe_size, pipe_bytes[i]);
    EXPECT_EQ(segment.requested.pipe.write_with, i == 0 ? WriteWith::write : WriteWith::vmsplice);
    EXPECT_EQ(segment.effective.pipe.write_with, segment.requested.pipe.write_with);
    const Segment& next = i < 2 ? *closed[i + 1] : end.throughput.current;
    EXPECT_EQ(segment.begin_ns + segment.duration_ns, next.begin_ns);
    expect_plausible(segment);
    EXPECT_EQ(segment.role(Role::writer).functions.status, ReadingStatus::unavailable);
    EXPECT_EQ(segment.kinds.status, ReadingStatus::unavailable);
  }
  EXPECT_EQ(closed[1]->requested.pipe.pipe_size, kAutoPipeSize);
  EXPECT_EQ(end.throughput.current.number, 4u);
  EXPECT_LE(closed[0]->items + closed[1]->items + closed[2]->items, end.throughput.total_items);
  // Asked for while it lasted, it was the same.
  EXPECT_EQ(present.number, 3u);
  EXPECT_EQ(present.begin_ns, closed[2]->begin_ns);
  EXPECT_LE(present.items, closed[2]->items);
}

// As a speaker who steps back to a scene in slow motion, and on again.
TEST_F(SegmentsTest, AfterSlowMotionOneIsNotComparedWithItself) {
  const auto compared = [&] {
    return until([](const Snapshot& s) { return s.change.has_value(); }).change->before;
  };
  const auto slow_motion = [&](Settings s) {
    s.pipe.slow_motion = true;
    engine->apply(s, "slow motion");
    until([](const Snapshot& t) { return t.change.reason.starts_with("slow motion"); });
  };
  Settings s;
  start(s);
  measured();
  slow_motion(s);
  engine->apply(s, "the start");
  until([](const Snapshot& t) { return t.change.reason.starts_with("same settings"); });
  measured();
  s.pipe.write_with = WriteWith::vmsplice;
  engine->apply(s, "write_with vmsplice");
  const double before = compared();
  slow_motion(s);
  engine->apply(s, "write_with vmsplice");
  EXPECT_EQ(compared(), before);
}

// A stopped reader acknowledges nothing.
TEST_F(SegmentsTest, OneThatNeverTookEffectSaysSo) {
  Settings s;
  start(s);
  const Snapshot running = flow();
  ::kill(reader(running).pid, SIGSTOP);
  s.pipe.reader_wait = Wait::poll;
  engine->apply(s, "first");
  s.pipe.reader_wait = Wait::block;
  engine->apply(s, "second");
  const Segment never = *engine->tick().throughput.previous;
  ::kill(reader(running).pid, SIGCONT);
  EXPECT_EQ(never.label, "first");
  EXPECT_EQ(never.rate.status, ReadingStatus::warming);
  EXPECT_EQ(never.occupancy.reason, "it ended before the change took effect");
  EXPECT_EQ(never.role(Role::writer).shares.blocked.reason, never.occupancy.reason);
  EXPECT_EQ(never.role(Role::reader).functions.reason, never.occupancy.reason);
  EXPECT_EQ(never.kinds.reason, never.occupancy.reason);
}

TEST_F(SegmentsTest, WhatComesBeforeAChangeIsInForceDoesNotCount) {
  Settings s;
  start(s);
  const Snapshot running = flow();
  ::kill(reader(running).pid, SIGSTOP);
  s.pipe.reader_wait = Wait::poll;
  engine->apply(s, "slow to take");
  const auto looks = [](const Snapshot& t) {
    return t.ring.occupancy.has_value() ? t.ring.occupancy->samples : 0;
  };
  const Snapshot waiting = until([&](const Snapshot& t) { return looks(t) >= 5; });
  EXPECT_FALSE(waiting.effective.settled);
  EXPECT_EQ(waiting.throughput.current.rate.status, ReadingStatus::warming);
  ::kill(reader(running).pid, SIGCONT);
  EXPECT_LE(looks(settle()), 1u);
}

TEST_F(SegmentsTest, TimeThatWeWereSuspendedBelongsToNone) {
  start({});
  const Segment before = measured();
  engine->suspend();
  const uint64_t from = monotonic_ns();
  until([&](const Snapshot&) { return monotonic_ns() >= from + 1'000'000'000; });
  const uint64_t suspended = monotonic_ns() - from;
  engine->resume();
  flow();
  const Segment after = engine->segment();
  EXPECT_EQ(after.number, before.number);
  EXPECT_LE(after.duration_ns + suspended, monotonic_ns() - after.begin_ns);
  // A second's worth of rates, or of looks at a ring that stood still, would be ten.
  const double tenths = double(after.duration_ns - before.duration_ns) / 1e8;
  EXPECT_LE(double(after.rate->samples), double(before.rate->samples) + tenths + 2);
  EXPECT_LE(double(after.occupancy->samples), double(before.occupancy->samples) + tenths + 2);
}

TEST_F(SegmentsTest, AReplacedWorkerGoesOnInItsSegment) {
  for (const Role killed : {Role::writer, Role::reader}) {
    start({});
    const Segment before = measured();
    ::kill(settle().worker(killed).pid, SIGKILL);
    until([&](const Snapshot& s) { return s.worker(killed).restarts == 1 && s.effective.settled; });
    flow();
    const Segment after = engine->segment();
    EXPECT_EQ(after.number, 1u);
    EXPECT_GE(after.occupancy->samples, before.occupancy->samples);
    EXPECT_GE(after.rate->samples, before.rate->samples);
    expect_plausible(after);
  }
}

TEST_F(SegmentsTest, OneMayBeginWithoutAChange) {
  start({});
  flow();
  engine->begin_segment("measure");
  const Segment segment = measured();
  EXPECT_EQ(segment.number, 2u);
  EXPECT_EQ(segment.label, "measure");
  EXPECT_EQ(engine->tick().throughput.previous->label, "start");
  expect_plausible(segment);
}

}  // namespace
}  // namespace pipetop
