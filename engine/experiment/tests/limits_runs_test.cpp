#include <gtest/gtest.h>

#include "engine/experiment/limits.h"

namespace pipetop {
namespace {

// [user] 10
// entry 5
//   do_vmsplice 20
//     __mutex_lock 1
//       mutex_spin_on_owner 30
//     gup_fast_fallback 24
//     pipe_wait_writable 2
//       schedule 8
CallTree tree() {
  CallTree tree;
  constexpr uint32_t kRoot = CallNode::kNone;
  tree.nodes = {
      {Function("[user]"), kRoot, 10, 10},          {Function("entry"), kRoot, 5, 90},
      {Function("do_vmsplice"), 1, 20, 85},         {Function("__mutex_lock"), 2, 1, 31},
      {Function("mutex_spin_on_owner"), 3, 30, 30}, {Function("gup_fast_fallback"), 2, 24, 24},
      {Function("pipe_wait_writable"), 2, 2, 10},   {Function("schedule"), 6, 8, 8}};
  tree.total = 100;
  return tree;
}

TEST(SampledCost, LeavesOutWaitingAndWaking) {
  EXPECT_DOUBLE_EQ(working_share(tree(), "vmsplice"), 0.44);
  EXPECT_DOUBLE_EQ(working_share(tree(), "gup_fast"), 0.24);
}

TEST(SampledCost, IsNothingOutsideOfTheCall) {
  EXPECT_DOUBLE_EQ(working_share(tree(), "tee"), 0);
  EXPECT_DOUBLE_EQ(working_share({}, "vmsplice"), 0);
}

}  // namespace
}  // namespace pipetop
