#include <gtest/gtest.h>

#include <array>

#include "engine/experiment/limits_steps.h"

namespace pipetop {
namespace {

constexpr uint64_t kKiB = 1024;

// A call of `call` ns and so many a page.
RingCost ring(uint64_t kib, double vmsplice_call, double vmsplice, double release_call,
              double release) {
  const double pages = double(kib) / 4;
  return {kib * kKiB, vmsplice + vmsplice_call / pages, release + release_call / pages};
}

std::array<RingCost, 4> rings() {
  return {ring(4, 480, 10, 320, 30), ring(64, 480, 10, 320, 30), ring(256, 480, 10, 320, 30),
          ring(1024, 480, 10, 320, 30)};
}

TEST(Roof, OneCpuPaysForTheCallsToo) {
  const Reading<Roof> roof = roof_of(rings());
  ASSERT_TRUE(roof.has_value());
  EXPECT_EQ(roof->one_cpu.ring_bytes, 1024 * kKiB) << "where they are shared by most pages";
  EXPECT_DOUBLE_EQ(roof->one_cpu.ns_per_page, 40 + 800.0 / 256);
}

TEST(Roof, TwoCpusPayForWhatTheMutexForces) {
  const Reading<Roof> roof = roof_of(rings());
  ASSERT_TRUE(roof.has_value());
  EXPECT_NEAR(roof->two_cpus.ns_per_page, 40, 1e-9);
  EXPECT_NEAR(roof->without_mutex.ns_per_page, 30, 1e-9) << "the slower side";
  EXPECT_GE(roof->two_cpus.gib_per_s(), roof->one_cpu.gib_per_s());
  EXPECT_GE(roof->without_mutex.gib_per_s(), roof->two_cpus.gib_per_s());
}

TEST(Roof, IsThatOfTheCheapestRing) {
  auto costs = rings();
  costs[2].release_ns -= 5;
  const Reading<Roof> roof = roof_of(costs);
  EXPECT_EQ(roof->two_cpus.ring_bytes, 256 * kKiB);
  EXPECT_LT(roof->two_cpus.ns_per_page, 40);
}

TEST(Roof, CountsPages) { EXPECT_DOUBLE_EQ((RoofFigure{0, 4096 / 1.073741824}).gib_per_s(), 1); }

TEST(Roof, IsUnknownWithoutRingsOfSeveralSizes) {
  EXPECT_FALSE(roof_of({}).has_value());
  const auto costs = rings();
  const Reading<Roof> roof = roof_of(std::span(costs).first(2));
  EXPECT_EQ(roof.reason, "it needs rings of 64KiB and 256KiB");
}

TEST(Roof, IsUnknownWhenALargeRingSeemsToCostNothing) {
  auto costs = rings();
  costs[3].vmsplice_ns = costs[3].release_ns = 0.1;
  EXPECT_EQ(roof_of(costs).reason, "the machine was too busy to measure it");
}

}  // namespace
}  // namespace pipetop
