#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "engine/base/system_files.h"
#include "engine/workload/percpu/tc_actions.h"
#include "engine/workload/percpu/tests/attributes.h"
#include "engine/workload/percpu/tests/network_fixture.h"

namespace pipetop::percpu {
namespace {

uint32_t insert_many(TcActions& actions, const RuleShape& shape, uint32_t rules) {
  uint32_t in = 0;
  for (uint32_t done = 0; done < rules; done += 100)
    in += actions.insert(shape, 1 + done, std::min(100u, rules - done)).rules;
  return in;
}

// 1000 rules can be read back as they were asked for, and are gone after a flush.
void expect_round_trip(TcActions& actions, const RuleShape& shape) {
  EXPECT_EQ(insert_many(actions, shape, 1000), 1000u);
  const auto listed = list_actions(shape.kind);
  EXPECT_EQ(listed.size(), 1000u);
  uint64_t sum = 0;
  for (const ListedAction& action : listed) {
    EXPECT_EQ(action.no_percpu, shape.no_percpu) << action.index;
    sum += action.index;
  }
  EXPECT_EQ(sum, 1000u * 1001 / 2);
  actions.flush(shape.kind);
  EXPECT_TRUE(list_actions(shape.kind).empty());
}

class TcActionsTest : public NetworkTest {};

TEST_F(TcActionsTest, RulesGoInAndOut) {
  in_private_network(As::caller, [](unsigned device) {
    TcActions actions(device);
    expect_round_trip(actions, kPercpu);
    expect_round_trip(actions, kNoPercpu);
  });
}

TEST_F(TcActionsTest, NobodyPutsThemInWithFilters) {
  if (geteuid() != 0) GTEST_SKIP() << "the test above runs without privilege; run as root";
  const std::string why = why_no_private_network(As::nobody);
  if (!why.empty() && !bpf_is_required()) GTEST_SKIP() << why;
  in_private_network(As::nobody, [](unsigned device) {
    EXPECT_TRUE(read_head("/proc/self/setgroups").starts_with("deny"));  // in a user namespace
    EXPECT_EQ(geteuid(), 65534u);
    TcActions actions(device);
    EXPECT_EQ(actions.insert_path(), InsertPath::filter);
    EXPECT_EQ(actions.why_unsupported(Profile::mirred), "");
    expect_round_trip(actions, kPercpu);
    expect_round_trip(actions, kNoPercpu);
    // More than one table of filters.
    EXPECT_EQ(insert_many(actions, kNoPercpu, 9000), 9000u);
    EXPECT_EQ(list_actions(Profile::mirred).size(), 9000u);
  });
}

TEST_F(TcActionsTest, EachRefusalIsSeenAndTheRestGoesIn) {
  if (geteuid() != 0) GTEST_SKIP() << "filters share a taken index; run as root";
  in_private_network(As::caller, [](unsigned device) {
    TcActions actions(device);
    EXPECT_EQ(actions.insert_path(), InsertPath::action);
    EXPECT_EQ(actions.insert(kPercpu, 10, 20).rules, 20u);
    const Insertion overlap = actions.insert(kPercpu, 1, 25);
    EXPECT_EQ(overlap.rules, 9u);
    ASSERT_EQ(overlap.refusals.size(), 16u);
    for (const KernelRefusal& refusal : overlap.refusals)
      EXPECT_EQ(refusal.error_number, EEXIST) << refusal.words;
    EXPECT_EQ(list_actions(Profile::mirred).size(), 29u);
    // All of the greatest batch: that many answers have room.
    actions.flush(Profile::mirred);
    EXPECT_EQ(actions.insert(kNoPercpu, 1, kMaxBatch).rules, kMaxBatch);
    EXPECT_EQ(actions.insert(kNoPercpu, 1, kMaxBatch).refusals.size(), kMaxBatch);
    EXPECT_EQ(actions.insert(kNoPercpu, kMaxBatch + 1, 1).rules, 1u);
  });
}

TEST_F(TcActionsTest, TheKernelsOwnWordsAreKept) {
  if (geteuid() != 0) GTEST_SKIP() << "filters need a device; run as root";
  in_private_network(As::caller, [](unsigned) {
    TcActions actions(0);  // no such device
    const Insertion refused = actions.insert(kPercpu, 1, 1);
    ASSERT_EQ(refused.refusals.size(), 1u);
    EXPECT_EQ(refused.refusals[0].error_number, EINVAL);
    EXPECT_NE(refused.refusals[0].words, "");
  });
}

// Every kind is there or says why it isn't; a kernel without act_gact is usual.
TEST_F(TcActionsTest, AKindIsThereOrSaysWhyNot) {
  in_private_network(As::caller, [](unsigned device) {
    TcActions actions(device);
    EXPECT_EQ(actions.why_unsupported(Profile::mirred), "");
    EXPECT_TRUE(list_actions(Profile::mirred).empty());
    const std::string why = actions.why_unsupported(Profile::gact);
    if (why.empty()) return expect_round_trip(actions, {.kind = Profile::gact});
    EXPECT_NE(why.find("act_gact is not in this kernel; "), std::string::npos) << why;
  });
}

}  // namespace
}  // namespace pipetop::percpu
