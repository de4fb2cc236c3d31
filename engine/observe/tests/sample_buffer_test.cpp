#include <gtest/gtest.h>

#include <bit>

#include "bpf/sampler.h"
#include "engine/observe/perf_events.h"

namespace pipetop::observe {
namespace {

// The bytes that so many CPUs write in the tenth of a second between two drains.
uint64_t written(uint32_t hz, size_t cpus) { return cpus * hz * sizeof(sampler_sample) / 10; }

TEST(SampleBuffer, HoldsTheDeepestStacksOfAllCpus) {
  for (const size_t cpus : {1, 2, 10, 64, 170, 256})
    for (const uint32_t hz : {49u, 999u, 2'000u})
      EXPECT_GE(sample_buffer_bytes(hz, cpus), written(hz, cpus)) << cpus << " CPUs, " << hz;
}

TEST(SampleBuffer, HasASizeThatTheKernelTakes) {
  const auto page = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
  for (const size_t cpus : {1, 3, 100, 8192}) {
    EXPECT_TRUE(std::has_single_bit(sample_buffer_bytes(999, cpus))) << cpus;
    EXPECT_GE(sample_buffer_bytes(1, cpus), page) << cpus;
  }
  EXPECT_LE(sample_buffer_bytes(100'000, 8192), 64u << 20);
}

TEST(SampleBuffer, OfTwoCpusIsAsSmallAsBefore) {
  EXPECT_EQ(sample_buffer_bytes(999, 2), 256u << 10);
}

}  // namespace
}  // namespace pipetop::observe
