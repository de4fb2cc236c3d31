#include "engine/judge/steady.h"

#include <gtest/gtest.h>

namespace pipetop {
namespace {

constexpr uint64_t kLook_ns = 200'000'000;

Reading<Verdict> of(Verdict::Kind kind, const char* because = "") {
  return Reading<Verdict>::of({kind, because});
}
Reading<Verdict> none() { return Reading<Verdict>::unavailable("no single bottleneck"); }

struct SteadyVerdictTest : testing::Test {
  Steady<Reading<Verdict>> steady;
  uint64_t now_ns = 1'000'000'000;

  // Looks, one every 200 ms, that all judge the same.
  void look(const Reading<Verdict>& judged, int looks = 1) {
    for (; looks > 0; --looks) steady.add(now_ns += kLook_ns, judged);
  }
  void expect(Verdict::Kind kind) {
    ASSERT_TRUE(steady.shown().has_value()) << steady.shown().reason;
    EXPECT_EQ(steady.shown()->kind, kind);
  }
};

TEST_F(SteadyVerdictTest, TheFirstOneIsShownAtOnce) {
  EXPECT_EQ(steady.shown().status, ReadingStatus::warming);
  look(none());
  EXPECT_EQ(steady.shown().reason, "no single bottleneck");
  look(of(Verdict::Kind::lock));
  expect(Verdict::Kind::lock);
}

TEST_F(SteadyVerdictTest, TheSameOneBringsNewNumbers) {
  look(of(Verdict::Kind::lock, "38 %"));
  look(of(Verdict::Kind::lock, "39 %"));
  EXPECT_EQ(steady.shown()->because, "39 %");
}

TEST_F(SteadyVerdictTest, AnotherOneHasToLastASecond) {
  look(of(Verdict::Kind::lock));
  look(of(Verdict::Kind::wakeup), 5);
  expect(Verdict::Kind::lock);
  look(of(Verdict::Kind::wakeup));
  expect(Verdict::Kind::wakeup);
}

TEST_F(SteadyVerdictTest, SoHasNone) {
  look(of(Verdict::Kind::lock));
  look(none(), 5);
  expect(Verdict::Kind::lock);
  look(none());
  EXPECT_FALSE(steady.shown().has_value());
}

TEST_F(SteadyVerdictTest, ABreakBeginsTheSecondAnew) {
  look(of(Verdict::Kind::lock));
  for (int i = 0; i < 10; ++i) {
    look(of(Verdict::Kind::wakeup), 5);
    look(of(Verdict::Kind::lock));
    expect(Verdict::Kind::lock);
  }
}

TEST_F(SteadyVerdictTest, RivalsThatDisagreeDoNotAddUp) {
  look(of(Verdict::Kind::lock));
  for (int i = 0; i < 2; ++i) {
    look(of(Verdict::Kind::wakeup), 3);
    look(none(), 3);
    expect(Verdict::Kind::lock);
  }
}

TEST_F(SteadyVerdictTest, RivalsThatDisagreeEndOneThatIsNeverJudged) {
  look(of(Verdict::Kind::lock));
  for (int i = 0; i < 7; ++i) {
    look(of(Verdict::Kind::wakeup));
    look(none());
    expect(Verdict::Kind::lock);
  }
  look(none());
  EXPECT_FALSE(steady.shown().has_value());
}

TEST_F(SteadyVerdictTest, ARestartForgets) {
  look(of(Verdict::Kind::lock));
  look(of(Verdict::Kind::wakeup), 5);
  steady.restart();
  EXPECT_EQ(steady.shown().status, ReadingStatus::warming);
  look(of(Verdict::Kind::cpu));
  look(of(Verdict::Kind::wakeup), 5);
  expect(Verdict::Kind::cpu);
}

TEST(SteadyPipeline, AnotherStageHasToLastASecond) {
  Steady<Verdict> steady;
  const auto blame = [&](uint64_t now_ns, int pid) {
    steady.add(now_ns, {.kind = Verdict::Kind::stage, .stage = ProcessId{pid, 1}});
    return steady.shown().stage->pid;
  };
  EXPECT_EQ(blame(1'000'000'000, 1), 1);
  EXPECT_EQ(blame(1'050'000'000, 2), 1);
  EXPECT_EQ(blame(2'000'000'000, 2), 1);
  EXPECT_EQ(blame(2'050'000'000, 2), 2);
}

}  // namespace
}  // namespace pipetop
