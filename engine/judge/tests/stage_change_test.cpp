// What explains a change of a watched pipeline.
#include <gtest/gtest.h>

#include <numeric>

#include "engine/judge/change_rules.h"

namespace pipetop {
namespace {

struct MadeStage {
  const char* name;
  double on_cpu = 0, runnable = 0;
  Waits waits = {};
};

Segment made(double mib_per_s, std::initializer_list<MadeStage> stages) {
  Segment segment;
  const double rate = mib_per_s * 1024 * 1024;
  segment.rate = Reading<RateStats>::of({rate, rate, rate / 1000, rate, rate, 100, rate / 1000});
  for (const MadeStage& stage : stages) {
    SegmentRole& role = segment.stages.emplace_back();
    role.name = stage.name;
    role.id = {static_cast<pid_t>(segment.stages.size()), 1};
    role.shares = {Reading<double>::of(stage.on_cpu), Reading<double>::of(stage.runnable),
                   Reading<double>::of(1 - stage.on_cpu - stage.runnable),
                   Reading<Waits>::of(stage.waits)};
  }
  return segment;
}

MadeStage source(double writing) {
  return {.name = "tar", .on_cpu = 1 - writing, .waits = {.writing = writing}};
}
MadeStage sink(double reading) {
  return {.name = "ssh", .on_cpu = 1 - reading, .waits = {.reading = reading}};
}

Change change(const Segment& before, const Segment& after) {
  const auto change = explain_change(before, after, kPipelineTerms);
  EXPECT_TRUE(change.has_value()) << change.reason;
  return change.has_value() ? *change : Change{};
}

TEST(StageChange, IsExplainedByTheStageThatSetsThePace) {
  const Segment before = made(
      26.4, {source(.8), {.name = "gzip", .on_cpu = .59, .waits = {.writing = .41}}, sink(.7)});
  const Segment after = made(
      44.3, {source(.6), {.name = "gzip", .on_cpu = .99, .waits = {.writing = .01}}, sink(.5)});
  const Change faster = change(before, after);
  EXPECT_EQ(line_of(faster, kPipelineTerms.unit),
            "26.4 → 44.3 MiB/s, ×1.68 [1.65 .. 1.71]: gzip no longer waits for room");
  EXPECT_EQ(faster.evidence, "41.0 → 1.0 % of its time");
  EXPECT_EQ(line_of(change(after, before), kPipelineTerms.unit),
            "44.3 → 26.4 MiB/s, ×0.60 [0.58 .. 0.61]: gzip now waits for room");
}

TEST(StageChange, NamesWhatElseAStageWaitsFor) {
  MadeStage starved = {.name = "gzip", .on_cpu = .4, .runnable = .6};
  MadeStage alone = {.name = "gzip", .on_cpu = .8, .runnable = .2};
  EXPECT_EQ(change(made(10, {source(.9), starved}), made(20, {source(.8), alone})).cause,
            "gzip waits less for a CPU");
  Waits disk;
  disk.elsewhere[static_cast<size_t>(WaitsFor::disk)] = .5;
  const MadeStage slow = {.name = "gzip", .on_cpu = .5, .waits = disk};
  const MadeStage fast = {.name = "gzip", .on_cpu = 1};
  EXPECT_EQ(change(made(10, {slow, sink(.9)}), made(20, {fast, sink(.8)})).cause,
            "gzip no longer waits for the disk");
  EXPECT_EQ(change(made(10, {fast, sink(.9)}), made(20, {fast, sink(.8)})).cause,
            "gzip needs less CPU time for a byte");
}

TEST(StageChange, SaysWhenNothingExplainsIt) {
  const MadeStage mixed = {.name = "gzip", .on_cpu = .4, .runnable = .3, .waits = {.writing = .3}};
  EXPECT_EQ(change(made(10, {mixed}), made(20, {mixed})).cause, "no single cause");
  Segment unknown = made(20, {mixed});
  unknown.stages[0].shares = {};
  EXPECT_EQ(change(made(10, {mixed}), unknown).cause, "cause unknown");
  EXPECT_EQ(change(made(10, {mixed}), made(10, {mixed})).cause, "within the noise");
}

}  // namespace
}  // namespace pipetop
