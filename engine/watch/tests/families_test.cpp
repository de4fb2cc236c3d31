// What a stranger can make of descriptors: the work grows no faster than their number.
#include <gtest/gtest.h>

#include "engine/watch/scan_index.h"
#include "engine/watch/tests/made_scan.h"

namespace pipetop {
namespace {

constexpr size_t kEnds = 250'000;
// For an end an ancestor is asked for at most 32 times, and a descriptor once for each.
constexpr size_t kMostSteps = 40;

// Each is the child of the one before, and waits for its own.
void add_generations(MadeScan& made, int count, WaitsFor wait = WaitsFor::child) {
  for (pid_t pid = 100; pid < 100 + count; ++pid) made.process(pid, pid - 1, 100, wait);
}

size_t count_ends(const PipeScan& scan) {
  size_t ends = 0;
  for (const ScannedPipe& pipe : scan.pipes) ends += pipe.ends.size();
  return ends;
}

void expect_little_work(const MadeScan& made) {
  const PipeScan scan = made.scan();
  const size_t ends = count_ends(scan);
  ASSERT_GE(ends, kEnds - 1000);
  const Families families(scan.tasks);
  for (const ScannedPipe& pipe : scan.pipes) active_ends(pipe, made.seen(), families);
  EXPECT_GT(families.steps(), 0u) << "nothing was asked";
  EXPECT_LE(families.steps(), kMostSteps * ends);
}

TEST(Families, OnePipeThatManyInheritManyTimes) {
  MadeScan made;
  add_generations(made, 16);
  const size_t pipe = made.pipe();
  for (pid_t pid = 100; pid < 116; ++pid)
    for (int fd = 3; fd < 3 + int(kEnds / 16); ++fd) made.writes(pipe, pid, fd);
  expect_little_work(made);
}

TEST(Families, ManyPipesThatManyInherit) {
  MadeScan made;
  add_generations(made, 40);
  for (size_t i = 0; i < kEnds / 80; ++i) {
    const size_t pipe = made.pipe();
    for (pid_t pid = 100; pid < 140; ++pid) {
      made.reads(pipe, pid, int(3 + 2 * i));
      made.writes(pipe, pid, int(4 + 2 * i));
    }
    made.saw(pipe, 139);
  }
  expect_little_work(made);
}

// Who has one descriptor isn't compared with all of its parent's.
TEST(Families, ChildrenOfOneThatHoldsAPipeManyTimes) {
  MadeScan made;
  made.process(100);
  const size_t pipe = made.pipe();
  for (int fd = 3; fd < 3 + int(kEnds / 2); ++fd) made.writes(pipe, 100, fd);
  for (int i = 0; i < int(kEnds / 2); ++i) {
    made.process(101 + i, 100);
    made.writes(pipe, 101 + i, 3 + i);
  }
  expect_little_work(made);
}

TEST(Families, KnowParentsThatHoldAPipeAndWhatTheThreadsHaveDone) {
  MadeScan made;
  made.process(41, 7);
  made.process(42, 41, 100, WaitsFor::child);
  ScannedTask thread = made.tasks().back();
  thread.tid = 43;
  thread.wait = WaitsFor::other;
  made.tasks().push_back(thread);
  const PipeScan scan = made.scan();
  const Families families(scan.tasks);
  const Families::Member* member = families.find(scan.tasks[1].process);
  ASSERT_NE(member, nullptr);
  ASSERT_NE(member->parent, nullptr);
  EXPECT_EQ(member->parent->process.pid, 41);
  EXPECT_EQ(member->parent->parent, nullptr) << "7 holds no pipe";
  EXPECT_EQ(member->cpu_ns, 2'000'000'000u);
  EXPECT_TRUE(member->waits_for_child);
  EXPECT_EQ(families.find({50, 1}), nullptr);
}

}  // namespace
}  // namespace pipetop
