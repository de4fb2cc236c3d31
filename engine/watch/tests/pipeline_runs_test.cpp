#include "engine/watch/pipeline_runs.h"

#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/judge/tests/made_pipelines.h"

namespace pipetop {
namespace {

using Spans = std::map<ProcessId, StageSpan>;

Spans spans_of(const Pipeline& pipeline, const std::vector<StageSpan>& seconds) {
  Spans spans;
  for (size_t i = 0; i < seconds.size(); ++i)
    spans[pipeline.stages[i].id] = {seconds[i].begin_ns * kSecond, seconds[i].end_ns * kSecond};
  return spans;
}

// md5sum was busy longer in all, but only while nothing else ran.
TEST(PipelineRuns, EachPipelineIsJudgedForItself) {
  Pipeline all = made_pipeline({"tar", "xz", "yes", "md5sum"}, {{{0}, {1}}, {{2}, {3}}});
  for (const size_t waits : {0, 2}) spend(all, waits, {.writing = 0.97});
  for (const size_t works : {1, 3}) spend(all, works, {.cpu = 0.97, .on_cpu = 0.97});
  for (Pipe& pipe : all.pipes) set_ring(pipe, 0.97, 0.01, 0.97);
  const auto runs = runs_of(all, spans_of(all, {{1, 21}, {1, 21}, {21, 25}, {21, 25}}));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].pipeline.title(), "tar | xz");
  EXPECT_EQ(runs[0].pipeline.verdict.stage, all.stages[1].id);
  EXPECT_EQ(runs[0].pipeline.window_ns, 20 * kSecond);
  EXPECT_EQ(runs[1].pipeline.title(), "yes | md5sum");
  EXPECT_EQ(runs[1].pipeline.verdict.stage, all.stages[3].id);
  EXPECT_EQ(runs[1].span.begin_ns, 21 * kSecond);
}

TEST(PipelineRuns, ToolsThatComeAgainAreOneStage) {
  Pipeline all = made_pipeline({"tar", "tar", "gzip"}, {{{0, 1}, {2}}});
  spend(all, 0, {.cpu = 1, .on_cpu = 1});
  spend(all, 1, {.cpu = 0.5, .on_cpu = 0.5});
  all.stages[0].cpu_ns = 3 * kSecond;
  all.stages[1].cpu_ns = kSecond / 2;
  auto runs = runs_of(all, spans_of(all, {{0, 3}, {4, 5}, {0, 5}}));
  ASSERT_EQ(runs.size(), 1u);
  ASSERT_EQ(runs[0].pipeline.stages.size(), 2u);
  EXPECT_EQ(runs[0].times, (std::vector<size_t>{2, 1}));
  EXPECT_NEAR(runs[0].pipeline.stages[0].shares->on_cpu, (3 + 0.5) / 4, 1e-9);
  EXPECT_EQ(runs[0].pipeline.stages[0].cpu_ns, 3 * kSecond + kSecond / 2);
  EXPECT_EQ(runs[0].pipeline.pipes[0].writers.back().stage, 0u);
  EXPECT_EQ(runs[0].pipeline.pipes[0].readers.back().stage, 1u);
  runs = runs_of(all, spans_of(all, {{0, 3}, {2, 5}, {0, 5}}));
  EXPECT_EQ(runs[0].pipeline.stages.size(), 3u) << "side by side they are two";
}

TEST(PipelineRuns, APipelineThatComesAgainIsOneRun) {
  Pipeline all = made_pipeline({"tar", "gzip", "tar", "gzip"}, {{{0}, {1}}, {{2}, {3}}});
  for (Pipe& pipe : all.pipes) pipe.total_bytes = 4'000'000'000;
  all.pipes[0].range = EstimateRange{0.9, 1.5};
  all.pipes[1].range = EstimateRange{1, 1.1};
  const auto runs = runs_of(all, spans_of(all, {{0, 3}, {0, 3}, {7, 8}, {7, 8}}));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_NEAR(runs[0].pipeline.pipes[0].range->low, 0.95, 1e-9);
  EXPECT_NEAR(runs[0].pipeline.pipes[0].range->high, 1.3, 1e-9);
  EXPECT_EQ(runs[0].runs, 2u);
  EXPECT_EQ(runs[0].pipeline.window_ns, 4 * kSecond);
  EXPECT_EQ(runs[0].span.end_ns, 8 * kSecond);
  EXPECT_EQ(runs[0].pipeline.pipes[0].total_bytes, 8'000'000'000u);
  EXPECT_NEAR(*runs[0].pipeline.pipes[0].bytes_per_s, 2e9, 1);
}

TEST(PipelineRuns, WhoOnlyHoldsAPipeIsNoStage) {
  Pipeline all = made_pipeline({"head", "sh", "gzip"}, {{{0, 1}, {1, 2}}});
  all.pipes[0].writers[1].active = all.pipes[0].readers[0].active = false;
  const auto runs = runs_of(all, {});
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].pipeline.title(), "head | gzip");
  EXPECT_EQ(runs[0].pipeline.pipes[0].readers[0].stage, 1u);
}

TEST(PipelineRuns, WhatRanForLessThanASecondIsJudgedByAllOfIt) {
  Pipeline all = made_chain({"tar", "xz"});
  limit_by(all, 1);
  all.window_ns = 400 * kMs;
  EXPECT_EQ(verdict_on_all(all).stage, all.stages[1].id);
  all.window_ns = 40 * kMs;
  EXPECT_EQ(verdict_on_all(all).kind, Verdict::Kind::unknown);
}

}  // namespace
}  // namespace pipetop
