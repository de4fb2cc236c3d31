#include "engine/workload/percpu/kernel_memory.h"

#include <gtest/gtest.h>

namespace pipetop::percpu {
namespace {

TEST(KernelMemory, ReadsThePerCpuPagesAndTheSlabs) {
  const auto memory = parse_kernel_memory(
      "Slab:             310820 kB\n"
      "SReclaimable:     268248 kB\n"
      "SUnreclaim:        42572 kB\n"
      "VmallocUsed:       14268 kB\n"
      "Percpu:              784 kB\n");
  ASSERT_TRUE(memory.has_value());
  EXPECT_EQ(memory->percpu_bytes, 784u * 1024);
  EXPECT_EQ(memory->slab_bytes, 42572u * 1024);
}

TEST(KernelMemory, IsUnavailableRatherThanZero) {
  const auto memory = parse_kernel_memory("Slab: 310820 kB\nSUnreclaim: 42572 kB\n");
  EXPECT_EQ(memory.status, ReadingStatus::unavailable);
  EXPECT_NE(memory.reason.find("Percpu"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::percpu
