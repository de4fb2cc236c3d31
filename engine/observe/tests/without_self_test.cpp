#include "engine/observe/without_self.h"

#include <gtest/gtest.h>

namespace pipetop::observe {
namespace {

constexpr ProcessId kSelf = {10, 1}, kHelper = {11, 2}, kCommand = {12, 3}, kLog = {20, 4};

ScannedTask task(ProcessId process, pid_t parent, const char* comm) {
  ScannedTask task;
  task.process = process;
  task.tid = process.pid;
  task.parent = parent;
  task.comm = comm;
  return task;
}

// A script's output goes into a log: it started us, and we a helper and a command.
PipeScan scan_with(std::vector<PipeEnd> ends) {
  PipeScan scan;
  scan.pipes.emplace_back().ends = std::move(ends);
  scan.tasks = {task(kSelf, 5, "pipetop"), task(kHelper, 10, "pipetop"), task(kCommand, 10, "yes"),
                task(kLog, 5, "tee")};
  leave_out_self(kSelf.pid, scan);
  return scan;
}

TEST(WithoutSelf, WhatOnlyWeFeedOrReadIsNoPipe) {
  const PipeEnd log = {kLog, 0, Access::read}, ours = {kSelf, 1, Access::write};
  PipeScan scan = scan_with({ours, {kHelper, 1, Access::write}, log});
  EXPECT_TRUE(scan.pipes.empty());
  EXPECT_EQ(scan.self_pipes, 1u);
  ASSERT_EQ(scan.tasks.size(), 2u);
  EXPECT_EQ(scan.tasks[0].process, kCommand) << "it is a child, but no pipetop";
  scan = scan_with({{kSelf, 0, Access::read}, {kLog, 1, Access::write}});
  EXPECT_TRUE(scan.pipes.empty());
  EXPECT_EQ(scan.self_pipes, 1u);
}

TEST(WithoutSelf, WhatOthersFeedLosesOurEndOnly) {
  const PipeEnd log = {kLog, 0, Access::read}, command = {kCommand, 1, Access::write};
  const PipeScan scan = scan_with({{kSelf, 1, Access::write}, command, log});
  ASSERT_EQ(scan.pipes.size(), 1u);
  EXPECT_EQ(scan.pipes[0].ends, (std::vector{command, log}));
  EXPECT_EQ(scan.self_pipes, 0u);
}

TEST(WithoutSelf, PipesInsideAreNotCounted) {
  const PipeScan scan = scan_with({{kSelf, 7, Access::read}, {kSelf, 8, Access::write}});
  EXPECT_TRUE(scan.pipes.empty());
  EXPECT_EQ(scan.self_pipes, 0u);
}

TEST(WithoutSelf, OthersStayAsTheyAre) {
  const std::vector<PipeEnd> ends = {{kCommand, 1, Access::write}};
  const PipeScan scan = scan_with(ends);
  ASSERT_EQ(scan.pipes.size(), 1u) << "its reader has closed it";
  EXPECT_EQ(scan.pipes[0].ends, ends);
}

}  // namespace
}  // namespace pipetop::observe
