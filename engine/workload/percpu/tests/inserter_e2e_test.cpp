#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "engine/workload/percpu/inserter.h"
#include "engine/workload/percpu/memory_look.h"
#include "engine/workload/percpu/tests/network_fixture.h"

namespace pipetop::percpu {
namespace {

constexpr RuleShape kPercpu{.kind = ActionKind::mirred, .no_percpu = false};
constexpr RuleShape kNoPercpu{.kind = ActionKind::mirred, .no_percpu = true};

class InserterTest : public NetworkTest {};

TEST_F(InserterTest, FillsAndBeginsAgain) {
  in_private_network(As::caller, [](const PrivateNetwork& network) {
    TcActions actions(network.device);
    Inserter inserter(actions, {.rule = kPercpu, .batch = 40, .count = 100});
    EXPECT_EQ(inserter.insert_some().rules, 40u);
    EXPECT_EQ(inserter.insert_some().rules, 40u);
    EXPECT_FALSE(inserter.full());
    const InsertStep last = inserter.insert_some();
    EXPECT_EQ(last.rules, 20u);
    EXPECT_GT(last.inserting_ns, 0u);
    EXPECT_TRUE(last.refusals.empty());
    EXPECT_TRUE(inserter.full());
    EXPECT_EQ(actions.list(ActionKind::mirred).size(), 100u);
    EXPECT_EQ(inserter.insert_some().rules, 40u);
    EXPECT_EQ(inserter.rules_in(), 40u);
    EXPECT_EQ(actions.list(ActionKind::mirred).size(), 40u);
  });
}

TEST_F(InserterTest, ChangesBetweenBatches) {
  in_private_network(As::caller, [](const PrivateNetwork& network) {
    TcActions actions(network.device);
    Inserter inserter(actions, {.rule = kPercpu, .batch = 10, .count = 100});
    inserter.insert_some();
    EXPECT_TRUE(inserter.uniform());
    inserter.change({.rule = kNoPercpu, .batch = 5, .count = 100});
    EXPECT_FALSE(inserter.uniform());
    EXPECT_EQ(inserter.insert_some().rules, 5u);
    size_t without = 0;
    for (const ListedAction& action : actions.list(ActionKind::mirred)) without += action.no_percpu;
    EXPECT_EQ(without, 5u);
    EXPECT_EQ(inserter.rules_in(), 15u);
    // Fewer than are in: the next batch begins again.
    inserter.change({.rule = kNoPercpu, .batch = 5, .count = 15});
    EXPECT_TRUE(inserter.full());
    inserter.insert_some();
    EXPECT_TRUE(inserter.uniform());
    EXPECT_EQ(actions.list(ActionKind::mirred).size(), 5u);
    inserter.change({.rule = {.kind = ActionKind::gact}, .batch = 5, .count = 15});
    EXPECT_TRUE(actions.list(ActionKind::mirred).empty());
  });
}

// What rules of the shape add to the machine's per-CPU pages, a rule; 0 when nothing.
double percpu_bytes_per_rule(const PrivateNetwork& network, const RuleShape& shape) {
  TcActions actions(network.device);
  Inserter inserter(actions, {.rule = shape, .batch = 100, .count = 60'000});
  GrowthPerRule growth;
  while (!inserter.full()) {
    inserter.insert_some();
    growth.add(inserter.rules_in(), look_at_memory()->percpu_bytes);
  }
  inserter.flush();
  return growth.bytes_per_rule().value_or(0);
}

// Others on the machine take such pages too, but not every time.
double least_percpu_bytes_per_rule(const PrivateNetwork& network, const RuleShape& shape) {
  double least = percpu_bytes_per_rule(network, shape);
  for (int again = 0; again < 2; ++again)
    least = std::min(least, percpu_bytes_per_rule(network, shape));
  return least;
}

// Three counters a rule and CPU: bytes and packets, the same of hardware, and the
// queue's: 16, 16 and 20 bytes. Where they lie in pages costs something too.
TEST_F(InserterTest, PerCpuCountersTakePerCpuMemory) {
  in_private_network(As::caller, [](const PrivateNetwork& network) {
    const double cpus = static_cast<double>(sysconf(_SC_NPROCESSORS_CONF));
    EXPECT_LT(least_percpu_bytes_per_rule(network, kNoPercpu), 10 * cpus);
    const double with = least_percpu_bytes_per_rule(network, kPercpu);
    EXPECT_GT(with, 40 * cpus);
    EXPECT_LT(with, 90 * cpus);
  });
}

}  // namespace
}  // namespace pipetop::percpu
