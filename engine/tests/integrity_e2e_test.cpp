// Every page of the stream arrives, once and whole; unless a hazard is asked for.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <random>

#include "engine/process/placement.h"
#include "engine/tests/engine_fixture.h"
#include "engine/tests/run_tests.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

TEST_F(EngineTest, StampsArriveInOrder) {
  for (const WriteWith technique : kAllWriteWith) {
    Settings s = stamped();
    s.pipe.write_with = technique;
    start(s);
    expect_no_damage(flow(256 << 20));
  }
}

// A way from each technique to each other one.
constexpr WriteWith kWay[] = {
    WriteWith::write,  WriteWith::vmsplice, WriteWith::tee,    WriteWith::splice, WriteWith::write,
    WriteWith::tee,    WriteWith::vmsplice, WriteWith::splice, WriteWith::tee,    WriteWith::write,
    WriteWith::splice, WriteWith::vmsplice, WriteWith::write};

class TogglingTest : public EngineTest, public testing::WithParamInterface<Wait> {};

TEST_P(TogglingTest, LosesNothing) {
  Settings s = stamped();
  s.pipe.writer_wait = s.pipe.reader_wait = GetParam();
  start(s);
  for (const WriteWith technique : kWay) {
    s.pipe.write_with = technique;
    engine->apply(s, "toggle");
    const Snapshot after = flow(4 << 20);
    EXPECT_EQ(after.effective.settings.pipe.write_with, technique);
    expect_no_damage(after);
  }
}

INSTANTIATE_TEST_SUITE_P(Waits, TogglingTest, testing::ValuesIn(kAllWaits), name_of_wait);

// The calls of the two do not fit each other: tees are short, in the middle of a buffer.
TEST_F(EngineTest, ShortTransfersLoseNothing) {
  Settings s = stamped();
  s.pipe.pipe_size = 16 * kPageBytes;
  start(s);
  for (const WriteWith technique : kAllWriteWith)
    for (const uint64_t buf : {kPageBytes, 5 * kPageBytes, 37 * kPageBytes}) {
      s.pipe.write_with = technique;
      s.pipe.buf_size = buf;
      engine->apply(s, "short");
      expect_no_damage(flow(32 << 20));
    }
}

TEST_F(EngineTest, ABigRingOnSmallBuffersTearsNothing) {
  Settings s = stamped();
  s.pipe.buf_size = 8192;
  s.pipe.pipe_size = 1 << 20;
  start(s);
  for (const WriteWith technique : {WriteWith::vmsplice, WriteWith::tee, WriteWith::splice})
    for (const Buffers buffers : {Buffers::separate, Buffers::same}) {
      s.pipe.write_with = technique;
      s.pipe.buffers = buffers;
      engine->apply(s, "buffers");
      expect_no_damage(flow(256 << 20));
    }
}

// A memfd that nobody has open any more, whose pages the ring still holds.
TEST_F(EngineTest, AKilledWriterTakesNoPagesAway) {
  Settings s = stamped();
  start(s);
  for (const WriteWith technique : {WriteWith::tee, WriteWith::splice}) {
    s.pipe.write_with = technique;
    engine->apply(s, "technique");
    const Snapshot before = flow();
    ::kill(writer(before).pid, SIGKILL);
    until([&](const Snapshot& t) { return writer(t).restarts > writer(before).restarts; });
    expect_all_in_order(flow());
  }
}

// A valid random value for a random knob.
void turn_random_knob(Settings& s, std::mt19937& random) {
  const auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  const auto knobs = knobs_of(s);
  const Knob& k = knobs[below(knobs.size())];
  switch (k.kind) {
    case KnobKind::choice:
    case KnobKind::boolean: {
      const auto value = k.values[below(k.values.size())];
      if (value != "cpus" && value != "single") k.set(s, value);
      break;
    }
    case KnobKind::size:
      k.set(s, std::to_string(4096ull << below(9)));
      break;
    case KnobKind::number:
      k.set(s, std::to_string(1 + below(3)));
      break;
    case KnobKind::cpu:
      k.set(s, "0");
      break;
  }
  s.pipe.single_step = s.pipe.single_step && s.pipe.slow_motion;  // nobody makes them
  if (s.pipe.check_huge_page) s.pipe.touch_pages = true;
}

constexpr uint64_t kChangeEvery_ns = 20'000'000;

// A longer soak than the usual one can be asked for.
uint64_t random_changes_ns() {
  const char* seconds = std::getenv("PIPETOP_TOGGLE_SECONDS");
  return (seconds ? std::strtoull(seconds, nullptr, 10) : is_thorough() ? 20 : 5) * 1'000'000'000;
}

// Every 20 ms of served events a change, with data flowing in between: hundreds, or a thousand,
// where we get a CPU as often. Changes come whether or not the one before has settled.
// `single` alone may damage pages.
TEST_F(EngineTest, RandomChangesLoseNothing) {
  std::mt19937 random(20260120);
  Settings s = stamped();
  start(s);
  for (const uint64_t end_ns = monotonic_ns() + random_changes_ns(); monotonic_ns() < end_ns;) {
    turn_random_knob(s, random);
    engine->apply(s, "random");
    const uint64_t until_ns = monotonic_ns() + kChangeEvery_ns;
    until([&](const Snapshot&) { return monotonic_ns() >= until_ns; });
  }
  s.pipe.read_with = ReadWith::read;
  s.pipe.payload = Payload::stamped;
  s.pipe.writer_wait = s.pipe.reader_wait = Wait::block;
  s.pipe.slow_motion = s.pipe.single_step = false;
  engine->apply(s, "end");
  const Snapshot end = flow(64 << 20);
  expect_no_damage(end);
  EXPECT_EQ(writer(end).restarts + reader(end).restarts, 0u);
}

class HazardTest : public EngineTest {
 protected:
  // A page is torn while both run, which takes two CPUs. On one, the writer has overwritten all
  // that it lent by the time the reader runs.
  void expect_damage_until_safe() {
    const bool can_tear = read_topology().size() > 1;
    const Snapshot s = until([can_tear](const Snapshot& t) {
      return t.integrity.has_value() && t.integrity->torn_per_s.has_value() &&
             (!can_tear || *t.integrity->torn_per_s > 0) && *t.integrity->misplaced_per_s > 0;
    });
    EXPECT_EQ(s.integrity->unstamped, 0u);
    Settings safe = s.requested;
    safe.pipe.buffers = Buffers::separate;
    engine->apply(safe, "safe");
    until([](const Snapshot& t) {
      return t.effective.settled && t.integrity->torn_per_s.has_value() &&
             *t.integrity->torn_per_s == 0 && *t.integrity->misplaced_per_s == 0;
    });
  }
};

TEST_F(HazardTest, TearsPages) {
  Settings hazard = find_preset(built_in_presets(), "hazard")->settings;
  start(hazard);
  expect_damage_until_safe();
  hazard.pipe.write_with = WriteWith::splice;
  start(hazard);
  expect_damage_until_safe();
}

TEST_F(EngineTest, NobodyVerifiesWhatGoesToDevNull) {
  Settings s = find_preset(built_in_presets(), "hazard")->settings;
  s.pipe.read_with = ReadWith::splice;
  start(s);
  const Snapshot after = flow();
  EXPECT_EQ(after.integrity.status, ReadingStatus::unavailable);
  EXPECT_TRUE(after.integrity.reason.starts_with("unverifiable: nobody reads the bytes"));
}

}  // namespace
}  // namespace pipetop
