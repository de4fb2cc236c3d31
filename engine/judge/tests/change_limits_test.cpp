// Where the rules begin to match, what they need to know, and the other workloads.
#include <gtest/gtest.h>

#include "engine/judge/change_rules.h"
#include "engine/judge/tests/made_segments.h"

namespace pipetop {
namespace {

std::string why(const Segment& before, const Segment& after,
                const WorkloadTerms& terms = kPipeTerms) {
  const Reading<Change> change = explain_change(before, after, terms);
  return change.has_value() ? change->words() : change.reason;
}

// The writer sets the pace; both rates and all else are the same but for what it copies.
Segment copying(double gib_per_s, double share, uint64_t samples = 100'000) {
  return made_segment(gib_per_s,
                      {.stacks = {{"do_syscall_64;_copy_from_iter", share}}, .samples = samples},
                      {.on_cpu = .5, .blocked = .5, .samples = samples}, SlotKind::copy);
}

// From 1 to 2 GiB/s: half of the time for a byte is gone.
TEST(Cause, IsAtLeastHalfOfTheDifference) {
  EXPECT_EQ(why(copying(1, .28), copying(2, 0)),
            "the writer no longer copies: _copy_from_iter 28.0 → 0 %");
  EXPECT_EQ(why(copying(1, .22), copying(2, 0)).substr(0, 15), "no single cause");
}

TEST(Cause, NamesWhatWentBesidesIt) {
  EXPECT_EQ(why(copying(1, .15), copying(2, 0)), "no single cause: _copy_from_iter 15.0 → 0 %");
}

TEST(Cause, NeedsSamples) {
  Segment before = copying(1, .3), after = copying(2, 0, 60);
  after.duration_ns = kSecond;
  EXPECT_NE(why(before, after), "") << "none of 60 samples is clear";
  before = copying(1, .3), after = copying(2, .05, 20);
  after.duration_ns = kSecond;
  EXPECT_EQ(why(before, after), "") << "it may be anything up to 15 %";
  before = copying(1, .3, 40), after = copying(2, 0);
  before.duration_ns = kSecond;
  EXPECT_EQ(why(before, after), "cause unknown: too few samples in the previous segment");
}

TEST(Cause, NeedsFunctions) {
  Segment before = copying(1, .5), after = copying(2, 0);
  for (SegmentRole& role : before.roles)
    role.functions = Reading<FunctionTable>::unavailable("no BPF; run as root");
  EXPECT_EQ(why(before, after), "cause unknown: no functions: no BPF");
}

// What one sleeps while the other one works is no cause.
TEST(Cause, IsNotToWaitForTheOther) {
  const auto with_writer = [](double gib_per_s, double copies) {
    return made_segment(gib_per_s,
                        {.on_cpu = .6,
                         .blocked = .4,
                         .stacks = {{"do_syscall_64;_copy_from_iter", copies}},
                         .samples = 100'000},
                        {.on_cpu = .3, .blocked = .7, .samples = 100'000}, SlotKind::copy);
  };
  EXPECT_EQ(why(with_writer(1, .9), with_writer(2, .4)).substr(0, 22), "the writer copies less");
}

TEST(Cause, IsSleepByItsNumberOrLength) {
  const auto sleeping = [](double gib_per_s, double blocked, double sleeps_per_s) {
    const MadeRole role = {.on_cpu = 1 - blocked, .blocked = blocked, .sleeps_per_s = sleeps_per_s};
    return made_segment(gib_per_s, role, role, SlotKind::copy);
  };
  EXPECT_EQ(why(sleeping(1, .8, 16'384), sleeping(2, .6, 8192)),
            "fewer sleeps: 64 → 256 KiB per wakeup");
  EXPECT_EQ(why(sleeping(1, .8, 10'000), sleeping(2, .6, 20'000)),
            "shorter sleeps: 80 → 30 us each");
  EXPECT_EQ(why(sleeping(1, .8, 10'000), sleeping(4, .2, 0)), "no sleeps: 10k → 0 sleeps/s");
  EXPECT_EQ(why(sleeping(2, .6, 20'000), sleeping(1, .8, 10'000)),
            "longer sleeps: 30 → 80 us each");
}

TEST(Cause, IsTheLackOfACpu) {
  const auto runnable = [](double gib_per_s, double share) {
    const MadeRole role = {.on_cpu = 1 - share};
    return made_segment(gib_per_s, role, role, SlotKind::copy);
  };
  EXPECT_EQ(why(runnable(2, .05), runnable(1, .5)),
            "the writer waits longer for a CPU: runnable 5.0 → 50.0 %");
}

// Others take most of the CPUs, before and after: that makes all slower alike.
TEST(Cause, IsNotWhatOthersTakeAllTheTime) {
  const auto disturbed = [](double gib_per_s, double on_cpu, double copies) {
    const MadeRole reader = {.on_cpu = on_cpu / 2, .blocked = 1 - 1.1 * on_cpu};
    return made_segment(gib_per_s,
                        {.on_cpu = on_cpu, .stacks = {{"do_syscall_64;_copy_from_iter", copies}}},
                        reader, SlotKind::copy);
  };
  EXPECT_EQ(why(disturbed(1, .3, .6), disturbed(2, .32, .1)),
            "the writer copies less: _copy_from_iter 60.0 → 10.0 %");
}

TEST(Cause, IsFewerCalls) {
  const auto calling = [](double gib_per_s, double share, uint64_t bytes) {
    Segment s = made_segment(
        gib_per_s, {.stacks = {{"entry_SYSCALL_64_after_hwframe", share}, {"other", 1 - share}}},
        {.on_cpu = .5, .blocked = .5}, SlotKind::copy);
    for (SegmentRole& role : s.roles)
      role.totals.value->counts.syscalls = role.totals.value->counts.items / bytes;
    return s;
  };
  EXPECT_EQ(why(calling(1, .6, 4096), calling(2, .1, 65'536)),
            "the writer makes fewer calls: 256 → 16 calls per MiB");
}

const WorkloadTerms kRules = {.name = "percpu",
                              .help = "",
                              .unit = {"k rules/s", "krules_per_s", "rules", 1000},
                              .roles = {"inserter", ""},
                              .part = "worker",
                              .prepares = "",
                              .does = ""};

Segment inserting(double rate, MadeStacks stacks) {
  return made_segment(rate, {.stacks = stacks}, {}, SlotKind::empty);
}

TEST(Cause, IsPerCpuMemory) {
  EXPECT_EQ(why(inserting(200, {{"do_syscall_64;tcf_mirred_init;pcpu_alloc_noprof", .4}}),
                inserting(320, {{"do_syscall_64;tcf_mirred_init", .02}}), kRules),
            "the inserter no longer allocates per-CPU memory: pcpu_alloc_noprof 40.0 → 0 %");
}

TEST(Cause, IsTheInnermostFunctionThatExplainsIt) {
  EXPECT_EQ(why(inserting(200, {{"do_syscall_64;tcf_mirred_init;idr_get_free", .5}}),
                inserting(320, {{"do_syscall_64;tcf_mirred_init", .1}}), kRules),
            "the inserter spends less time in idr_get_free: idr_get_free 50.0 → 0 %");
}

TEST(Cause, IsTheNumberOfProcesses) {
  Segment one = inserting(200, {}), two = inserting(390, {});
  two.roles[0].processes = 2;
  EXPECT_EQ(why(one, two, kRules), "2 workers instead of 1: 200 → 195 k rules/s each");
  EXPECT_EQ(why(two, one, kRules), "1 worker instead of 2: 195 → 200 k rules/s each");
}

}  // namespace
}  // namespace pipetop
