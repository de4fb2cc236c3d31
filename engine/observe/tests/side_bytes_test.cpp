#include <gtest/gtest.h>

#include "engine/observe/held_ends.h"

namespace pipetop::observe {
namespace {

PipeEnd end(pid_t pid, int fd, Access access) {
  return {.process = {pid, 7}, .fd = fd, .access = access, .nonblocking = false};
}

ScannedPipe moving(uint64_t inode, std::vector<PipeEnd> ends) {
  ScannedPipe pipe;
  pipe.id = {12, inode};
  pipe.ring.emplace();
  pipe.ring->sides.emplace();
  pipe.ends = std::move(ends);
  return pipe;
}

const std::vector<ProcessBytes> kBytes = {
    {{1, 7}, 1000, 10}, {{2, 7}, 200, 1000}, {{3, 7}, 30, 200}};

TEST(SideBytes, AreThoseOfWritersAndReaders) {
  std::vector<ScannedPipe> pipes = {
      moving(1, {end(1, 1, Access::write), end(2, 0, Access::read)}),
      moving(2, {end(2, 1, Access::write), end(2, 5, Access::write), end(3, 0, Access::read)})};
  fill_sides(pipes, kBytes);
  ASSERT_TRUE(pipes[0].ring->sides);
  EXPECT_EQ(pipes[0].ring->sides->written, 1000u);
  EXPECT_EQ(pipes[0].ring->sides->read, 1000u);
  ASSERT_TRUE(pipes[1].ring->sides);  // one process may have an end twice
  EXPECT_EQ(pipes[1].ring->sides->written, 200u);
  EXPECT_EQ(pipes[1].ring->sides->read, 200u);
  EXPECT_NE(pipes[0].ring->sides->holders, pipes[1].ring->sides->holders);
}

TEST(SideBytes, OfTwoPipesThatMoveNobodyKnowsWhich) {
  std::vector<ScannedPipe> pipes = {moving(1, {end(1, 1, Access::write), end(2, 0, Access::read)}),
                                    moving(2, {end(1, 2, Access::write), end(3, 0, Access::read)})};
  fill_sides(pipes, kBytes);
  EXPECT_FALSE(pipes[0].ring->sides);
  EXPECT_FALSE(pipes[1].ring->sides);
  // The other one stands still.
  pipes[0].ring->sides.emplace();
  fill_sides(pipes, kBytes);
  EXPECT_TRUE(pipes[0].ring->sides);
  EXPECT_FALSE(pipes[1].ring->sides);
}

TEST(SideBytes, AnUnknownProcessMakesThemUnknown) {
  std::vector<ScannedPipe> pipes = {moving(1, {end(1, 1, Access::write), end(4, 0, Access::read)}),
                                    moving(2, {end(2, 1, Access::both)})};
  pipes.emplace_back().id = {12, 3};  // without a ring
  fill_sides(pipes, kBytes);
  EXPECT_FALSE(pipes[0].ring->sides);
  ASSERT_TRUE(pipes[1].ring->sides);
  EXPECT_EQ(pipes[1].ring->sides->written, 200u);
  EXPECT_EQ(pipes[1].ring->sides->read, 1000u);
  EXPECT_FALSE(pipes[2].ring);
}

TEST(SideBytes, BehindAnUnknownProcessOthersAreCountedAllTheSame) {
  std::vector<ScannedPipe> pipes = {
      moving(1, {end(0, 1, Access::write), end(2, 1, Access::write), end(3, 0, Access::read)}),
      moving(2, {end(1, 0, Access::read), end(2, 4, Access::write)})};
  fill_sides(pipes, kBytes);
  EXPECT_FALSE(pipes[1].ring->sides) << "2 writes to another one, too";
}

TEST(SideBytes, ThoseOfARingThatStandsAreThoseOfProcessesThatMoveNothingElse) {
  std::vector<ScannedPipe> pipes = {moving(1, {end(1, 1, Access::write), end(2, 0, Access::read)}),
                                    moving(2, {end(2, 1, Access::write), end(3, 0, Access::read)}),
                                    moving(3, {end(1, 4, Access::write), end(3, 4, Access::read)})};
  for (const size_t i : {1, 2}) pipes[i].ring->sides.reset();
  fill_sides(pipes, kBytes, true);
  EXPECT_TRUE(pipes[0].ring->sides);
  ASSERT_TRUE(pipes[1].ring->sides);
  EXPECT_EQ(pipes[1].ring->sides->written, 200u);
  EXPECT_FALSE(pipes[2].ring->sides) << "1 writes to the one that moves";
}

TEST(SideBytes, TellWhoTheHoldersAre) {
  std::vector<ScannedPipe> before = {
      moving(1, {end(1, 1, Access::write), end(2, 0, Access::read)})};
  std::vector<ScannedPipe> after = {
      moving(1, {end(1, 1, Access::write), end(2, 0, Access::read), end(3, 0, Access::read)})};
  std::vector<ScannedPipe> turned = {
      moving(1, {end(1, 1, Access::read), end(2, 0, Access::write)})};
  for (auto* pipes : {&before, &after, &turned}) fill_sides(*pipes, kBytes);
  EXPECT_NE(before[0].ring->sides->holders, after[0].ring->sides->holders);
  EXPECT_NE(before[0].ring->sides->holders, turned[0].ring->sides->holders);
}

}  // namespace
}  // namespace pipetop::observe
