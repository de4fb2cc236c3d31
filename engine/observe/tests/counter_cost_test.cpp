#include "engine/observe/counter_cost.h"

#include <gtest/gtest.h>

#include "engine/observe/tests/bpf_fixture.h"
#include "engine/process/placement.h"

namespace pipetop::observe {
namespace {

TEST(CounterCost, IsMeasuredForOneAndForAllCpus) {
  const auto costs = measure_counter_cost();
  PIPETOP_NEED(costs);
  ASSERT_TRUE(costs.has_value());
  EXPECT_EQ(costs->front().cpus, 1);
  EXPECT_EQ(costs->back().cpus, static_cast<int>(read_topology().size()));
  for (const CounterCost& cost : *costs) {
    EXPECT_GT(cost.percpu_ns, 0) << cost.cpus;
    EXPECT_GT(cost.shared_ns, 0) << cost.cpus;
    EXPECT_GT(cost.shared_bytes, 0u);
    EXPECT_GE(cost.percpu_bytes, cost.shared_bytes);
  }
}

}  // namespace
}  // namespace pipetop::observe
