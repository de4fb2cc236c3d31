#include <gtest/gtest.h>

#include "engine/observe/sampler.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/process/placement.h"

namespace pipetop::observe {
namespace {

TEST(CounterCost, IsMeasuredForOneAndForAllCpus) {
  const auto percpu = measure_counter_cost(BpfCounters::percpu);
  const auto shared = measure_counter_cost(BpfCounters::shared);
  PIPETOP_NEED(percpu);
  for (const auto& cost : {percpu, shared}) {
    ASSERT_TRUE(cost.has_value());
    EXPECT_EQ(cost->ns_by_cpus.begin()->first, 1u);
    EXPECT_EQ(cost->ns_by_cpus.rbegin()->first, read_topology().size());
    for (const auto& [cpus, ns] : cost->ns_by_cpus) EXPECT_GT(ns, 0) << cpus;
  }
  EXPECT_GT(shared->bytes, 0u);
  EXPECT_GE(percpu->bytes, shared->bytes);
}

}  // namespace
}  // namespace pipetop::observe
