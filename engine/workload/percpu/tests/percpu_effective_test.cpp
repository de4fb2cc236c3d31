#include <gtest/gtest.h>

#include <cerrno>

#include "engine/workload/percpu/percpu_workload.h"

namespace pipetop {
namespace {

Settings percpu_settings() {
  Settings s;
  s.workload = WorkloadKind::percpu;
  return s;
}

TEST(PercpuEffective, IsWhatWasAskedWhereAllCanBeHad) {
  const Effective e = make_percpu_effective(percpu_settings(), {}, 1);
  EXPECT_TRUE(e.mismatches.empty());
  EXPECT_EQ(e.pipe.zero_copy, ZeroCopy::no_copy);
  EXPECT_EQ(e.pipe.huge.status, ReadingStatus::unavailable);
}

TEST(PercpuEffective, WorkersThatShareACpuAreToldOf) {
  Settings s = percpu_settings();
  s.percpu.workers = 3;
  EXPECT_TRUE(make_percpu_effective(s, {}, 3).mismatches.empty());
  const Effective e = make_percpu_effective(s, {}, 2);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].knob, "workers");
  EXPECT_EQ(e.mismatches[0].requested, "3");
  EXPECT_EQ(e.mismatches[0].effective, "3 on 2 CPUs");
}

TEST(PercpuEffective, ABatchIsNoLargerThanAFill) {
  Settings s = percpu_settings();
  s.percpu.rules = 10;
  s.percpu.batch = 64;
  const Effective e = make_percpu_effective(s, {}, 2);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].knob, "batch");
  EXPECT_EQ(e.settings.percpu.batch, 10u);
}

TEST(PercpuEffective, AProfileThatTheKernelLacksIsTold) {
  WorkerReport first;
  first.state = WorkerState::refused;
  first.error_number = EOPNOTSUPP;
  set_reason(first, "act_gact is not in this kernel; load the module act_gact");
  Settings s = percpu_settings();
  s.percpu.profile = Profile::gact;
  const Effective e = make_percpu_effective(s, first, 2);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].knob, "profile");
  EXPECT_EQ(e.mismatches[0].reason, "act_gact is not in this kernel; load the module act_gact");
  // That there may be no network says nothing of the profile.
  first.error_number = EPERM;
  EXPECT_TRUE(make_percpu_effective(s, first, 2).mismatches.empty());
}

}  // namespace
}  // namespace pipetop
