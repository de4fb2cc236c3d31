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

PercpuFacts with_cpus(size_t cpus) { return {.first = {}, .cpus = cpus, .settled = true}; }

TEST(PercpuEffective, IsWhatWasAskedWhereAllCanBeHad) {
  const Effective e = make_percpu_effective(percpu_settings(), with_cpus(1));
  EXPECT_TRUE(e.mismatches.empty());
  EXPECT_TRUE(e.settled);
  EXPECT_EQ(e.pipe.zero_copy, ZeroCopy::no_copy);
  EXPECT_EQ(e.pipe.huge.status, ReadingStatus::unavailable);
}

TEST(PercpuEffective, WorkersThatShareACpuAreToldOf) {
  Settings s = percpu_settings();
  s.percpu.workers = 3;
  EXPECT_TRUE(make_percpu_effective(s, with_cpus(3)).mismatches.empty());
  const Effective e = make_percpu_effective(s, with_cpus(2));
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].knob, "workers");
  EXPECT_EQ(e.mismatches[0].requested, "3");
  EXPECT_EQ(e.mismatches[0].effective, "3 on 2 CPUs");
}

TEST(PercpuEffective, ABatchIsNoLargerThanAFill) {
  Settings s = percpu_settings();
  s.percpu.rules = 10;
  s.percpu.batch = 64;
  const Effective e = make_percpu_effective(s, with_cpus(2));
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].knob, "batch");
  EXPECT_EQ(e.settings.percpu.batch, 10u);
}

TEST(PercpuEffective, AProfileThatTheKernelLacksIsTold) {
  PercpuFacts facts = with_cpus(2);
  facts.first.emplace();
  facts.first->state = WorkerState::refused;
  facts.first->error_number = EOPNOTSUPP;
  set_reason(*facts.first, "act_gact is not in this kernel; load the module act_gact");
  Settings s = percpu_settings();
  s.percpu.profile = Profile::gact;
  const Effective e = make_percpu_effective(s, facts);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].knob, "profile");
  EXPECT_EQ(e.mismatches[0].reason, "act_gact is not in this kernel; load the module act_gact");
  // That there may be no network says nothing of the profile.
  facts.first->error_number = EPERM;
  EXPECT_TRUE(make_percpu_effective(s, facts).mismatches.empty());
}

}  // namespace
}  // namespace pipetop
