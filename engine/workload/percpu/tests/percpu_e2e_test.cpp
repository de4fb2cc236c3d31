// Rules go in, and every knob is turned meanwhile.
#include <algorithm>

#include "engine/workload/percpu/tests/percpu_fixture.h"
#include "engine/workload/table/workloads.h"

namespace pipetop::percpu {
namespace {

TEST_F(PercpuTest, RulesGoInAndAreCounted) {
  start(percpu_settings());
  const Snapshot s = insert(5000);
  EXPECT_TRUE(s.effective.mismatches.empty());
  EXPECT_EQ(s.effective.pipe.zero_copy, ZeroCopy::no_copy);
  EXPECT_EQ(inserter(s).name, "inserter");
  EXPECT_EQ(inserter(s).state, ProcessState::flowing);
  EXPECT_TRUE(inserter(s).technique[0].starts_with("mirred"));
  EXPECT_EQ(inserter(s).technique[1], "per-CPU counters");
  EXPECT_EQ(inserter(s).technique[2], "batch 1");
  EXPECT_EQ(s.worker(Role::reader).name, "");
  ASSERT_EQ(s.parts.size(), 1u);
  EXPECT_EQ(s.parts[0].name, "worker 1");
  EXPECT_GT(s.parts[0].total.items, 5000u);
  // A call for each rule, one for its answer.
  EXPECT_GE(inserter(s).counts.syscalls, 2 * inserter(s).counts.items);
  ASSERT_TRUE(figure(s, "rules_in").has_value());
  EXPECT_LE(*figure(s, "rules_in"), 2000);
  until([](const Snapshot& t) { return t.throughput.over_1s.has_value(); });
}

class MeasuredPercpu : public PercpuTest {};

TEST_F(MeasuredPercpu, MemoryOfARuleIsKnownBeforeAnyCounts) {
  start(percpu_settings());
  const Snapshot with = settle();
  const auto percpu = figure(with, "percpu_bytes_per_rule");
  if (!is_known(percpu)) GTEST_SKIP() << percpu.reason;
  EXPECT_GT(*figure(with, "slab_bytes_per_rule"), 0);
  Settings s = percpu_settings();
  s.percpu.no_percpu = true;
  apply(s);
  EXPECT_EQ(figure(engine->tick(), "percpu_bytes_per_rule").status, ReadingStatus::warming);
  const Snapshot without = settle();
  const auto none = figure(without, "percpu_bytes_per_rule");
  if (!is_known(none)) GTEST_SKIP() << none.reason;
  EXPECT_LT(*none, *percpu / 2);
  // It is not found out a second time.
  apply(percpu_settings());
  EXPECT_EQ(*figure(engine->tick(), "percpu_bytes_per_rule"), *percpu);
}

TEST_F(PercpuTest, EveryKnobTurnsWhileRulesGoIn) {
  start(percpu_settings());
  const int pid = inserter(insert()).pid;
  Settings s = percpu_settings();
  const auto turn = [&](const char* name, const char* value) {
    knob(name).set(s, value);
    apply(s);
    Snapshot now = insert();
    EXPECT_EQ(inserter(now).pid, pid) << name;
    EXPECT_EQ(inserter(now).state, ProcessState::flowing) << inserter(now).state_reason;
    return now;
  };
  EXPECT_EQ(inserter(turn("no_percpu", "true")).technique[1], "no per-CPU counters");
  EXPECT_EQ(inserter(turn("batch", "128")).technique[2], "batch 128");
  until([](const Snapshot& t) { return t.workers[0].bytes_per_call.has_value(); });
  turn("rules", "20000");
  const Snapshot few = turn("rules", "10");
  EXPECT_LE(*figure(few, "rules_in"), 10);
  ASSERT_EQ(few.effective.mismatches.size(), 1u);
  EXPECT_EQ(few.effective.mismatches[0].knob, "batch");
  turn("no_percpu", "false");
}

TEST_F(PercpuTest, AChangeCutsAMeasurementShort) {
  start(percpu_settings());
  Settings s = percpu_settings();
  for (int i = 0; i < 20; ++i) {
    s.percpu.no_percpu = !s.percpu.no_percpu;
    apply(s);
  }
  // Where others take memory, too, it may end as unknown.
  EXPECT_NE(figure(insert(), "percpu_bytes_per_rule").status, ReadingStatus::warming);
}

// With the kernel's gact rules go in, and else it is said what to do.
TEST_F(PercpuTest, AProfileIsThereOrSaysWhyNot) {
  start(percpu_settings());
  insert();
  Settings s = percpu_settings();
  s.percpu.profile = Profile::gact;
  apply(s);
  const Snapshot gact = settle();
  if (gact.effective.mismatches.empty()) {
    EXPECT_TRUE(inserter(insert()).technique[0].starts_with("gact"));
  } else {
    EXPECT_EQ(gact.effective.mismatches[0].knob, "profile");
    EXPECT_EQ(inserter(gact).state, ProcessState::refused);
    EXPECT_TRUE(inserter(gact).lacks_feature);
    EXPECT_NE(inserter(gact).state_reason.find("act_gact is not in this kernel; "),
              std::string::npos)
        << inserter(gact).state_reason;
    EXPECT_FALSE(figure(gact, "rules_in").has_value());
    EXPECT_FALSE(figure(gact, "percpu_bytes_per_rule").has_value());
  }
  apply(percpu_settings());
  EXPECT_EQ(inserter(insert()).state, ProcessState::flowing);
}

TEST_F(PercpuTest, WorkersComeAndGo) {
  start(percpu_settings());
  insert();
  uint64_t total = 0;
  for (const uint32_t workers : {3u, 2u, 4u, 1u}) {
    Settings s = percpu_settings();
    s.percpu.workers = workers;
    apply(s);
    const Snapshot begin = settle();
    ASSERT_EQ(begin.parts.size(), workers);
    const Snapshot now = until([&](const Snapshot& t) {
      return std::ranges::equal(t.parts, begin.parts,
                                [](const PartReadings& a, const PartReadings& b) {
                                  return a.pid == b.pid && a.total.items > b.total.items + 100;
                                });
    });
    EXPECT_EQ(inserter(now).processes, static_cast<int>(workers));
    EXPECT_GT(now.throughput.total_items, total);
    total = now.throughput.total_items;
    const bool shared = workers > static_cast<uint32_t>(now.host->cpus);
    EXPECT_EQ(std::ranges::count(now.effective.mismatches, "workers", &Mismatch::knob), shared);
  }
}

TEST_F(PercpuTest, SeveralFromTheStartStillTellTheMemoryOfARule) {
  Settings s = percpu_settings();
  s.percpu.workers = 3;
  start(s);
  const Snapshot now = settle();
  is_known(figure(now, "percpu_bytes_per_rule"));
  until([&](const Snapshot& t) {
    return std::ranges::all_of(t.parts, [](const PartReadings& p) { return p.total.items > 100; });
  });
}

}  // namespace
}  // namespace pipetop::percpu
