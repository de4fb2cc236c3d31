#include "engine/experiment/tune_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/experiment/tests/fake_pipe.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

std::vector<std::string> values_of(const TuneSpace& space, std::string_view name) {
  for (const TuneKnob& k : space.knobs())
    if (k.knob->name == name) return k.values;
  return {};
}

bool has(const std::vector<std::string>& values, std::string_view value) {
  return std::ranges::find(values, value) != values.end();
}

TEST(TuneSpace, TakesItsValuesFromTheKnobs) {
  const TuneSpace space = fake_space();
  EXPECT_EQ(values_of(space, "wait").size(), knob("wait").values.size());
  EXPECT_EQ(values_of(space, "pages"), (std::vector<std::string>{"4k", "thp", "hugetlb"}));
  EXPECT_EQ(values_of(space, "write_with"), (std::vector<std::string>{"write", "vmsplice"}));
  EXPECT_EQ(values_of(space, "buffers"), (std::vector<std::string>{"separate", "same"}));
  EXPECT_FALSE(has(values_of(space, "placement"), "cpus"));
  EXPECT_TRUE(has(values_of(space, "placement"), "same_cpu"));
}

TEST(TuneSpace, RingsEndAtTheLimit) {
  EXPECT_EQ(values_of(fake_space(1 << 20), "pipe_size").back(), "1MiB");
  EXPECT_EQ(values_of(fake_space(16 << 20), "pipe_size").back(), "16MiB");
  EXPECT_TRUE(has(values_of(fake_space(1 << 20), "buf_size"), "4MiB"));
}

TEST(TuneSpace, WhatComesToTheSameThingIsEqual) {
  const TuneSpace space = fake_space();
  const Settings plain = space.as_planned({});
  EXPECT_EQ(plain.pipe.pipe_size, kKernelDefaultPipeBytes);
  EXPECT_EQ(space.as_planned(with({}, "gift", "true")), plain);      // there is no vmsplice
  EXPECT_EQ(space.as_planned(with({}, "placement", "far")), plain);  // one cache for all
  EXPECT_EQ(space.as_planned(with({}, "pipe_size", "64KiB")), plain);
  EXPECT_EQ(space.as_planned(plain), plain);
}

TEST(TuneSpace, CandidatesAreDistinctAndTheLikeliestComeFirst) {
  const TuneSpace space = fake_space();
  std::mt19937_64 random(1);
  const auto few = space.candidates(6, random);
  ASSERT_EQ(few.size(), 6u);
  const auto is_good = [](const Settings& s) { return usual_truth(s) > 90; };
  EXPECT_TRUE(std::ranges::any_of(few, is_good));
  const auto many = space.candidates(60, random);
  EXPECT_GE(many.size(), 55u);  // a few of the sample come to the same thing
  for (size_t i = 0; i < many.size(); ++i)
    EXPECT_EQ(std::count(many.begin(), many.end(), many[i]), 1) << i;
  EXPECT_NE(std::ranges::find(many, fake_reference(space)), many.end());
  EXPECT_TRUE(
      std::ranges::all_of(many, [&](const Settings& s) { return space.as_planned(s) == s; }));
}

TEST(TuneSpace, LargeRingsAreGuessedWhereTheyAreAllowed) {
  std::mt19937_64 random(1);
  const auto first = fake_space(16 << 20).candidates(9, random).front();
  EXPECT_EQ(first.pipe.pipe_size, 4u << 20);
  const auto tiny = fake_space(8192).candidates(9, random);
  EXPECT_TRUE(
      std::ranges::all_of(tiny, [](const Settings& s) { return s.pipe.pipe_size <= 8192; }));
}

TEST(TuneSpace, TheSampleHasEveryValue) {
  const TuneSpace space = fake_space();
  std::mt19937_64 random(3);
  std::set<std::string> pipes, bufs;
  for (const Settings& s : space.candidates(90, random)) {
    pipes.insert(knob("pipe_size").get(s));
    bufs.insert(knob("buf_size").get(s));
  }
  for (const std::string& size : values_of(space, "pipe_size")) EXPECT_TRUE(pipes.contains(size));
  for (const std::string& size : values_of(space, "buf_size")) EXPECT_TRUE(bufs.contains(size));
}

TEST(TuneSpace, WhatIsFixedStaysInEveryCandidateAndMove) {
  const auto fixed = [](Settings& s) { s.pipe.read_with = ReadWith::read; };
  const TuneSpace space = fake_space(1 << 20, fixed);
  std::mt19937_64 random(1);
  for (const Settings& s : space.candidates(40, random)) {
    EXPECT_EQ(s.pipe.read_with, ReadWith::read);
    for (const TuneMove& move : space.moves(s)) EXPECT_NE(move.knob, "read_with");
  }
}

TEST(TuneSpace, AMoveTurnsOneKnob) {
  const TuneSpace space = fake_space();
  const Settings from = fake_reference(space);
  std::set<std::string> moved;
  for (const TuneMove& move : space.moves(from)) {
    EXPECT_EQ(knob(move.knob).get(move.settings), move.value);
    EXPECT_NE(knob(move.knob).get(from), move.value);
    EXPECT_TRUE(moved.insert(move.knob + " " + move.value).second);
  }
  // Sizes go to their neighbours only; gift and buffers need the vmsplice that is there.
  for (const char* expected :
       {"write_with write", "read_with read", "wait block", "wait poll", "wait busy_poll",
        "pages 4k", "pages hugetlb", "gift true", "buffers same", "buf_size 128KiB",
        "buf_size 512KiB", "pipe_size 64KiB", "pipe_size 256KiB", "placement unpinned",
        "placement same_cpu"})
    EXPECT_EQ(moved.erase(expected), 1u) << expected;
  std::erase_if(moved, [](const std::string& m) { return m.starts_with("wait "); });
  EXPECT_TRUE(moved.empty()) << *moved.begin();
}

TEST(TuneSpace, DiagonalMovesTurnBothSizes) {
  const TuneSpace space = fake_space();
  const Settings from = fake_reference(space);
  const auto moves = space.diagonal_moves(from);
  EXPECT_EQ(moves.size(), 4u);
  for (const Settings& s : moves) {
    EXPECT_NE(s.pipe.pipe_size, from.pipe.pipe_size);
    EXPECT_NE(s.pipe.buf_size, from.pipe.buf_size);
  }
}

TEST(TuneSpace, AStartThatIsNoCandidateIsLeftOut) {
  TuneSpaceOptions options;
  options.base.pipe.buffers = Buffers::single;
  options.base.pipe.write_with = WriteWith::vmsplice;
  const TuneSpace space(options);
  std::mt19937_64 random(1);
  for (const Settings& s : space.candidates(60, random)) EXPECT_NE(s.pipe.buffers, Buffers::single);
}

TEST(TuneSpace, AMismatchOfASearchedKnobIsTold) {
  const Settings asked = fake_reference(fake_space());
  Effective effective;
  effective.settings = asked;
  effective.mismatches = {{"lock_memory", "true", "false", "no"}};
  EXPECT_EQ(searched_mismatch(asked, effective), "");
  effective.settings.pipe.pages = Pages::k4;
  effective.mismatches.push_back({"pages", "thp", "4k", "none free; try later"});
  EXPECT_EQ(searched_mismatch(asked, effective), "pages thp: none free; try later");
}

}  // namespace
}  // namespace pipetop
