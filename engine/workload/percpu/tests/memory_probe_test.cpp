#include "engine/workload/percpu/memory_probe.h"

#include <gtest/gtest.h>

#include <vector>

namespace pipetop::percpu {
namespace {

double typical(const std::vector<double>& steps) { return typical_step(steps); }

TEST(TypicalStep, IsTheMeanOfUnevenSteps) {
  EXPECT_DOUBLE_EQ(typical({100, 100, 130, 130}), 115);
  EXPECT_DOUBLE_EQ(typical({7}), 7);
}

TEST(TypicalStep, LeavesOutWhatOthersDid) {
  EXPECT_DOUBLE_EQ(typical({100, 900, 100, 100, -4000}), 100);
  EXPECT_DOUBLE_EQ(typical({0, 0, 0, 8, 0}), 0);
  EXPECT_DOUBLE_EQ(typical({300, 100, 120, 400, 250, 900}), 110);
}

TEST(IsSteady, WhenBothHalvesAreAlike) {
  EXPECT_TRUE(is_steady(std::vector<double>{132, 99, 132, 132, 99, 132}));
  EXPECT_TRUE(is_steady(std::vector<double>{0, 0, 0, 0}));
  EXPECT_FALSE(is_steady(std::vector<double>{132, 132, 230, 250}));
  EXPECT_FALSE(is_steady(std::vector<double>{0, 0, 8, 8}));
}

TEST(TypicalStep, ShowsThatMoreWasGivenBackThanTaken) { EXPECT_LT(typical({-5, -9, 3}), 0); }

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
