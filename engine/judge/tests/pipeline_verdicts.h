// What is said of pipelines that are made up, also with noise.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/text.h"
#include "engine/judge/tests/made_pipelines.h"
#include "engine/judge/verdict.h"

namespace pipetop {

inline constexpr double kNoise = 0.05;
inline constexpr unsigned kRounds = 50;

inline std::string said_of(const Pipeline& view, const Verdict& b) {
  std::string stage = "-";
  for (const Stage& s : view.stages)
    if (b.stage == s.id) stage = s.name;
  return fmt::format("{} {} {}", name_of(b.kind), stage, name_of(b.wait));
}

inline int columns_of_line(std::string_view text) {
  int columns = 0;
  while (!text.empty()) {
    text.remove_prefix(std::max<size_t>(1, utf8_length(text)));
    ++columns;
  }
  return columns;
}

// What is said of it, and the same whatever the noise.
inline std::string verdict_of(const Pipeline& exact) {
  const std::string said = said_of(exact, judge_pipeline(exact));
  std::mt19937 random(7);
  for (unsigned round = 0; round < kRounds; ++round) {
    Pipeline view = exact;
    add_noise(view, kNoise, random);
    const Verdict b = judge_pipeline(view);
    EXPECT_EQ(said_of(view, b), said) << b.because;
    EXPECT_LE(columns_of_line(b.because), kLineColumns) << b.because;
    EXPECT_FALSE(b.because.empty());
  }
  return said;
}

inline std::string line_of(const Pipeline& view) { return judge_pipeline(view).because; }

inline Pipeline limited(std::vector<std::string> names, size_t stage,
                        WaitsFor wait = WaitsFor::none) {
  Pipeline view = made_chain(names);
  limit_by(view, stage, wait);
  return view;
}

inline bool has_clause(const Verdict& b, std::string_view part) {
  return std::ranges::any_of(
      b.evidence, [&](const std::string& clause) { return clause.find(part) != clause.npos; });
}

}  // namespace pipetop
