#include <gtest/gtest.h>

#include <set>

#include "engine/base/clock.h"
#include "engine/observe/ticks.h"

namespace pipetop::observe {
namespace {

class Sleeper {
 public:
  // For two seconds.
  bool at(uint64_t sleeps_per_s) {
    for (int i = 0; i < 40; ++i) {
      now_ns_ += 50 * kMs;
      sleeps_ += sleeps_per_s / 20;
      judge_.many(now_ns_, sleeps_);
    }
    return judge_.many();
  }

 private:
  SleepJudge judge_;
  uint64_t now_ns_ = kSecond, sleeps_ = 1'000'000;  // of before
};

TEST(SleepJudge, HasTwoLimits) {
  Sleeper sleeper;
  EXPECT_FALSE(sleeper.at(0));
  EXPECT_FALSE(sleeper.at(900));
  EXPECT_TRUE(sleeper.at(1100));
  EXPECT_TRUE(sleeper.at(600)) << "not back at once";
  EXPECT_FALSE(sleeper.at(400));
  EXPECT_FALSE(sleeper.at(900));
  EXPECT_TRUE(sleeper.at(20'000));
}

TEST(SleepJudge, APauseIsNoTimeWithoutSleeps) {
  SleepJudge judge;
  judge.many(1 * kSecond, 0);
  ASSERT_TRUE(judge.many(2 * kSecond, 5000));
  judge.restart();
  EXPECT_TRUE(judge.many(60 * kSecond, 5000));
  EXPECT_TRUE(judge.many(61 * kSecond, 10'000));
}

struct Found {
  uint64_t seconds = 0, slices = 0, longest_ns = 0, in_slices_ns = 0;
  std::set<uint64_t> begins_ms;  // within their seconds
};

// Calls it every `step_ns` for 200 seconds.
Found follow(uint64_t step_ns) {
  TickSlices slices;
  Found found;
  constexpr uint64_t kBegin = 77 * kSecond;
  uint64_t began_ns = 0;
  for (uint64_t now_ns = kBegin; now_ns < kBegin + 200 * kSecond; now_ns += step_ns) {
    const bool in = slices.in_slice(now_ns);
    if (in && began_ns == 0) {
      began_ns = now_ns;
      ++found.slices;
      found.begins_ms.insert((now_ns - kBegin) % kSecond / kMs);
    }
    if (in) found.in_slices_ns += step_ns;
    if (!in && began_ns != 0) {
      found.longest_ns = std::max(found.longest_ns, now_ns - began_ns);
      began_ns = 0;
    }
  }
  return found;
}

TEST(TickSlices, OneInEachSecondAtARandomTime) {
  for (const uint64_t step_ns : {10 * kMs, 50 * kMs, 100 * kMs}) {
    const Found found = follow(step_ns);
    EXPECT_NEAR(double(found.slices), 200, 1) << step_ns;
    EXPECT_NEAR(double(found.in_slices_ns), 20e9, 2.5e9) << step_ns;
    EXPECT_EQ(found.longest_ns, TickSlices::kSlice_ns - (step_ns < 50 * kMs ? step_ns : 0));
    EXPECT_GE(found.begins_ms.size(), 8u) << step_ns;
    EXPECT_GE(*found.begins_ms.rbegin(), *found.begins_ms.begin() + 600) << step_ns;
  }
}

TEST(TickSlices, AfterAPauseANewSecondBegins) {
  TickSlices slices;
  for (uint64_t now_ns = kSecond; now_ns < 2 * kSecond; now_ns += 50 * kMs) slices.in_slice(now_ns);
  uint64_t in_slices = 0;
  for (uint64_t ms = 0; ms < 1000; ms += 50) in_slices += slices.in_slice(90 * kSecond + ms * kMs);
  EXPECT_EQ(in_slices, 2u);
}

TEST(TickSlices, OutsideOfThemTicksAreRare) {
  TickSlices slices;
  for (uint64_t now_ns = kSecond; now_ns < 9 * kSecond; now_ns += 50 * kMs) {
    const bool in = slices.in_slice(now_ns);
    EXPECT_EQ(slices.rate(now_ns, 499), (TickRate{in ? 499 : TickSlices::kRareHz, false}));
  }
}

}  // namespace
}  // namespace pipetop::observe
