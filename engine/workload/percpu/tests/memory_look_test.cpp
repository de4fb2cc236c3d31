#include "engine/workload/percpu/memory_look.h"

#include <gtest/gtest.h>

namespace pipetop::percpu {
namespace {

TEST(MemoryLook, ReadsThePerCpuPagesAndTheSlabs) {
  const auto look = parse_memory_look(
      "Slab:             310820 kB\n"
      "SReclaimable:     268248 kB\n"
      "SUnreclaim:        42572 kB\n"
      "VmallocUsed:       14268 kB\n"
      "Percpu:              784 kB\n");
  ASSERT_TRUE(look.has_value());
  EXPECT_EQ(look->percpu_bytes, 784u * 1024);
  EXPECT_EQ(look->slab_bytes, 42572u * 1024);
}

TEST(MemoryLook, IsUnavailableRatherThanZero) {
  const auto look = parse_memory_look("Slab: 310820 kB\nSUnreclaim: 42572 kB\n");
  EXPECT_EQ(look.status, ReadingStatus::unavailable);
  EXPECT_NE(look.reason.find("Percpu"), std::string::npos);
}

TEST(GrowthPerRule, BeginsWhereKeptPagesAreUsedUp) {
  GrowthPerRule growth;
  EXPECT_FALSE(growth.bytes_per_rule());
  growth.add(0, 5000);  // still being given back
  growth.add(100, 4000);
  growth.add(200, 4000);
  EXPECT_FALSE(growth.bytes_per_rule());  // unknown, and not 0
  growth.add(300, 9000);
  EXPECT_DOUBLE_EQ(growth.bytes_per_rule().value(), 50);
  growth.add(400, 14000);
  EXPECT_DOUBLE_EQ(growth.bytes_per_rule().value(), 50);
}

TEST(GrowthPerRule, BeginsAnewWithFewerRules) {
  GrowthPerRule growth;
  growth.add(0, 1000);
  growth.add(100, 9000);
  growth.add(10, 9000);
  EXPECT_FALSE(growth.bytes_per_rule());
  growth.add(20, 9100);
  EXPECT_DOUBLE_EQ(growth.bytes_per_rule().value(), 10);
}

TEST(GrowthPerRule, IsNotMovedByOnePageAtTheEnd) {
  GrowthPerRule growth;
  for (uint64_t rules = 0; rules < 30'000; rules += 100) growth.add(rules, 1'000'000);
  growth.add(30'000, 1'004'096);
  EXPECT_LT(growth.bytes_per_rule().value(), 1);
}

}  // namespace
}  // namespace pipetop::percpu
