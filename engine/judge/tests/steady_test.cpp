#include "engine/judge/steady.h"

#include <gtest/gtest.h>

namespace pipetop {
namespace {

constexpr uint64_t kLook_ns = 200'000'000;

Reading<Verdict> of(Bound bound, const char* because = "") {
  return Reading<Verdict>::of({bound, because});
}
Reading<Verdict> none() { return Reading<Verdict>::unavailable("no single bottleneck"); }

struct SteadyVerdictTest : testing::Test {
  SteadyVerdict steady;
  uint64_t now_ns = 1'000'000'000;

  // Looks, one every 200 ms, that all judge the same.
  void look(const Reading<Verdict>& judged, int looks = 1) {
    for (; looks > 0; --looks) steady.add(now_ns += kLook_ns, judged);
  }
  void expect(Bound bound) {
    ASSERT_TRUE(steady.shown().has_value()) << steady.shown().reason;
    EXPECT_EQ(steady.shown()->bound, bound);
  }
};

TEST_F(SteadyVerdictTest, TheFirstOneIsShownAtOnce) {
  EXPECT_EQ(steady.shown().status, ReadingStatus::warming);
  look(none());
  EXPECT_EQ(steady.shown().reason, "no single bottleneck");
  look(of(Bound::lock));
  expect(Bound::lock);
}

TEST_F(SteadyVerdictTest, TheSameOneBringsNewNumbers) {
  look(of(Bound::lock, "38 %"));
  look(of(Bound::lock, "39 %"));
  EXPECT_EQ(steady.shown()->because, "39 %");
}

TEST_F(SteadyVerdictTest, AnotherOneHasToLastASecond) {
  look(of(Bound::lock));
  look(of(Bound::wakeup), 5);
  expect(Bound::lock);
  look(of(Bound::wakeup));
  expect(Bound::wakeup);
}

TEST_F(SteadyVerdictTest, SoHasNone) {
  look(of(Bound::lock));
  look(none(), 5);
  expect(Bound::lock);
  look(none());
  EXPECT_FALSE(steady.shown().has_value());
}

TEST_F(SteadyVerdictTest, ABreakBeginsTheSecondAnew) {
  look(of(Bound::lock));
  for (int i = 0; i < 10; ++i) {
    look(of(Bound::wakeup), 5);
    look(of(Bound::lock));
    expect(Bound::lock);
  }
}

TEST_F(SteadyVerdictTest, RivalsThatDisagreeDoNotAddUp) {
  look(of(Bound::lock));
  for (int i = 0; i < 2; ++i) {
    look(of(Bound::wakeup), 3);
    look(none(), 3);
    expect(Bound::lock);
  }
}

TEST_F(SteadyVerdictTest, RivalsThatDisagreeEndOneThatIsNeverJudged) {
  look(of(Bound::lock));
  for (int i = 0; i < 7; ++i) {
    look(of(Bound::wakeup));
    look(none());
    expect(Bound::lock);
  }
  look(none());
  EXPECT_FALSE(steady.shown().has_value());
}

TEST_F(SteadyVerdictTest, ARestartForgets) {
  look(of(Bound::lock));
  look(of(Bound::wakeup), 5);
  steady.restart();
  EXPECT_EQ(steady.shown().status, ReadingStatus::warming);
  look(of(Bound::cpu));
  look(of(Bound::wakeup), 5);
  expect(Bound::cpu);
}

}  // namespace
}  // namespace pipetop
