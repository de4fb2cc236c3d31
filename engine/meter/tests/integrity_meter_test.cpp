#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/meter/worker_meters.h"

namespace pipetop {
namespace {

TEST(IntegrityMeter, DamageIsARateOverTheLastSecond) {
  Integrity found;
  IntegrityMeter meter;
  for (uint64_t ms = 0; ms <= 3000; ms += 50) {
    found.verified += 100;
    if (ms > 1000) found.torn += 2;
    if (ms > 2500) found.misplaced += 1;
    meter.sample(ms * kMs, found);
  }
  const Integrity i = meter.describe(found);
  EXPECT_EQ(i.torn, 80u);
  EXPECT_EQ(i.misplaced, 10u);
  EXPECT_DOUBLE_EQ(*i.torn_per_s, 40.0);
  EXPECT_DOUBLE_EQ(*i.misplaced_per_s, 10.0);
  EXPECT_DOUBLE_EQ(*i.wrong_share, 50.0 / 2050.0);
  EXPECT_TRUE(i.damages());
}

TEST(IntegrityMeter, ZeroIsSaidOnlyOfPagesThatWereLookedAt) {
  Integrity found;
  IntegrityMeter meter;
  EXPECT_EQ(meter.describe(found).torn_per_s.status, ReadingStatus::warming);
  for (uint64_t ms = 0; ms <= 2000; ms += 100) meter.sample(ms * kMs, found);
  EXPECT_EQ(meter.describe(found).torn_per_s.status, ReadingStatus::warming);
  found.verified = 1;
  meter.sample(2100 * kMs, found);
  EXPECT_DOUBLE_EQ(*meter.describe(found).torn_per_s, 0.0);
  EXPECT_DOUBLE_EQ(*meter.describe(found).misplaced_per_s, 0.0);
  EXPECT_DOUBLE_EQ(*meter.describe(found).wrong_share, 0.0);
  EXPECT_FALSE(meter.describe(found).damages());
}

// A page each 300 ms, every eighth of them torn.
TEST(IntegrityMeter, FewPagesAreJudgedOverMoreThanASecond) {
  Integrity found;
  IntegrityMeter meter;
  for (uint64_t ms = 300; ms <= 30'000; ms += 300) {
    ++((ms / 300) % 8 == 0 ? found.torn : found.verified);
    meter.sample(ms * kMs, found);
    if (ms < 5000) continue;
    EXPECT_NEAR(*meter.describe(found).wrong_share, 0.125, 0.06) << ms;
  }
  meter.sample(36'000 * kMs, found);
  EXPECT_TRUE(meter.describe(found).damages());
  for (uint64_t ms = 40'300; ms <= 41'000; ms += 100) meter.sample(ms * kMs, found);
  EXPECT_FALSE(meter.describe(found).wrong_share.has_value());  // none for 10 s
}

TEST(IntegrityMeter, AChangeBeginsAnew) {
  Integrity found;
  IntegrityMeter meter;
  meter.sample(0, found);
  found.torn = 5;
  meter.sample(1000 * kMs, found);
  EXPECT_DOUBLE_EQ(*meter.describe(found).torn_per_s, 5.0);
  meter.restart();
  EXPECT_FALSE(meter.describe(found).torn_per_s.has_value());
  EXPECT_EQ(meter.describe(found).torn, 5u);
}

}  // namespace
}  // namespace pipetop
