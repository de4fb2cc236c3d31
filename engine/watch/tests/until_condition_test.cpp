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
  UntilWatch watch(parse_until("rate < 1MiB"));
  EXPECT_FALSE(watch.add(1, pipeline(1)));
  EXPECT_EQ(watch.add(2, pipeline(1, 0)), "yes -> gzip: rate 0 B/s");
  Pipeline closed = pipeline(1, 0);
  closed.pipes[0].closed = true;
  EXPECT_FALSE(watch.add(3, closed));
}

}  // namespace
}  // namespace pipetop
