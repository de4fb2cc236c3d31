#include "engine/workload/percpu/tc_actions.h"

#include <gtest/gtest.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_gact.h>
#include <linux/tc_act/tc_mirred.h>

#include <array>

#include "engine/workload/percpu/tests/attributes.h"

namespace pipetop::percpu {
namespace {

class RuleMessages : public testing::Test {
 protected:
  void TearDown() override {
    for (size_t i = kMessageRoom; i < room_.size(); ++i) EXPECT_EQ(room_[i], 0) << "overrun";
  }
  void* at() { return room_.data(); }

 private:
  alignas(4) std::array<char, 2 * kMessageRoom> room_ = {};
};

TEST_F(RuleMessages, AMirredActionRedirectsToTheDevice) {
  const nlmsghdr* message = put_new_action(at(), {.shape = {}, .index = 77, .device = 3});
  EXPECT_EQ(message->nlmsg_type, RTM_NEWACTION);
  EXPECT_EQ(message->nlmsg_flags, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL);
  Attributes action = inside(inside(of_message(message, sizeof(tcamsg))[TCA_ACT_TAB])[1]);
  EXPECT_STREQ(mnl_attr_get_str(action[TCA_ACT_KIND]), "mirred");
  EXPECT_FALSE(action.contains(TCA_ACT_FLAGS));  // as tc sends it without no_percpu
  const auto mirred = value_of<tc_mirred>(inside(action[TCA_ACT_OPTIONS])[TCA_MIRRED_PARMS]);
  EXPECT_EQ(mirred.index, 77u);
  EXPECT_EQ(mirred.ifindex, 3u);
  EXPECT_EQ(mirred.eaction, TCA_EGRESS_REDIR);
  EXPECT_EQ(mirred.action, TC_ACT_STOLEN);
}

TEST_F(RuleMessages, AGactActionDropsAndCarriesTheFlag) {
  const Rule rule{.shape = {.kind = Profile::gact, .no_percpu = true}, .index = 5, .device = 1};
  Attributes action =
      inside(inside(of_message(put_new_action(at(), rule), sizeof(tcamsg))[TCA_ACT_TAB])[1]);
  EXPECT_STREQ(mnl_attr_get_str(action[TCA_ACT_KIND]), "gact");
  const auto flags = value_of<nla_bitfield32>(action[TCA_ACT_FLAGS]);
  EXPECT_EQ(flags.value, 1u);
  EXPECT_EQ(flags.selector, 1u);
  const auto gact = value_of<tc_gact>(inside(action[TCA_ACT_OPTIONS])[TCA_GACT_PARMS]);
  EXPECT_EQ(gact.index, 5u);
  EXPECT_EQ(gact.action, TC_ACT_SHOT);
}

TEST_F(RuleMessages, AFilterHoldsTheAction) {
  const Rule rule{.shape = {.kind = Profile::mirred, .no_percpu = true}, .index = 9, .device = 1};
  const nlmsghdr* message = put_new_filter(at(), 1, {.priority = 2, .node = 4000}, &rule);
  EXPECT_EQ(message->nlmsg_type, RTM_NEWTFILTER);
  const auto* header = static_cast<const tcmsg*>(mnl_nlmsg_get_payload(message));
  EXPECT_EQ(header->tcm_ifindex, 1);
  EXPECT_EQ(header->tcm_parent, 0xffff0000u);
  EXPECT_EQ(header->tcm_handle, 4000u);
  EXPECT_EQ(TC_H_MAJ(header->tcm_info) >> 16, 2u);
  Attributes filter = of_message(message, sizeof(tcmsg));
  EXPECT_STREQ(mnl_attr_get_str(filter[TCA_KIND]), "u32");
  Attributes action = inside(inside(inside(filter[TCA_OPTIONS])[TCA_U32_ACT])[1]);
  EXPECT_STREQ(mnl_attr_get_str(action[TCA_ACT_KIND]), "mirred");
  EXPECT_TRUE(action.contains(TCA_ACT_FLAGS));
}

TEST_F(RuleMessages, AFilterMayBeBare) {
  Attributes filter = of_message(put_new_filter(at(), 1, {}, nullptr), sizeof(tcmsg));
  EXPECT_FALSE(inside(filter[TCA_OPTIONS]).contains(TCA_U32_ACT));
  EXPECT_TRUE(inside(filter[TCA_OPTIONS]).contains(TCA_U32_SEL));
}

TEST_F(RuleMessages, AFlushIsForAllOfAKind) {
  const nlmsghdr* message = put_flush_actions(at(), Profile::gact);
  EXPECT_EQ(message->nlmsg_type, RTM_DELACTION);
  EXPECT_TRUE(message->nlmsg_flags & NLM_F_ROOT);
  Attributes action = inside(inside(of_message(message, sizeof(tcamsg))[TCA_ACT_TAB])[1]);
  EXPECT_STREQ(mnl_attr_get_str(action[TCA_ACT_KIND]), "gact");
}

// The kernel lists actions in the shape in which they were made.
TEST_F(RuleMessages, ActionsAreReadBack) {
  const Rule rule{.shape = {.kind = Profile::mirred, .no_percpu = true}, .index = 8, .device = 1};
  const auto listed = read_actions(put_new_action(at(), rule));
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].index, 8u);
  EXPECT_TRUE(listed[0].no_percpu);
  EXPECT_FALSE(read_actions(put_new_action(at(), {})).at(0).no_percpu);
}

TEST(FilterPlaces, GoDownwardTableByTable) {
  EXPECT_EQ(filter_place(0), (FilterPlace{.priority = 1, .node = 4095}));
  EXPECT_EQ(filter_place(1), (FilterPlace{.priority = 1, .node = 4094}));
  EXPECT_EQ(filter_place(4094), (FilterPlace{.priority = 1, .node = 1}));
  EXPECT_EQ(filter_place(4095), (FilterPlace{.priority = 2, .node = 4095}));
}

}  // namespace
}  // namespace pipetop::percpu
