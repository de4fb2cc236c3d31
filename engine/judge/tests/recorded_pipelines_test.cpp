// What was measured of real pipelines, judged again: forced states on a quiet machine, beside busy
// loops, and on one CPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "engine/judge/tests/made_pipelines.h"
#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

struct Recorded {
  std::string name, expected;  // "stage gzip"
  Pipeline pipeline;
};

WaitsFor wait_named(const std::string& name) {
  for (size_t i = 0; i < kWaits; ++i)
    if (name_of(static_cast<WaitsFor>(i)) == name) return static_cast<WaitsFor>(i);
  ADD_FAILURE() << name;
  return WaitsFor::other;
}

// "gzip cpu 0.98 runnable 0.01 reading 0.00 writing 0.00 disk 0.01": a stage and its shares.
// "pipe 0,1 2 empty 0.01 full 0.97 480": writers, readers, and shares of so many samples.
void add_line(std::istringstream& words, const std::string& first, std::vector<std::string>& names,
              std::vector<StageShares>& shares, std::vector<MadePipe>& pipes,
              std::vector<RingLevel>& levels) {
  std::string key;
  if (first != "pipe") {
    names.push_back(first);
    StageShares& stage = shares.emplace_back();
    for (double share = 0; words >> key >> share;) {
      if (key == "cpu")
        stage.on_cpu = stage.cpu = share;
      else if (key == "runnable")
        stage.runnable = share;
      else if (key == "reading")
        stage.reading = share;
      else if (key == "writing")
        stage.writing = share;
      else
        stage.elsewhere[size_t(wait_named(key))] = share;
    }
    return;
  }
  const auto numbers = [&] {
    std::string list, number;
    std::vector<size_t> all;
    words >> list;
    for (std::istringstream in(list); std::getline(in, number, ',');)
      all.push_back(std::stoul(number));
    return all;
  };
  pipes.push_back({numbers(), numbers()});
  RingLevel& level = levels.emplace_back();
  words >> key >> level.empty_share >> key >> level.full_share >> level.samples;
  level.mean_share = level.full_share + (1 - level.full_share - level.empty_share) / 2;
}

// "NAME = VERDICT", below it its stages and pipes.
std::vector<Recorded> recorded() {
  std::vector<Recorded> all;
  std::ifstream file(PIPETOP_RECORDED_PIPELINES);
  std::vector<std::string> names;
  std::vector<StageShares> shares;
  std::vector<MadePipe> pipes;
  std::vector<RingLevel> levels;
  const auto finish = [&] {
    if (names.empty()) return;
    Pipeline& pipeline = all.back().pipeline;
    pipeline = made_pipeline(names, pipes);
    for (size_t i = 0; i < names.size(); ++i) spend(pipeline, i, shares[i]);
    for (size_t i = 0; i < pipes.size(); ++i) {
      set_ring(pipeline.pipes[i], levels[i].mean_share, levels[i].empty_share,
               levels[i].full_share);
      pipeline.pipes[i].level = Reading<RingLevel>::of(levels[i]);
    }
    names.clear(), shares.clear(), pipes.clear(), levels.clear();
  };
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (const size_t equals = line.find(" = "); equals != line.npos) {
      finish();
      all.push_back({line.substr(0, equals), line.substr(equals + 3), {}});
      continue;
    }
    std::istringstream words(line);
    std::string first;
    words >> first;
    add_line(words, first, names, shares, pipes, levels);
  }
  finish();
  return all;
}

TEST(RecordedPipelines, AreJudgedAsTheyWereForced) {
  const std::vector<Recorded> all = recorded();
  EXPECT_GE(all.size(), 15u);
  for (const Recorded& one : all) {
    const Verdict verdict = judge_pipeline(one.pipeline);
    std::string said(name_of(verdict.kind));
    for (const Stage& stage : one.pipeline.stages)
      if (stage.id == verdict.stage) said += " " + stage.name;
    EXPECT_EQ(said, one.expected) << one.name << ": " << verdict.because;
  }
}

}  // namespace
}  // namespace pipetop
