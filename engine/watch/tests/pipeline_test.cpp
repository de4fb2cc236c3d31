#include "engine/model/pipeline.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/judge/tests/made_pipelines.h"

namespace pipetop {
namespace {

TEST(PipelineTitle, AChainIsWrittenAsInAShell) {
  EXPECT_EQ(made_chain({"tar", "zstd", "ssh"}).title(), "tar | zstd | ssh");
  EXPECT_EQ(made_pipeline({"nginx"}, {{{0}, {0}}}).title(), "nginx");
  EXPECT_EQ(Pipeline{}.title(), "");
}

TEST(PipelineTitle, StagesSideBySideAreInParentheses) {
  EXPECT_EQ(made_pipeline({"tee", "a", "b"}, {{{0}, {1}}, {{0}, {2}}}).title(), "tee | (a, b)");
  EXPECT_EQ(made_pipeline({"a", "b", "paste"}, {{{0}, {2}}, {{1}, {2}}}).title(), "(a, b) | paste");
  EXPECT_EQ(made_pipeline({"bash", "bc"}, {{{0}, {1}}, {{1}, {0}}}).title(), "bash | bc");
}

TEST(PipelineTitle, WhoOnlyForgotToCloseAnEndIsLeftOut) {
  Pipeline view = made_pipeline({"tar", "zstd", "bash"}, {{{0, 2}, {1}}});
  view.pipes[0].writers[1].active = false;
  EXPECT_EQ(view.title(), "tar | zstd");
}

TEST(PipelineTitle, WhatHasExitedKeepsItsPlace) {
  Pipeline view = made_chain({"tar", "zstd", "ssh"});
  exit_stage(view, 0);
  EXPECT_EQ(view.title(), "tar | zstd | ssh");
  exit_stage(view, 1);
  exit_stage(view, 2);
  EXPECT_EQ(view.title(), "tar | zstd | ssh");
}

TEST(PipelineNames, OfKindsAndWaitsAreDistinct) {
  std::set<std::string_view> names;
  for (int i = 0; i < kWaits; ++i) names.insert(name_of(static_cast<WaitsFor>(i)));
  EXPECT_EQ(names.size(), size_t(kWaits));
  EXPECT_EQ(name_of(WaitsFor::disk), "disk");
  names.clear();
  for (size_t i = 0; i < kVerdictKinds; ++i) names.insert(name_of(static_cast<Verdict::Kind>(i)));
  EXPECT_EQ(names.size(), kVerdictKinds);
  EXPECT_EQ(name_of(Verdict::Kind::balanced), "balanced");
}

}  // namespace
}  // namespace pipetop
