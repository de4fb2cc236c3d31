#include "engine/workload/percpu/percpu_workload.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

#include "engine/base/error.h"
#include "engine/config/config.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

Settings with(std::string_view name, std::string_view value) {
  Settings s;
  s.workload = WorkloadKind::percpu;
  knob(name).set(s, value);
  return s;
}

// The settings after a press of the key.
Settings pressed(char key, Settings s) {
  for (const HotKey& hot : percpu_hot_keys())
    if (hot.key == key) hot.press(s);
  return s;
}

TEST(PercpuKnobs, AreThoseOfTheirWorkload) {
  EXPECT_EQ(knobs_of(WorkloadKind::percpu).size(), percpu_knobs().size() + common_knobs().size());
  EXPECT_EQ(workload_of(knob("no_percpu")), WorkloadKind::percpu);
  EXPECT_EQ(workload_of(knob("gift")), WorkloadKind::pipe);
}

TEST(PercpuKnobs, ValuesReadBackAndStayInRange) {
  EXPECT_EQ(with("workers", "64").percpu.workers, 64u);
  EXPECT_EQ(with("rules", "1000000").percpu.rules, 1'000'000u);
  EXPECT_EQ(with("batch", "128").percpu.batch, 128u);
  EXPECT_EQ(with("profile", "gact").percpu.profile, Profile::gact);
  EXPECT_TRUE(with("no_percpu", "true").percpu.no_percpu);
  EXPECT_EQ(knob("rules").get(with("rules", "7")), "7");
  for (const char* name : {"workers", "rules", "batch"})
    EXPECT_THROW(with(name, "0"), Error) << name;
  EXPECT_THROW(with("workers", "65"), Error);
  EXPECT_THROW(with("rules", "1000001"), Error);
  EXPECT_THROW(with("batch", "129"), Error);
}

TEST(PercpuKnobs, KeysStayInRange) {
  EXPECT_TRUE(pressed('p', {}).percpu.no_percpu);
  EXPECT_EQ(pressed('m', {}).percpu.profile, Profile::gact);
  EXPECT_EQ(pressed('m', with("profile", "gact")).percpu.profile, Profile::mirred);
  EXPECT_EQ(pressed('<', {}).percpu.workers, 1u);
  EXPECT_EQ(pressed('>', with("workers", "64")).percpu.workers, 64u);
  EXPECT_EQ(pressed('{', {}).percpu.rules, 16'384u);
  EXPECT_EQ(pressed('{', with("rules", "1")).percpu.rules, 1u);
  EXPECT_EQ(pressed('}', with("rules", "900000")).percpu.rules, 1'000'000u);
  EXPECT_EQ(pressed(')', {}).percpu.batch, 2u);
  EXPECT_EQ(pressed(')', with("batch", "128")).percpu.batch, 128u);
  EXPECT_EQ(pressed('(', {}).percpu.batch, 1u);
  std::set<char> keys;
  for (const HotKey& hot : percpu_hot_keys()) EXPECT_TRUE(keys.insert(hot.key).second) << hot.key;
}

constexpr PercpuSettings kMostRules = {.workers = 64, .rules = 1'000'000};

std::string refusal_of(const PercpuSettings& s, size_t cpus, uint64_t available_gib) {
  try {
    require_memory(s, cpus, available_gib << 30);
    return {};
  } catch (const Error& refused) {
    return refused.what();
  }
}

TEST(PercpuMemory, IsRefusedAbove80Percent) {
  EXPECT_EQ(refusal_of(kMostRules, 64, 256),
            "rules 1000000 with workers 64 would take 259.4 GiB of kernel memory on 64 CPUs, more "
            "than 80 % of the 256.0 GiB available: set fewer rules or workers");
  EXPECT_NE(refusal_of(kMostRules, 64, 324), "");
  EXPECT_EQ(refusal_of(kMostRules, 64, 325), "");
  EXPECT_EQ(refusal_of({}, 64, 1), "");
}

TEST(PercpuMemory, GrowsWithCpusOnlyForCountersPerCpu) {
  PercpuSettings shared = kMostRules;
  shared.no_percpu = true;
  EXPECT_EQ(refusal_of(kMostRules, 1, 24), "");
  EXPECT_NE(refusal_of(kMostRules, 8, 24), "");
  EXPECT_EQ(refusal_of(shared, 1024, 24), "");
}

TEST(PercpuMemory, UnknownIsNotRefused) { EXPECT_EQ(refusal_of(kMostRules, 64, 0), ""); }

TEST(PercpuKnobs, TheFileIsThePresetsThatAreBuiltIn) {
  const Config file = load_config(PIPETOP_CONFIGS "/percpu.yaml");
  EXPECT_EQ(file.settings.workload, WorkloadKind::percpu);
  EXPECT_EQ(file.preset, "percpu");
  const auto built_in = percpu_presets();
  ASSERT_EQ(file.presets.size(), built_in.size());
  for (size_t i = 0; i < built_in.size(); ++i) {
    EXPECT_EQ(file.presets[i].name, built_in[i].name);
    EXPECT_EQ(file.presets[i].title, built_in[i].title);
    EXPECT_EQ(file.presets[i].settings, built_in[i].settings) << built_in[i].name;
  }
}

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

using percpu::ParallelClock;

TEST(ParallelClock, DividesWhatSeveralAddedTogether) {
  ParallelClock clock;
  EXPECT_EQ(clock.at(100), 100u);
  clock.share(2, 100);
  EXPECT_EQ(clock.at(100), 100u);
  EXPECT_EQ(clock.at(300), 200u);
  clock.share(4, 300);
  EXPECT_EQ(clock.at(700), 300u);
}

TEST(ParallelClock, StandsAndNeverGoesBackWhenNobodyIsLeft) {
  ParallelClock clock;
  clock.share(2, 0);
  clock.share(0, 100);
  EXPECT_EQ(clock.at(100), 50u);
  clock.share(1, 100);
  EXPECT_EQ(clock.at(101), 51u);
}

}  // namespace

}  // namespace pipetop
