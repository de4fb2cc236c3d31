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

}  // namespace
}  // namespace pipetop::percpu
