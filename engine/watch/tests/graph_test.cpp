#include "engine/watch/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/base/graph_order.h"
#include "engine/watch/tests/made_scan.h"

namespace pipetop {
namespace {

using Parts = std::vector<std::string>;

TEST(GraphOrder, FollowsTheArrowsAndElseTheNumbers) {
  const std::vector<std::vector<size_t>> arrows = {{}, {0}, {1, 0}, {}};
  EXPECT_EQ(graph_order(arrows, 4), (std::vector<size_t>{2, 1, 0, 3}));
}

TEST(GraphOrder, KeepsACircleTogether) {
  // 3 and 1 are a circle that leads to 0; 2 leads to the circle; 4 links 3 with 1.
  const std::vector<std::vector<size_t>> arrows = {{}, {3, 0}, {3}, {4}, {1}};
  EXPECT_EQ(graph_order(arrows, 4), (std::vector<size_t>{2, 1, 3, 0}));
  const std::vector<size_t> circle = circles(arrows);
  EXPECT_EQ(circle[1], circle[3]);
  EXPECT_NE(circle[1], circle[0]);
  EXPECT_NE(circle[1], circle[2]);
}

TEST(GraphOrder, GoesThroughLongChains) {
  constexpr size_t kLong = 20'000;
  std::vector<std::vector<size_t>> arrows(kLong);
  for (size_t i = 1; i < kLong; ++i) arrows[i] = {i - 1};
  const std::vector<size_t> order = graph_order(arrows, kLong);
  ASSERT_EQ(order.size(), kLong);
  EXPECT_EQ(order.front(), kLong - 1);
  EXPECT_EQ(order.back(), 0u);
}

TEST(PipeGraph, AChainIsInTheOrderOfTheFlow) {
  MadeScan made;
  made.chain({43, 41, 42});
  EXPECT_EQ(made.parts(), Parts{"43 | 41 | 42: 0 1"});
}

TEST(PipeGraph, PipelinesWithoutACommonPipeAreApart) {
  MadeScan made;
  made.chain({41, 42});
  made.chain({51, 52, 53});
  EXPECT_EQ(made.parts(), (Parts{"41 | 42: 0", "51 | 52 | 53: 1 2"}));
}

TEST(PipeGraph, ASocketJoinsBothHalves) {
  MadeScan made;
  made.chain({41, 42});
  made.chain({51, 52}, 200);
  const size_t socket = made.pipe();
  made.socket(socket);
  made.writes(socket, 42, 3), made.reads(socket, 51, 4);
  EXPECT_EQ(made.parts(), Parts{"41 | 42 | 51 | 52: 0 2 1"});
}

TEST(PipeGraph, ASocketToAnotherMachineBelongsToItsStage) {
  MadeScan made;
  made.chain({41, 42});
  const size_t socket = made.pipe();
  made.writes(socket, 42, 3);
  EXPECT_EQ(made.parts(), (Parts{"41 | 42: 0", "42: 1"})) << "a pipe";
  made.socket(socket);
  EXPECT_EQ(made.parts(), Parts{"41 | 42: 0 1"});
}

// Its clients have nothing to do with each other.
TEST(PipeGraph, AServerOfManyIsAStageOfEachPart) {
  MadeScan made;
  made.process(90);
  for (pid_t client = 41; client <= 45; ++client) {
    made.process(client);
    const size_t socket = made.pipe();
    made.socket(socket);
    made.writes(socket, client, 3), made.reads(socket, 90, int(client));
  }
  EXPECT_EQ(made.parts().size(), 5u);
}

TEST(PipeGraph, PipesAreInTheOrderOfTheirWriters) {
  MadeScan made;
  made.chain({43, 42});
  const size_t last = made.pipe(), first = made.pipe();
  made.process(41);
  made.process(44);
  made.writes(last, 42), made.reads(last, 41);
  made.writes(first, 44), made.reads(first, 43);
  EXPECT_EQ(made.parts(), Parts{"44 | 43 | 42 | 41: 2 0 1"});
}

TEST(PipeGraph, AShellThatForgotToCloseIsNotPartOfIt) {
  MadeScan made;
  made.process(40);
  made.chain({41, 42});
  made.writes(0, 40, 5), made.reads(0, 40, 6);
  EXPECT_EQ(made.parts(), Parts{"41 | 42: 0"});
  EXPECT_EQ(made.active(0), "41:1 42:0");
}

TEST(PipeGraph, ASubshellThatWaitsForItsChildDoesNotMoveData) {
  MadeScan made;  // tar c . | { zstd; echo done; } | ssh
  made.chain({41, 42, 43});
  made.does(42, WaitsFor::child, 2'000'000);
  made.process(44, 42);
  made.reads(0, 44), made.writes(1, 44);
  EXPECT_EQ(made.parts(), Parts{"41 | 44 | 43: 0 1"});
  // It wrote something before, and now the child does.
  made.saw(1, 42);
  EXPECT_EQ(made.active(1), "43:0 44:1");
}

TEST(PipeGraph, ALoopThatSleepsMovesDataAndItsSleepDoesNot) {
  MadeScan made;  // while sleep 1; do date; done | cat
  made.chain({41, 42});
  made.does(41, WaitsFor::child, 9'000'000);
  made.process(44, 41);
  made.does(44, WaitsFor::sleep, 800'000);
  made.writes(0, 44);
  EXPECT_EQ(made.parts(), Parts{"41 | 42: 0"});
  // Another child works, but not for long.
  made.does(44, WaitsFor::none, 300'000'000);
  EXPECT_EQ(made.parts(), Parts{"41 | 42: 0"});
}

TEST(PipeGraph, WhoWasSeenMovingCountsMoreThanWhoHasItAsOutput) {
  MadeScan made;
  made.chain({41, 42});
  made.process(45, 44);
  made.process(44, 1);
  made.writes(0, 44, 7), made.writes(0, 45, 8);
  EXPECT_EQ(made.active(0), "41:1 42:0");
  made.saw(0, 45);
  EXPECT_EQ(made.active(0), "42:0 45:8");
  made.saw(0, 41);
  EXPECT_EQ(made.active(0), "41:1 42:0 45:8");
}

// After a fork that closed nothing.
TEST(PipeGraph, OfWhoHoldsBothEndsWhatItWasSeenToDoCounts) {
  MadeScan made;
  const size_t pipe = made.pipe();
  for (const pid_t pid : {41, 42, 43}) {
    made.process(pid, pid == 41 ? 1 : 41);
    made.reads(pipe, pid, 3), made.writes(pipe, pid, 4);
  }
  EXPECT_EQ(made.active(pipe), "") << "any of them could be meant";
  made.saw(pipe, 42, false);
  EXPECT_EQ(made.active(pipe), "42:3");
  made.saw(pipe, 43, false);
  EXPECT_EQ(made.active(pipe), "41:4 42:3 43:3") << "nobody else is left";
  made.saw(pipe, 41, true);
  EXPECT_EQ(made.parts(), Parts{"41 | 42 | 43: 0"});
}

TEST(PipeGraph, TwoWritersOfOnePipe) {
  MadeScan made;
  made.chain({41, 42});
  made.process(43);
  made.writes(0, 43);
  EXPECT_EQ(made.parts(), Parts{"41 | 43 | 42: 0"});
}

TEST(PipeGraph, TeeIntoTwoSubstitutions) {
  MadeScan made;  // seq 9 | tee >(sha256sum) >(xz) by bash 40, which waits
  made.process(40, 1, 100, WaitsFor::child);
  made.chain({41, 42});
  const size_t a = made.pipe(), b = made.pipe();
  made.does(42, WaitsFor::pipe_write, 5'000'000);
  for (ScannedTask& task : made.tasks())
    if (task.tid != 40) task.parent = 40;
  made.process(43, 40), made.process(44, 40);
  made.reads(a, 43), made.reads(b, 44);
  made.writes(a, 40, 63), made.writes(b, 40, 62);
  made.writes(a, 42, 63), made.writes(a, 42, 3), made.writes(b, 42, 62), made.writes(b, 42, 4);
  EXPECT_EQ(made.parts(), Parts{"41 | 42 | 43 | 44: 0 1 2"});
}

TEST(PipeGraph, PasteOfTwoSubstitutions) {
  MadeScan made;
  made.process(41), made.process(42), made.process(43);
  const size_t a = made.pipe(), b = made.pipe();
  made.writes(a, 41), made.writes(b, 42);
  made.reads(a, 43, 63), made.reads(b, 43, 62);
  EXPECT_EQ(made.parts(), Parts{"41 | 42 | 43: 0 1"});
}

TEST(PipeGraph, AFifoJoinsTwoGroups) {
  MadeScan made;  // tar | zstd > fifo in one session, wc < fifo | cat in another
  made.chain({41, 42}, 100);
  made.chain({51, 52}, 200);
  const size_t fifo = made.pipe();
  made.writes(fifo, 42), made.reads(fifo, 51);
  EXPECT_EQ(made.parts(), Parts{"41 | 42 | 51 | 52: 0 2 1"});
}

TEST(PipeGraph, AFifoOpenedForBothIsReadByItsDaemon) {
  MadeScan made;
  made.process(41), made.process(42);
  const size_t fifo = made.pipe();
  made.hold(fifo, 42, 5, Access::both);
  made.writes(fifo, 41);
  EXPECT_EQ(made.parts(), Parts{"41 | 42: 0"});
  EXPECT_EQ(made.active(fifo), "41:1 42:5");
}

TEST(PipeGraph, StandardDescriptorsTellWhatAFifoForBothIsFor) {
  MadeScan made;  // exec 3<>fifo; cat <&3 & yes >&3
  made.process(40, 1, 100, WaitsFor::terminal), made.process(41, 40), made.process(42, 40);
  const size_t fifo = made.pipe();
  for (const pid_t pid : {40, 41, 42}) made.hold(fifo, pid, 3, Access::both);
  made.hold(fifo, 41, 0, Access::both), made.hold(fifo, 42, 1, Access::both);
  EXPECT_EQ(made.parts(), Parts{"42 | 41: 0"});
}

TEST(PipeGraph, ErrorsSharedIntoAPager) {
  MadeScan made;  // (cc | as) 2>&1 | less
  made.chain({41, 42});
  made.process(43);
  const size_t pager = made.pipe();
  made.writes(pager, 41, 2), made.writes(pager, 42, 1), made.writes(pager, 42, 2);
  made.reads(pager, 43);
  EXPECT_EQ(made.parts(), Parts{"41 | 42 | 43: 0 1"});
  EXPECT_EQ(made.active(pager), "42:1 42:2 43:0");
}

TEST(PipeGraph, ErrorsAloneAreAFlowIfThereIsNoOther) {
  MadeScan made;  // cmd 2>&1 >/dev/null | grep
  made.process(41), made.process(42);
  const size_t errors = made.pipe();
  made.writes(errors, 41, 2), made.reads(errors, 42);
  EXPECT_EQ(made.parts(), Parts{"41 | 42: 0"});
}

TEST(PipeGraph, ErrorsDoNotTieAPipelineToItsSupervisor) {
  MadeScan made;
  made.chain({41, 42, 43});
  made.process(30);
  const size_t errors = made.pipe();
  made.reads(errors, 30, 9);
  made.writes(errors, 41, 2), made.writes(errors, 42, 2);
  EXPECT_EQ(made.parts(), (Parts{"41 | 42 | 43: 0 1", "41 | 42 | 30: 2"}));
  made.saw(errors, 41);
  EXPECT_EQ(made.parts(), Parts{"41 | 30 | 42 | 43: 2 0 1"});
}

TEST(PipeGraph, WhatAScriptLogsIsNotFromItsTools) {
  MadeScan made;
  made.process(30), made.process(40, 30, 100, WaitsFor::child);
  for (const pid_t pid : {41, 42}) {
    made.process(pid, 40);
    made.does(pid, WaitsFor::other, 600'000'000);
  }
  const size_t data = made.pipe(), log = made.pipe();
  made.writes(data, 41), made.reads(data, 42);
  made.writes(log, 40), made.writes(log, 41, 2), made.writes(log, 42, 2), made.reads(log, 30, 9);
  made.saw(log, 40, true);
  EXPECT_EQ(made.parts(), (Parts{"41 | 42: 0", "40 | 30: 1"}));
}

TEST(PipeGraph, ASupervisorDoesNotTieItsChildrenTogether) {
  MadeScan made;  // containerd and two containers, one of them with a pipeline
  made.process(10, 1, 10);
  made.chain({41, 42}, 41);
  made.process(51, 10, 51);
  const size_t a = made.pipe(), b = made.pipe(), in = made.pipe();
  made.writes(a, 42), made.reads(a, 10, 20);
  made.writes(b, 51), made.reads(b, 10, 21);
  made.writes(in, 10, 22), made.reads(in, 51);
  EXPECT_EQ(made.parts(), (Parts{"41 | 42 | 10: 0 1", "10 | 51: 3 2"}));
}

TEST(PipeGraph, OneChildIsNoReasonToCut) {
  MadeScan made;
  made.process(10, 1, 10);
  made.chain({41, 42}, 41);
  const size_t out = made.pipe();
  made.writes(out, 42), made.reads(out, 10, 20);
  EXPECT_EQ(made.parts(), Parts{"41 | 42 | 10: 0 1"});
}

TEST(PipeGraph, AnEventLoopWakesItself) {
  MadeScan made;
  made.chain({41, 42});
  const size_t own = made.pipe();
  made.reads(own, 41, 7), made.writes(own, 41, 8);
  EXPECT_TRUE(is_own(made.scan().pipes[own]));
  EXPECT_FALSE(is_own(made.scan().pipes[0]));
  EXPECT_FALSE(is_own(ScannedPipe{}));
  EXPECT_EQ(made.parts(), (Parts{"41 | 42: 0", "41: 1"}));
  EXPECT_EQ(made.active(own), "41:7 41:8");
}

TEST(PipeGraph, WhatEverybodyInheritedConnectsNobody) {
  MadeScan made;  // a tool leaks descriptor 251 to all that it starts
  made.process(30);
  made.chain({41, 42});
  made.chain({51, 52});
  const size_t leak = made.pipe();
  made.reads(leak, 30, 9);
  for (const pid_t pid : {41, 42, 51, 52}) made.writes(leak, pid, 251);
  EXPECT_EQ(made.parts(), (Parts{"41 | 42: 0", "51 | 52: 1", "30: 2"}));
  EXPECT_EQ(made.active(leak), "30:9");
  made.saw(leak, 51);
  EXPECT_EQ(made.active(leak), "30:9 51:251");
}

TEST(PipeGraph, ForkedWorkersInheritBothEnds) {
  MadeScan made;
  const size_t wakeups = made.pipe();
  for (const pid_t pid : {41, 42, 43}) {
    made.process(pid, 40);
    made.reads(wakeups, pid, 7), made.writes(wakeups, pid, 8);
  }
  EXPECT_EQ(made.active(wakeups), "");
  EXPECT_EQ(made.parts(), Parts{"41 | 42 | 43: 0"});
  made.saw(wakeups, 42);
  EXPECT_EQ(made.active(wakeups), "42:7 42:8");
}

TEST(PipeGraph, ACoprocessIsACircle) {
  MadeScan made;
  made.process(42, 41), made.process(41);
  const size_t there = made.pipe(), back = made.pipe();
  made.writes(there, 41, 60), made.reads(there, 42);
  made.writes(back, 42), made.reads(back, 41, 63);
  EXPECT_EQ(made.parts(), Parts{"41 | 42: 0 1"});
}

TEST(PipeGraph, ACircleWithAnInputAndAnOutput) {
  MadeScan made;  // 60 | (41, 42 in a circle) | 40
  made.process(60), made.process(41), made.process(42), made.process(40);
  const size_t there = made.pipe(), back = made.pipe(), in = made.pipe(), out = made.pipe();
  made.writes(there, 42, 5), made.reads(there, 41, 5);
  made.writes(back, 41, 6), made.reads(back, 42, 6);
  made.writes(in, 60), made.reads(in, 42);
  made.writes(out, 41), made.reads(out, 40);
  EXPECT_EQ(made.parts(), Parts{"60 | 41 | 42 | 40: 2 1 3 0"});
}

TEST(PipeGraph, WhatCannotBeSeenOrIsClosed) {
  MadeScan made;
  made.chain({41, 42});
  const size_t in = made.pipe(), out = made.pipe(), other = made.pipe();
  made.reads(in, 41);    // written by another user's process
  made.writes(out, 42);  // its reader has exited
  made.process(50);
  made.writes(other, 50);  // alone
  EXPECT_EQ(made.parts(), (Parts{"41 | 42: 1 0 2", "50: 3"}));
}

TEST(PipeGraph, AnOneSidedPipeConnectsNothing) {
  MadeScan made;
  made.chain({41, 42});
  made.chain({51, 52});
  const size_t in = made.pipe();
  made.reads(in, 41), made.reads(in, 51);
  EXPECT_EQ(made.parts(), (Parts{"41 | 42: 0", "51 | 52: 1", "41 | 51: 2"}));
}

TEST(PipeGraph, IsTheSameForTheSameScan) {
  MadeScan made;
  made.chain({41, 42, 43});
  made.chain({51, 52});
  EXPECT_EQ(made.parts(), made.parts());
  EXPECT_TRUE(pipelines(PipeScan{}, {}, Families({})).empty());
}

TEST(PipeGraph, EveryPipeIsInOnePart) {
  MadeScan made;
  for (pid_t pid = 1000; pid < 1100; ++pid) made.process(pid, 1, pid % 7);
  for (unsigned i = 0; i < 200; ++i) {
    const size_t pipe = made.pipe();
    // Any mixture of holders.
    for (unsigned n = 0; n < i % 5; ++n)
      made.hold(pipe, pid_t(1000 + (i * 37 + n * 11) % 100), int((i + n * 3) % 9),
                static_cast<Access>((i + n) % 3));
    if (i % 3 == 0) made.saw(pipe, pid_t(1000 + i * 37 % 100));
  }
  std::vector<size_t> pipes;
  const PipeScan scan = made.scan();
  for (const PipelineShape& shape : pipelines(scan, made.seen(), Families(scan.tasks)))
    pipes.insert(pipes.end(), shape.pipes.begin(), shape.pipes.end());
  std::ranges::sort(pipes);
  std::vector<size_t> all(200);
  std::iota(all.begin(), all.end(), size_t(0));
  EXPECT_EQ(pipes, all);
}

}  // namespace
}  // namespace pipetop
