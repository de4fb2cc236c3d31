#include <gtest/gtest.h>

#include "engine/watch/holders.h"

namespace pipetop {
namespace {

constexpr PipeId kContested = {15, 100};

ProcessId id(pid_t pid) { return {pid, 7}; }

// A shell, two that could be writers, and a reader.
class ContestedEndsTest : public testing::Test {
 protected:
  ContestedEndsTest() {
    scan.pipes.resize(1);
    scan.pipes[0].id = kContested;
    scan.pipes[0].ring.emplace();
    for (pid_t pid = 1; pid <= 4; ++pid) {
      PipeEnd& end = scan.pipes[0].ends.emplace_back();
      end.process = id(pid);
      end.fd = pid == 4 ? 0 : 1;
      end.access = pid == 4 ? Access::read : Access::write;
      ScannedTask& task = scan.tasks.emplace_back();
      task.process = id(pid);
      task.tid = pid;
      task.wait = WaitsFor::poll;
    }
    task(1).wait = WaitsFor::child;
  }

  ScannedTask& task(pid_t pid) { return scan.tasks[static_cast<size_t>(pid) - 1]; }
  PipeEnd& end(pid_t pid) { return scan.pipes[0].ends[static_cast<size_t>(pid) - 1]; }

  // After the head has moved.
  std::string moving() {
    ++scan.pipes[0].ring->head;
    contested_.see(scan, ScanIndex(scan), moving_);
    std::string pids;
    for (const auto& [pipe, process, writing] : moving_) pids += std::to_string(process.pid) + " ";
    return pids;
  }

  PipeScan scan;

 private:
  ContestedEnds contested_;
  SeenMoving moving_;
};

TEST_F(ContestedEndsTest, WhoeverHasWrittenMoves) {
  EXPECT_EQ(moving(), "");
  task(2).written_bytes = 10;
  task(3).cpu_ns = 10;
  EXPECT_EQ(moving(), "2 ");
  task(3).written_bytes = 10;
  EXPECT_EQ(moving(), "2 ") << "it is decided";
}

TEST_F(ContestedEndsTest, SeveralMoveIfItIsTheirStandardOutput) {
  moving();
  for (const pid_t pid : {2, 3}) task(pid).written_bytes = 10;
  EXPECT_EQ(moving(), "2 3 ");
}

TEST_F(ContestedEndsTest, OfSeveralWithAnotherDescriptorNobodyIsSure) {
  for (const pid_t pid : {2, 3}) end(pid).fd = 63;
  moving();
  for (const pid_t pid : {2, 3}) task(pid).written_bytes = 10;
  EXPECT_EQ(moving(), "");
}

// Somebody who has ended since has moved the head.
TEST_F(ContestedEndsTest, WhoHasItAsStandardErrorWritesElsewhere) {
  end(2).fd = 2;
  moving();
  task(2).written_bytes = 10;
  EXPECT_EQ(moving(), "");
  task(2).cpu_ns = 10;
  EXPECT_EQ(moving(), "");
  task(3).written_bytes = 10;
  EXPECT_EQ(moving(), "3 ");
}

TEST_F(ContestedEndsTest, SpliceTakesACpuAndCountsNoBytes) {
  moving();
  for (const pid_t pid : {1, 2}) task(pid).cpu_ns = 10;
  EXPECT_EQ(moving(), "2 ") << "1 waits for its child";
}

// Workers of a queue, which all hold both ends: those that read are its readers, though they log,
// and who else writes is its writer.
TEST_F(ContestedEndsTest, WhereAllHoldBothEndsReadersComeFirst) {
  std::vector<PipeEnd>& ends = scan.pipes[0].ends;
  ends.clear();
  for (pid_t pid = 1; pid <= 4; ++pid) {
    task(pid).wait = WaitsFor::sleep;
    ends.push_back({id(pid), 3, Access::read});
    ends.push_back({id(pid), 4, Access::write});
  }
  const auto work = [&] {
    for (const pid_t pid : {2, 3, 4}) task(pid).read_bytes += 10;
    for (const pid_t pid : {1, 2}) task(pid).written_bytes += 10;
    for (const pid_t pid : {1, 3}) task(pid).cpu_ns += 10;
  };
  moving();
  work();
  EXPECT_EQ(moving(), "2 3 4 ");
  work();
  EXPECT_EQ(moving(), "1 2 3 4 ");
}

TEST_F(ContestedEndsTest, NobodyMovesWhatStandsStill) {
  moving();
  task(2).written_bytes = 10;
  --scan.pipes[0].ring->head;
  EXPECT_EQ(moving(), "");
}

}  // namespace
}  // namespace pipetop
