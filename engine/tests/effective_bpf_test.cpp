// What the slots of the ring say of the technique in effect.
#include <gtest/gtest.h>
#include <poll.h>

#include "engine/engine.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

TEST(EffectiveTechnique, IsSeenInTheRing) {
  EngineOptions options;
  options.settings.pipe.write_with = WriteWith::vmsplice;
  Engine engine(options);
  Snapshot s;
  const auto comes_to = [&](const std::function<bool()>& done) {
    return eventually([&] {
      engine.handle_events();
      s = engine.tick();
      return done();
    });
  };
  const auto seen = [&] { return s.ring.kinds.has_value() && s.effective.settled; };
  ASSERT_TRUE(
      comes_to([&] { return seen() || s.ring.kinds.status == ReadingStatus::unavailable; }));
  PIPETOP_NEED(s.ring.kinds);
  EXPECT_TRUE(comes_to([&] {
    return s.effective.pipe.zero_copy_reason.find("seen in the ring") != std::string::npos;
  })) << s.effective.pipe.zero_copy_reason;
  EXPECT_EQ(s.effective.pipe.zero_copy, ZeroCopy::zero_copy);

  // Copies are in the ring when the writer begins to lend pages again; they must
  // not be taken for vmsplice's. In slow motion they lie there for long.
  Settings copies;
  copies.pipe.slow_motion = true;
  engine.apply(copies, "write");
  ASSERT_TRUE(comes_to([&] { return seen() && s.ring.frame->used > 2; }));
  EXPECT_EQ(s.effective.pipe.zero_copy, ZeroCopy::copied);
  Settings lent = copies;
  lent.pipe.write_with = WriteWith::vmsplice;
  engine.apply(lent, "vmsplice");
  bool copied = false;
  EXPECT_TRUE(comes_to([&] {
    copied |= s.effective.pipe.zero_copy != ZeroCopy::zero_copy;
    return s.effective.pipe.zero_copy_reason.find("seen in the ring") != std::string::npos;
  })) << s.effective.pipe.zero_copy_reason;
  EXPECT_FALSE(copied);
}

// What the slots hold, and what it is called.
void expect_kind(const Settings& settings, SlotKind kind, ZeroCopy zero_copy) {
  EngineOptions options;
  options.settings = settings;
  Engine engine(options);
  Snapshot s;
  const auto comes_to = [&](const std::function<bool()>& done) {
    return eventually([&] {
      engine.handle_events();
      s = engine.tick();
      return done();
    });
  };
  ASSERT_TRUE(comes_to([&] {
    return s.ring.kinds.status == ReadingStatus::unavailable ||
           s.effective.pipe.zero_copy_reason.find("seen in the ring") != std::string::npos ||
           (s.effective.settings.pipe.write_with == WriteWith::write && s.ring.kinds.has_value());
  })) << s.effective.pipe.zero_copy_reason;
  PIPETOP_NEED(s.ring.kinds);
  EXPECT_GT((*s.ring.kinds)[static_cast<size_t>(kind)], 0.99) << to_text(settings.pipe.write_with);
  EXPECT_EQ(s.effective.pipe.zero_copy, zero_copy);
}

TEST(EffectiveTechnique, EachHasItsKindOfSlot) {
  for (const Payload payload : {Payload::constant, Payload::stamped}) {
    Settings s;
    s.pipe.payload = payload;
    expect_kind(s, SlotKind::copy, ZeroCopy::copied);
    s.pipe.write_with = WriteWith::tee;
    expect_kind(s, SlotKind::user_page, ZeroCopy::zero_copy);
    s.pipe.write_with = WriteWith::splice;
    expect_kind(s, SlotKind::page_cache, ZeroCopy::zero_copy);
  }
}

}  // namespace
}  // namespace pipetop
