#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/engine_fixture.h"

namespace pipetop {
namespace {

class SegmentsBpfTest : public EngineTest {
 protected:
  // A segment as it is after so many samples.
  Segment observed(uint64_t samples) {
    Segment segment;
    until([&](const Snapshot&) {
      segment = engine->segment();
      const auto& functions = segment.role(Role::writer).functions;
      return functions.status == ReadingStatus::unavailable ||
             (functions.has_value() && functions->samples >= samples && segment.kinds.has_value() &&
              segment.occupancy.has_value());
    });
    return segment;
  }
};

bool runs(const Segment& segment, Role role, const std::string& function) {
  for (const FunctionRow& row : segment.role(role).functions->rows())
    if (row.name == function) return true;
  return false;
}

double share_of(const Segment& segment, SlotKind kind) {
  return (*segment.kinds)[static_cast<size_t>(kind)];
}

class MeasuredSegments : public SegmentsBpfTest {};

TEST_F(MeasuredSegments, AClosedOneHasFunctionsOccupancyAndKindsOfItsOwn) {
  Settings s;
  s.pipe.writer_wait = s.pipe.reader_wait = Wait::busy;
  start(s, BpfUse::automatic);
  const Segment first = observed(300);
  PIPETOP_NEED(first.role(Role::writer).functions);
  s.pipe.write_with = WriteWith::vmsplice;
  engine->apply(s, "write_with vmsplice", "v");
  observed(300);
  engine->begin_segment("end");
  const auto closed = engine->tick().throughput.segments;
  ASSERT_EQ(closed.size(), 2u);
  const Segment &copied = *closed[0], &lent = *closed[1];
  EXPECT_TRUE(runs(copied, Role::writer, "vfs_write"));
  EXPECT_FALSE(runs(lent, Role::writer, "vfs_write"));
  EXPECT_GE(lent.role(Role::writer).functions->samples, 300u);
  EXPECT_GT(share_of(copied, SlotKind::copy), 0.9);
  EXPECT_GT(share_of(lent, SlotKind::user_page), 0.5);
  EXPECT_TRUE(lent.occupancy->source.starts_with("switches, ")) << lent.occupancy->source;
}

TEST_F(SegmentsBpfTest, NobodyLooksWhileWeAreSuspended) {
  start({}, BpfUse::automatic);
  const Segment first = observed(10);
  PIPETOP_NEED(first.role(Role::writer).functions);
  engine->suspend();
  const uint64_t looks = engine->segment().occupancy->samples;
  const uint64_t from = monotonic_ns();
  until([&](const Snapshot&) { return monotonic_ns() >= from + 500'000'000; });
  // A tick that was under way may still have counted, on each CPU.
  const uint64_t after = engine->segment().occupancy->samples;
  EXPECT_LE(after, looks + 64);
  engine->resume();
  until([&](const Snapshot&) { return engine->segment().occupancy->samples > after; });
}

}  // namespace
}  // namespace pipetop
