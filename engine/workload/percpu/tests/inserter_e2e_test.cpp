#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/workload/percpu/insert_worker.h"
#include "engine/workload/percpu/tests/attributes.h"
#include "engine/workload/percpu/tests/network_fixture.h"

namespace pipetop::percpu {
namespace {

class InserterTest : public NetworkTest {};

TEST_F(InserterTest, FillsAndBeginsAgain) {
  in_private_network(As::caller, [](unsigned device) {
    TcActions actions(device);
    Inserter inserter(actions, {.rule = kPercpu, .batch = 40, .count = 100});
    EXPECT_EQ(inserter.insert_some().rules, 40u);
    EXPECT_EQ(inserter.insert_some().rules, 40u);
    EXPECT_FALSE(inserter.full());
    const InsertStep last = inserter.insert_some();
    EXPECT_EQ(last.rules, 20u);
    EXPECT_GT(last.inserting_ns, 0u);
    EXPECT_TRUE(inserter.full());
    EXPECT_EQ(list_actions(Profile::mirred).size(), 100u);
    EXPECT_EQ(inserter.insert_some().rules, 40u);
    EXPECT_EQ(inserter.rules_in(), 40u);
    EXPECT_EQ(list_actions(Profile::mirred).size(), 40u);
  });
}

TEST_F(InserterTest, ChangesBetweenBatches) {
  in_private_network(As::caller, [](unsigned device) {
    TcActions actions(device);
    Inserter inserter(actions, {.rule = kPercpu, .batch = 10, .count = 100});
    inserter.insert_some();
    inserter.change({.rule = kPercpu, .batch = 5, .count = 100});
    EXPECT_EQ(inserter.insert_some().rules, 5u);
    EXPECT_EQ(list_actions(Profile::mirred).size(), 15u);
    // Fewer than are in: the next batch begins again.
    inserter.change({.rule = kPercpu, .batch = 5, .count = 15});
    EXPECT_TRUE(inserter.full());
    inserter.insert_some();
    EXPECT_EQ(list_actions(Profile::mirred).size(), 5u);
    inserter.change({.rule = {.kind = Profile::gact}, .batch = 5, .count = 15});
    EXPECT_TRUE(list_actions(Profile::mirred).empty());
  });
}

TEST_F(InserterTest, RulesThatAreInAreAlike) {
  in_private_network(As::caller, [](unsigned device) {
    TcActions actions(device);
    Inserter inserter(actions, {.rule = kPercpu, .batch = 10, .count = 100});
    inserter.insert_some();
    inserter.change({.rule = kNoPercpu, .batch = 10, .count = 100});
    EXPECT_EQ(inserter.rules_in(), 0u);
    inserter.insert_some();
    const auto listed = list_actions(Profile::mirred);
    EXPECT_EQ(listed.size(), 10u);
    for (const ListedAction& action : listed) EXPECT_TRUE(action.no_percpu);
  });
}

TEST_F(InserterTest, ARefusalIsAnErrorAndLeavesNoRule) {
  if (geteuid() != 0) GTEST_SKIP() << "filters share a taken index; run as root";
  in_private_network(As::caller, [](unsigned device) {
    TcActions actions(device);
    actions.insert(kPercpu, 15, 1);
    Inserter inserter(actions, {.rule = kPercpu, .batch = 10, .count = 100});
    inserter.insert_some();
    EXPECT_THROW(inserter.insert_some(), Error);
    EXPECT_EQ(inserter.rules_in(), 0u);
    EXPECT_TRUE(list_actions(Profile::mirred).empty());
  });
}

}  // namespace
}  // namespace pipetop::percpu
