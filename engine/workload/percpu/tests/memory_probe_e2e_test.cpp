#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/workload/percpu/memory_probe.h"
#include "engine/workload/percpu/tests/network_fixture.h"

namespace pipetop::percpu {
namespace {

class MemoryProbeTest : public NetworkTest {};

bool always() { return true; }

// Three counters a rule and CPU: bytes and packets, the same of hardware, and the
// queue's: 16, 16 and 20 bytes. Where they lie in pages costs something too.
TEST_F(MemoryProbeTest, CountersTakePerCpuMemoryAndOneSetTakesNone) {
  in_private_network(As::caller, [](const PrivateNetwork& network) {
    TcActions actions(network.device);
    const double cpus = static_cast<double>(sysconf(_SC_NPROCESSORS_CONF));
    const auto with = measure_memory_per_rule(actions, kPercpu, always);
    const auto without = measure_memory_per_rule(actions, kNoPercpu, always);
    ASSERT_TRUE(with.has_value()) << with.reason;
    ASSERT_TRUE(without.has_value()) << without.reason;
    EXPECT_GT(with->percpu_bytes, 40 * cpus);
    EXPECT_LT(with->percpu_bytes, 90 * cpus);
    EXPECT_LT(without->percpu_bytes, 10 * cpus);
    EXPECT_GT(with->slab_bytes, 0);
    EXPECT_GT(without->slab_bytes, 0);
    EXPECT_TRUE(actions.list(ActionKind::mirred).empty());
  });
}

TEST_F(MemoryProbeTest, EndsWhenItIsNoLongerAsked) {
  in_private_network(As::caller, [](const PrivateNetwork& network) {
    TcActions actions(network.device);
    int asked = 0;
    const auto memory = measure_memory_per_rule(actions, kPercpu, [&] { return ++asked < 3; });
    EXPECT_EQ(memory.status, ReadingStatus::warming);
    EXPECT_NE(memory.reason, "");
    EXPECT_TRUE(actions.list(ActionKind::mirred).empty());
  });
}

}  // namespace
}  // namespace pipetop::percpu
