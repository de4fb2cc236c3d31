#include "engine/watch/until_condition.h"

#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/base/error.h"

namespace pipetop {
namespace {

using Quantity = UntilCondition::Quantity;

Pipeline pipeline(double full, std::optional<double> rate = {}) {
  Pipeline p;
  p.stages.resize(2);
  p.stages[0].name = "yes";
  p.stages[1].name = "gzip";
  Pipe pipe;
  pipe.id = {15, 7};
  pipe.writers = {{.end = {}, .stage = 0, .active = true, .bytes = {}}};
  pipe.readers = {{.end = {}, .stage = 1, .active = true, .bytes = {}}};
  pipe.level = Reading<RingLevel>::of({full, 1 - full, full, 100});
  if (rate) pipe.bytes_per_s = Reading<double>::of(*rate);
  p.pipes.push_back(pipe);
  return p;
}

TEST(UntilCondition, IsAsPeopleWriteIt) {
  const UntilCondition full = parse_until("full > 90 % for 30s");
  EXPECT_EQ(full.quantity, Quantity::full);
  EXPECT_TRUE(full.above);
  EXPECT_EQ(full.value, 0.9);
  EXPECT_EQ(full.for_ns, 30 * kSecond);
  const UntilCondition rate = parse_until("rate<10MiB/s");
  EXPECT_EQ(rate.quantity, Quantity::rate);
  EXPECT_FALSE(rate.above);
  EXPECT_EQ(rate.value, 10 << 20);
  EXPECT_EQ(rate.for_ns, 0u);
  EXPECT_EQ(parse_until("queued > 64KiB for 500ms").for_ns, 500 * kMs);
  EXPECT_NEAR(parse_until("rate < 2.2MiB").value, 2.2 * (1 << 20), 1e-6) << "no whole bytes";
  EXPECT_EQ(parse_until("rate < 0.5/s").value, 0.5);
  EXPECT_NEAR(parse_until("queued > 2.2KiB").value, 2252.8, 1e-6);
  for (const char* bad : {"", "full", "full > 90", "full > 900 %", "full = 9 %", "fill > 9 %",
                          "rate > 9 %", "full > % for 3s", "full > 90 % for ever", "> 3 %",
                          "full > 100 %", "empty < 0 %", "used < 101 %"})
    EXPECT_THROW(parse_until(bad), Error) << bad;
  for (const char* good : {"full > 0 %", "empty < 100 %", "used > 99.5 %"})
    EXPECT_NO_THROW(parse_until(good)) << good;
}

TEST(UntilCondition, IsMetAfterItsTimeWithoutABreak) {
  UntilWatch watch(parse_until("full > 90 % for 3s"));
  uint64_t now_ns = 100 * kSecond;
  const auto look = [&](double full) { return watch.add(now_ns += kSecond, pipeline(full)); };
  EXPECT_FALSE(look(0.95));
  EXPECT_FALSE(look(1));
  EXPECT_FALSE(look(0.9)) << "not above";
  EXPECT_FALSE(look(0.93));
  EXPECT_FALSE(look(0.97));
  EXPECT_FALSE(look(0.99));
  EXPECT_EQ(look(0.95), "yes -> gzip: full 93 % to 99 % for 3.0 s");
}

TEST(UntilCondition, WhatIsNotKnownMeetsNothing) {
  UntilWatch watch(parse_until("queued < 1MiB"));
  Pipeline p = pipeline(1);
  EXPECT_FALSE(watch.add(1, p));
  p.pipes[0].queued = 0;
  EXPECT_EQ(watch.add(2, p), "yes -> gzip: queued 0 B");
  p.pipes[0].closed = true;
  EXPECT_FALSE(watch.add(3, p));
}

// Looked at ten times a second.
class UntilRate : public testing::Test {
 protected:
  // After so many tenths of a second in which `bytes` moved each, and `lump` in each `every`th.
  bool goes_on(int tenths, double bytes, double lump = 0, int every = 1) {
    bool met = false;
    for (int i = 1; i <= tenths; ++i) {
      const double moved = bytes + (i % every == 0 ? lump : 0);
      pipeline_.pipes[0].rates.push_back({at_ns_ += kSecond / 10, moved * 10});
      met = watch_.add(at_ns_, pipeline_).has_value() || met;
    }
    return met;
  }
  void expect(const char* condition) { watch_ = UntilWatch(parse_until(condition)); }

  Pipeline pipeline_ = pipeline(1, 1);

 private:
  uint64_t at_ns_ = kSecond;
  UntilWatch watch_{parse_until("rate < 1MiB")};
};

TEST_F(UntilRate, NothingIsKnownOfLessThanASecond) {
  EXPECT_FALSE(goes_on(10, 0));
  EXPECT_TRUE(goes_on(1, 0));
}

TEST_F(UntilRate, WhatIsNotKnownIsNotSlow) {
  pipeline_.pipes[0].bytes_per_s = Reading<double>::warming("data moves");
  EXPECT_FALSE(goes_on(100, 0));
}

TEST_F(UntilRate, LargeWritesAreNoPauses) {
  expect("rate < 1400KiB");
  EXPECT_FALSE(goes_on(200, 0, 1 << 20, 5)) << "2 MiB/s, in writes of 1 MiB";
  goes_on(20, 0, 4 << 20, 20);  // that they are so large only the first one tells
  EXPECT_FALSE(goes_on(400, 0, 4 << 20, 20)) << "of 4 MiB";
  EXPECT_TRUE(goes_on(80, 0, 1 << 20, 10)) << "1 MiB/s";
  expect("rate > 2500KiB");
  EXPECT_FALSE(goes_on(400, 0, 1 << 20, 5));
  EXPECT_TRUE(goes_on(80, 0, 1 << 20, 3)) << "3.3 MiB/s";
}

TEST_F(UntilRate, AStepIsSeenAfterASecond) {
  expect("rate < 100MiB");
  EXPECT_FALSE(goes_on(200, 20 << 20));
  EXPECT_TRUE(goes_on(12, 1 << 20));
  expect("rate < 1MiB");
  EXPECT_FALSE(goes_on(50, 20 << 20));
  EXPECT_TRUE(goes_on(12, 0)) << "it has stopped";
  expect("rate > 10MiB");
  EXPECT_FALSE(goes_on(50, 0.5e6));
  EXPECT_TRUE(goes_on(12, 2 << 20));
}

TEST_F(UntilRate, AnEstimateHasToMeetItInAllOfItsRange) {
  pipeline_.pipes[0].range = EstimateRange{0.5, 1.5};
  expect("rate > 10MiB");
  EXPECT_FALSE(goes_on(200, 1.8 * (1 << 20)));
  EXPECT_TRUE(goes_on(20, 2.2 * (1 << 20)));
}

}  // namespace
}  // namespace pipetop
