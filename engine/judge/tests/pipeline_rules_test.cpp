// Who is to blame, and what the line says: a stage that works or waits, in chains, forks and
// circles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "engine/judge/blame.h"
#include "engine/judge/tests/made_segments.h"
#include "engine/judge/tests/pipeline_verdicts.h"
#include "engine/judge/wait_graph.h"

namespace pipetop {
namespace {

using Kind = Verdict::Kind;

// ---- one stage that works ----

TEST(Bottleneck, EveryPlaceOfAChain) {
  for (size_t i = 0; i < 4; ++i) {
    const Pipeline view = limited({"tar", "pv", "gzip", "ssh"}, i);
    EXPECT_EQ(verdict_of(view), fmt::format("stage {} none", view.stages[i].name));
    EXPECT_GT(blame(wait_graph_of(view))[i], 0.9);
  }
}

TEST(Bottleneck, SaysSoWithNumbers) {
  EXPECT_EQ(
      line_of(limited({"tar", "gzip", "ssh"}, 1)),
      "bottleneck: gzip; its input is full 97 %, its output empty 97 %, and it is on a CPU 97 %");
  EXPECT_TRUE(has_clause(judge_pipeline(limited({"tar", "gzip", "ssh"}, 1)), "(one thread)"));
  EXPECT_EQ(line_of(limited({"tar", "gzip"}, 0)),
            "bottleneck: tar; its output is empty 97 %, and it is on a CPU 97 % (one thread)");
  EXPECT_EQ(line_of(limited({"tar", "gzip"}, 1)),
            "bottleneck: gzip; its input is full 97 %, and it is on a CPU 97 % (one thread)");
  EXPECT_EQ(
      line_of(limited({"a", "a_long_name_of_", "c"}, 1)),
      "bottleneck: a_long_name_of_; its input is full 97 %, its output empty 97 %, and it is on "
      "a CPU 97 %");
}

TEST(Bottleneck, OtherStagesMayWorkAlot) {
  Pipeline view = limited({"tar", "pv", "gzip", "ssh"}, 2);
  for (const size_t i : {0u, 1u}) spend(view, i, {.cpu = 0.6, .on_cpu = 0.6, .writing = 0.38});
  spend(view, 3, {.cpu = 0.6, .on_cpu = 0.6, .reading = 0.38});
  EXPECT_EQ(verdict_of(view), "stage gzip none");
}

TEST(Bottleneck, AChainOfTen) {
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) names.push_back(fmt::format("s{}", i));
  for (const size_t slow : {0u, 4u, 9u}) {
    Pipeline view = limited(names, slow);
    for (size_t i = 0; i < names.size(); ++i) {
      if (i == slow) continue;
      StageShares shares{.cpu = 0.4, .on_cpu = 0.4};
      (i < slow ? shares.writing : shares.reading) = 0.58;
      spend(view, i, shares);
    }
    EXPECT_EQ(verdict_of(view), fmt::format("stage s{} none", slow));
  }
}

TEST(Bottleneck, AQuotaLooksLikeWaitingForACpu) {
  Pipeline view = limited({"yes", "gzip", "cat"}, 1);
  spend(view, 1, {.cpu = 0.2, .on_cpu = 0.2, .runnable = 0.78});
  EXPECT_EQ(verdict_of(view), "stage gzip none");
  EXPECT_EQ(line_of(view),
            "bottleneck: gzip; its input is full 97 %, and it waits for a CPU 78 %, runs 20 %");
  EXPECT_NE(judge_pipeline(view).advice.find("up to x"), std::string::npos);
}

TEST(Bottleneck, AStageOfManyThreadsTakesTheCpusOfAnotherOne) {
  Pipeline view = limited({"mix", "zstd", "cat"}, 0);
  spend(view, 0, {.cpu = 0.3, .on_cpu = 0.3, .runnable = 0.5});
  spend(view, 1, {.cpu = 0.9, .on_cpu = 0.05, .reading = 0.5});
  EXPECT_EQ(verdict_of(view), "stage mix none") << "it may be somebody else's";
  view.stages[1].threads = 3;
  EXPECT_EQ(verdict_of(view), "stage zstd none");
  EXPECT_EQ(line_of(view),
            "bottleneck: zstd; it keeps 0.9 CPUs busy, and mix waits for a CPU 50 %");
  spend(view, 0, {.cpu = 0.41, .on_cpu = 0.41, .runnable = 0.38});
  EXPECT_EQ(verdict_of(view), "stage zstd none");
  spend(view, 0, {.cpu = 0.7, .on_cpu = 0.7, .runnable = 0.26});
  EXPECT_EQ(verdict_of(view), "stage mix none") << "it works most of the time";
}

TEST(Bottleneck, ManyThreadsWork) {
  Pipeline view = limited({"tar", "zstd", "ssh"}, 1, WaitsFor::lock);
  StageShares shares{.cpu = 1.8, .on_cpu = 0.03, .reading = 0.02, .writing = 0.01};
  shares.busiest_other = 0.9;
  spend(view, 1, shares, WaitsFor::lock);
  view.stages[1].threads = 5;
  EXPECT_EQ(verdict_of(view), "stage zstd none");
  EXPECT_EQ(
      line_of(view),
      "bottleneck: zstd; its input is full 97 %, its output empty 97 %, and it keeps 1.8 CPUs "
      "busy");
  // Its threads want to work, but get no CPU.
  view.stages[1].shares.value->cpu = 0.3;
  EXPECT_EQ(verdict_of(view), "stage zstd none");
  // They wait, too.
  view.stages[1].shares.value->busiest_other = 0.1;
  EXPECT_EQ(verdict_of(view), "stage zstd lock");
}

// What a stage is said to do, and to wait for, is what its clock says.
TEST(Bottleneck, WhatARingSuggestsIsNotSaid) {
  // A reader that works all the time on what it read at once, and a writer that hardly waits for
  // it.
  Pipeline view = made_chain({"writer", "reader"});
  spend(view, 0, {.writing = 0.08}, WaitsFor::sleep);
  spend(view, 1, {.cpu = 0.94, .on_cpu = 0.94, .runnable = 0.06});
  set_ring(view.pipes[0], 0.07, 0.93, 0.07);
  EXPECT_EQ(said_of(view, judge_pipeline(view)), "balanced - none");
  EXPECT_FALSE(has_clause(judge_pipeline(view), "blocked reading"));
  EXPECT_TRUE(has_clause(judge_pipeline(view), "writer sleeps 92 %"));
  EXPECT_TRUE(has_clause(judge_pipeline(view), "reader is on a CPU 94 %"));
  // The ring says no more of how long the writer waits than its clock.
  spend(view, 0, {.writing = 0.69}, WaitsFor::sleep);
  set_ring(view.pipes[0], 0.8, 0.2, 0.8);
  EXPECT_EQ(verdict_of(view), "stage reader none");
  EXPECT_TRUE(has_clause(judge_pipeline(view), "writer is blocked writing 69 %"));
  // Nor that somebody who polls is blocked.
  spend(view, 0, {}, WaitsFor::poll);
  EXPECT_FALSE(has_clause(judge_pipeline(view), "blocked"));
}

TEST(Bottleneck, TheLargestPartOfItsTimeIsNamedFirst) {
  Pipeline view = limited({"cat", "dd"}, 1);
  StageShares shares{.cpu = 0.46, .on_cpu = 0.46, .runnable = 0.05};
  spend(view, 1, shares, WaitsFor::disk);
  EXPECT_EQ(said_of(view, judge_pipeline(view)), "stage dd disk");
  EXPECT_TRUE(has_clause(judge_pipeline(view), "it waits for the disk 49 %, runs 46 %"));
  shares.on_cpu = 0.6;
  spend(view, 1, shares, WaitsFor::disk);
  EXPECT_EQ(said_of(view, judge_pipeline(view)), "stage dd none");
  EXPECT_TRUE(has_clause(judge_pipeline(view), "it is on a CPU 60 %, waits for the disk 35 %"));
}

// With emulated hardware, or encryption, a part of what a write to the disk takes is CPU time.
TEST(Bottleneck, TheDisksDriverIsAPartOfTheDisk) {
  Pipeline view = limited({"cat", "dd"}, 1);
  spend(view, 1, {.cpu = 0.49, .on_cpu = 0.49, .runnable = 0.08}, WaitsFor::disk);
  EXPECT_EQ(said_of(view, judge_pipeline(view)), "stage dd none");
  view.stages[1].functions =
      made_functions({{"vfs_write;submit_bio;blk_mq_run_hw_queues;iowrite16", 0.5},
                      {"vfs_fsync_range;blkdev_issue_flush;blk_mq_run_hw_queues;iowrite16", 0.2},
                      {"vfs_write;rep_movs_alternative", 0.3}},
                     1000);
  EXPECT_EQ(said_of(view, judge_pipeline(view)), "stage dd disk");
  EXPECT_TRUE(has_clause(judge_pipeline(view),
                         "it waits for the disk 43 %, runs its driver 34 %, runs 15 %"));
  // Not what only calls it.
  view.stages[1].functions = made_functions(
      {{"vfs_write;submit_bio;iowrite16", 0.05}, {"vfs_write;rep_movs_alternative", 0.95}}, 1000);
  EXPECT_EQ(said_of(view, judge_pipeline(view)), "stage dd none");
  EXPECT_TRUE(has_clause(judge_pipeline(view), "it is on a CPU 47 %, waits for the disk 45 %"));
}

TEST(Bottleneck, NamesTheFunction) {
  Pipeline view = limited({"tar", "gzip", "ssh"}, 1);
  view.stages[1].functions = made_functions({{"[user]", 0.88}}, 1000);
  EXPECT_TRUE(has_clause(judge_pipeline(view), "88 % of its samples are in user code"));
  view.stages[1].functions = made_functions({{"do_syscall_64;_copy_to_iter", 0.4}}, 1000);
  EXPECT_TRUE(has_clause(judge_pipeline(view), "40 % of its samples are in _copy_to_iter"));
  view.stages[1].functions = made_functions({{"_copy_to_iter", 0.4}}, 10);
  EXPECT_FALSE(has_clause(judge_pipeline(view), "of its samples"));
}

// ---- one stage that waits ----

TEST(Bottleneck, TheDiskOfAReaderOrAWriter) {
  EXPECT_EQ(verdict_of(limited({"cat", "wc"}, 0, WaitsFor::disk)), "stage cat disk");
  EXPECT_EQ(verdict_of(limited({"cat", "dd"}, 1, WaitsFor::disk)), "stage dd disk");
  EXPECT_EQ(line_of(limited({"cat", "dd"}, 1, WaitsFor::disk)),
            "bottleneck: dd; its input is full 97 %, and it waits for the disk 98 %");
}

TEST(Bottleneck, ASourceWithNothingToSend) {
  for (const WaitsFor wait :
       {WaitsFor::network, WaitsFor::terminal, WaitsFor::poll, WaitsFor::signal})
    EXPECT_EQ(verdict_of(limited({"sh", "gzip", "cat"}, 0, wait)),
              fmt::format("outside sh {}", name_of(wait)));
  EXPECT_EQ(line_of(limited({"sh", "cat"}, 0, WaitsFor::child)),
            "bottleneck: sh; its output is empty 97 %, and it waits for its child 98 %");
  // A lock is its own, and so are its sleep and its child.
  for (const WaitsFor wait : {WaitsFor::lock, WaitsFor::sleep, WaitsFor::child})
    EXPECT_EQ(verdict_of(limited({"java", "cat"}, 0, wait)),
              fmt::format("stage java {}", name_of(wait)));
}

// pv at its limit, between files and pipes: nobody else can be what it waits for.
TEST(Bottleneck, WhoPollsWithNothingFromOutsideSetsThePaceItself) {
  for (const size_t at : {0u, 1u}) {
    Pipeline view = limited({"pv", "pv"}, at, WaitsFor::poll);
    view.stages[at].outside = false;
    EXPECT_EQ(verdict_of(view), "stage pv poll");
    view.stages[at].outside = true;
    EXPECT_EQ(verdict_of(view), "outside pv poll");
  }
}

TEST(Bottleneck, ASourceWhoseStandardInputIsAnIdlePipe) {
  Pipeline view = made_chain({"make", "sh", "cat"});
  limit_by(view, 1, WaitsFor::child);
  spend(view, 0, {.reading = 0}, WaitsFor::child);
  set_ring(view.pipes[0], 0, 1, 0);
  view.pipes[0].bytes_per_s = Reading<double>::of(0);
  EXPECT_EQ(verdict_of(view), "stage sh child");
}

TEST(Bottleneck, ASinkThatIsSlow) {
  EXPECT_EQ(verdict_of(limited({"tar", "nc"}, 1, WaitsFor::network)), "outside nc network");
  EXPECT_EQ(verdict_of(limited({"man", "less"}, 1, WaitsFor::terminal)), "outside less terminal");
  EXPECT_EQ(verdict_of(limited({"tar", "ssh"}, 1, WaitsFor::poll)), "outside ssh poll");
  EXPECT_EQ(line_of(limited({"tar", "nc"}, 1, WaitsFor::network)),
            "outside: nc waits for the network 98 %; its input is full 97 %");
  // Its sleep is its own, and so is its child.
  EXPECT_EQ(verdict_of(limited({"yes", "perl"}, 1, WaitsFor::sleep)), "stage perl sleep");
  EXPECT_EQ(verdict_of(limited({"yes", "sh"}, 1, WaitsFor::child)), "stage sh child");
}

TEST(Bottleneck, AMiddleThatSleepsOrPolls) {
  EXPECT_EQ(verdict_of(limited({"yes", "pv", "cat"}, 1, WaitsFor::sleep)), "stage pv sleep");
  EXPECT_EQ(verdict_of(limited({"yes", "pv", "cat"}, 1, WaitsFor::poll)), "stage pv poll");
  EXPECT_EQ(verdict_of(limited({"yes", "curl", "cat"}, 1, WaitsFor::network)),
            "outside curl network");
}

TEST(Bottleneck, PollForItsOwnPipesIsWaitingForThem) {
  Pipeline view = limited({"tar", "socat", "gzip"}, 2);
  spend(view, 1, {.cpu = 0.03, .on_cpu = 0.03}, WaitsFor::poll);
  EXPECT_EQ(verdict_of(view), "stage gzip none");
  view = limited({"find", "socat", "cat"}, 0);
  spend(view, 1, {.cpu = 0.03, .on_cpu = 0.03}, WaitsFor::poll);
  EXPECT_EQ(verdict_of(view), "stage find none");
}

// Its rings have told how long it waits for its pipes: the rest of poll is for something else.
TEST(Bottleneck, PollOfAStageOfAnotherUserIsForWhatIsLeft) {
  Pipeline view = made_chain({"tar", "ssh"});
  spend(view, 0, {.cpu = 0.3, .on_cpu = 0.3, .writing = 0.7});
  hide_stage(view, 1);
  view.stages[1].state = {StageState::Kind::waiting, WaitsFor::poll, {}};
  set_ring(view.pipes[0], 0.5, 0.3, 0.15);
  EXPECT_EQ(said_of(view, judge_pipeline(view)), "outside ssh poll");
}

// ---- sockets ----

// The last pipe becomes a connection.
SocketLink& connect_last(Pipeline& view, const char* peer) {
  Pipe& pipe = view.pipes.back();
  pipe.socket.emplace();
  pipe.socket->tcp = true;
  pipe.socket->name = peer;
  return *pipe.socket;
}

// "cat | nc", and a connection to where nobody is seen, which is full.
Pipeline sends_away() {
  Pipeline view = made_pipeline({"cat", "nc"}, {{{0}, {1}}, {{1}, {}}});
  spend(view, 0, {}, WaitsFor::pipe_write);
  spend(view, 1, {.cpu = 0.01, .on_cpu = 0.01}, WaitsFor::poll);
  view.stages[0].shares.value->writing = 0.98;
  view.stages[0].shares.value->elsewhere = {};
  set_ring(view.pipes[0], 1, 0, 0.99);
  set_ring(view.pipes[1], 1, 0, 0.97);
  return view;
}

TEST(Bottleneck, ASocketThatIsFull) {
  Pipeline view = sends_away();
  connect_last(view, "10.0.0.2:9000");
  const Verdict verdict = judge_pipeline(view);
  EXPECT_EQ(verdict.because, "the network: send queue full 97 %, peer 10.0.0.2:9000");
  EXPECT_EQ(said_of(view, verdict), "outside nc network");
}

TEST(Bottleneck, APeerWithoutRoomIsNotTheNetwork) {
  Pipeline view = sends_away();
  SocketLink& link = connect_last(view, "10.0.0.2:9000");
  link.peer_full_share = 0.9;
  EXPECT_EQ(judge_pipeline(view).because,
            "the peer: 10.0.0.2:9000 has no room 90 % of the time; send queue full 97 %");
  link.retries = 6;
  EXPECT_EQ(judge_pipeline(view).because,
            "the peer: 10.0.0.2:9000 has not answered 6 times; send queue full 97 %");
}

TEST(Bottleneck, ANetworkBetweenTwoStages) {
  Pipeline view = made_chain({"cat", "nc", "socat"});
  spend(view, 0, {.writing = 0.98});
  spend(view, 1, {.cpu = 0.01, .on_cpu = 0.01}, WaitsFor::poll);
  spend(view, 2, {.cpu = 0.01, .on_cpu = 0.01}, WaitsFor::poll);
  set_ring(view.pipes[0], 1, 0, 0.99);
  set_ring(view.pipes[1], 1, 0.95, 0.97);
  SocketLink& link = connect_last(view, "10.0.0.2:9000");
  EXPECT_EQ(judge_pipeline(view).because,
            "the network: between nc and socat, send queue full 97 %, nothing to read 95 %");
  link.retries = 4;
  EXPECT_EQ(judge_pipeline(view).because,
            "the network: between nc and socat, 4 packets in a row are not answered");
}

// The window of a protocol: its socket has room, but it may send no more.
TEST(Bottleneck, WhoWaitsForAnAnswerBlamesWhoIsStuckBehindIt) {
  Pipeline view = made_chain({"cat", "ssh", "sshd", "pv"});
  spend(view, 0, {.writing = 0.98});
  for (const size_t i : {1, 2, 3}) spend(view, i, {.cpu = 0.01, .on_cpu = 0.01}, WaitsFor::poll);
  set_ring(view.pipes[0], 1, 0, 0.99);
  set_ring(view.pipes[1], 0, 0.98, 0);
  set_ring(view.pipes[2], 1, 0, 0.99);
  view.pipes[1].socket.emplace().tcp = true;
  view.stages[3].outside = false;
  EXPECT_EQ(verdict_of(view), "stage pv poll");
  view.pipes[1].socket.reset();
  EXPECT_NE(verdict_of(view), "stage pv poll") << "a pipe has no protocol";
}

TEST(Bottleneck, WhoPollsWithRoomMayWaitForItsPeer) {
  Pipeline view = sends_away();
  connect_last(view, "10.0.0.2:22");
  set_ring(view.pipes[1], 0, 0.99, 0);
  EXPECT_EQ(judge_pipeline(view).because,
            "outside: nc waits in poll 99 %, for 10.0.0.2:22 or by itself");
}

TEST(Bottleneck, WhoSpinsOnAnEmptyInputHoldsUpNobody) {
  Pipeline view = limited({"curl", "spin"}, 0, WaitsFor::network);
  spend(view, 1, {.cpu = 1, .on_cpu = 1});
  EXPECT_EQ(verdict_of(view), "outside curl network");
  view = limited({"spin", "gzip"}, 1);
  spend(view, 0, {.cpu = 1, .on_cpu = 1});
  EXPECT_EQ(verdict_of(view), "stage gzip none");
}

TEST(Bottleneck, AStoppedStage) {
  for (size_t i = 0; i < 3; ++i) {
    Pipeline view = limited({"tar", "gzip", "ssh"}, i, WaitsFor::stopped);
    EXPECT_EQ(verdict_of(view), fmt::format("stopped {} stopped", view.stages[i].name));
    stand_still(view);
    EXPECT_EQ(verdict_of(view), fmt::format("stopped {} stopped", view.stages[i].name));
    // It has just been stopped, while another one held it up.
    const size_t other = (i + 1) % 3;
    limit_by(view, other);
    spend(view, i, {.elsewhere = {}}, WaitsFor::stopped);
    view.stages[i].shares.value->elsewhere = {};
    view.stages[i].shares.value->elsewhere[size_t(WaitsFor::stopped)] = 0.3;
    view.stages[i].shares.value->reading = 0.7;
    EXPECT_EQ(verdict_of(view), fmt::format("stopped {} stopped", view.stages[i].name));
  }
  EXPECT_EQ(line_of(limited({"tar", "gzip", "ssh"}, 1, WaitsFor::stopped)),
            "gzip is stopped or frozen; its input is full 97 %, and its output "
            "empty 97 %");
}

TEST(Bottleneck, AStoppedJob) {
  Pipeline view = made_chain({"tar", "gzip"});
  for (const size_t i : {0u, 1u}) spend(view, i, {}, WaitsFor::stopped);
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "stopped tar stopped");
  EXPECT_EQ(line_of(view), "tar and gzip are stopped or frozen");
}

TEST(Bottleneck, ADebuggerThatLooksIntoAStageIsNotAStop) {
  Pipeline view = limited({"tar", "gzip", "ssh"}, 1);
  view.stages[0].state = {StageState::Kind::waiting, WaitsFor::stopped, {}};
  EXPECT_EQ(said_of(view, judge_pipeline(view)), "stage gzip none");
}

// ---- forks, joins, circles ----

TEST(Bottleneck, TwoWritersOfOneReader) {
  Pipeline view = made_pipeline({"yes", "seq", "gzip"}, {{{0, 1}, {2}}});
  limit_by(view, 2);
  EXPECT_EQ(verdict_of(view), "stage gzip none");
  // Both are slow: neither more than the other.
  for (const size_t i : {0u, 1u}) spend(view, i, {.cpu = 0.97, .on_cpu = 0.97});
  spend(view, 2, {.reading = 0.97});
  set_ring(view.pipes[0], 0.02, 0.96, 0);
  const Verdict b = judge_pipeline(view);
  EXPECT_EQ(b.kind, Kind::stage);
  EXPECT_EQ(b.because,
            "bottleneck: yes (like seq); its output is empty 96 %, and it is on a CPU 97 % (one "
            "thread)");
  // One of them has hardly anything to write.
  limit_by(view, 2);
  spend(view, 0, {.cpu = 0.01, .on_cpu = 0.01}, WaitsFor::sleep);
  EXPECT_EQ(verdict_of(view), "stage gzip none");
}

TEST(Bottleneck, TeeToTwoReaders) {
  Pipeline view =
      made_pipeline({"tar", "tee", "sha256sum", "xz"}, {{{0}, {1}}, {{1}, {2}}, {{1}, {3}}});
  limit_by(view, 3);
  EXPECT_EQ(verdict_of(view), "stage xz none");
  limit_by(view, 2);
  EXPECT_EQ(verdict_of(view), "stage sha256sum none");
  limit_by(view, 2, WaitsFor::stopped);
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "stopped sha256sum stopped");
  limit_by(view, 0);
  EXPECT_EQ(verdict_of(view), "stage tar none");
}

TEST(Bottleneck, PasteOfTwoInputs) {
  Pipeline view = made_pipeline({"seq", "curl", "paste"}, {{{0}, {2}}, {{1}, {2}}});
  limit_by(view, 1, WaitsFor::network);
  EXPECT_EQ(verdict_of(view), "outside curl network");
  // It has been silent for seconds.
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "outside curl network");
  limit_by(view, 2);
  EXPECT_EQ(verdict_of(view), "stage paste none");
}

TEST(Bottleneck, AFifoBetweenTwoGroups) {
  Pipeline view = made_pipeline({"tar", "zstd", "cat", "wc", "bash"},
                                {{{0}, {1}}, {{1, 4}, {2, 4}}, {{2}, {3}}});
  view.pipes[1].path = "/tmp/fifo";
  view.pipes[1].writers[1].active = view.pipes[1].readers[1].active = false;
  limit_by(view, 1);
  spend(view, 4, {}, WaitsFor::terminal);
  EXPECT_EQ(verdict_of(view), "stage zstd none");
  EXPECT_TRUE(
      has_clause(judge_pipeline(view), "cat never sees end of file: bash still holds a write end"));
}

// (xz; true) | cat
TEST(Bottleneck, AShellThatWaitsForItsChildClosesItsEndAfterIt) {
  Pipeline view = made_pipeline({"xz", "cat", "bash"}, {{{0, 2}, {1}}});
  view.pipes[0].writers[1].active = false;
  limit_by(view, 0);
  spend(view, 2, {}, WaitsFor::child);
  const auto says = [&] {
    return has_clause(judge_pipeline(view),
                      "cat never sees end of file: bash still holds a write end");
  };
  EXPECT_FALSE(says());
  view.stages[0].gone = true;
  EXPECT_TRUE(says()) << "it waits for cat";
}

TEST(Bottleneck, ACoprocessThatComputes) {
  Pipeline view = made_pipeline({"bash", "bc"}, {{{0}, {1}}, {{1}, {0}}});
  spend(view, 0, {.cpu = 0.02, .on_cpu = 0.02, .reading = 0.97});
  spend(view, 1, {.cpu = 0.97, .on_cpu = 0.97, .reading = 0.02});
  for (Pipe& pipe : view.pipes) set_ring(pipe, 0.02, 0.97, 0);
  EXPECT_EQ(verdict_of(view), "stage bc none");
}

TEST(Bottleneck, ADeadlockOfTwoPipes) {
  Pipeline view = made_pipeline({"a", "b"}, {{{0}, {1}}, {{1}, {0}}});
  for (const size_t i : {0u, 1u}) {
    spend(view, i, {.writing = 1});
    view.stages[i].state.pipe = view.pipes[i].id;
    set_ring(view.pipes[i], 1, 0, 1);
  }
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "deadlock - none");
  EXPECT_EQ(line_of(view), "deadlock: a and b all write to full pipes");
  const std::vector<double> ends = blame(wait_graph_of(view));
  EXPECT_LT(std::accumulate(ends.begin(), ends.end(), 0.0), 0.05);

  for (const size_t i : {0u, 1u}) {
    spend(view, i, {.reading = 1});
    view.stages[i].state.pipe = view.pipes[1 - i].id;
    set_ring(view.pipes[i], 0, 1, 0);
  }
  EXPECT_EQ(verdict_of(view), "deadlock - none");
  EXPECT_EQ(line_of(view), "deadlock: a and b all read from empty pipes");

  // Who does something else for a part of the time may go on.
  for (const size_t i : {0u, 1u}) {
    spend(view, i, {.reading = 0.7}, WaitsFor::sleep);
    view.stages[i].state.pipe = view.pipes[1 - i].id;
  }
  EXPECT_NE(judge_pipeline(view).kind, Kind::deadlock);
}

TEST(Bottleneck, ADeadlockThatHoldsUpOthers) {
  // tar writes to a, a and b write to each other, wc reads from b.
  Pipeline view =
      made_pipeline({"tar", "a", "b", "wc"}, {{{0}, {1}}, {{1}, {2}}, {{2}, {1}}, {{2}, {3}}});
  spend(view, 0, {.writing = 1}), spend(view, 1, {.writing = 1});
  spend(view, 2, {.writing = 1}), spend(view, 3, {.reading = 1});
  for (const size_t i : {0u, 1u, 2u}) view.stages[i].state.pipe = view.pipes[i].id;
  view.stages[3].state.pipe = view.pipes[3].id;
  for (const size_t i : {0u, 1u, 2u}) set_ring(view.pipes[i], 1, 0, 1);
  set_ring(view.pipes[3], 0, 1, 0);
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "deadlock - none");
}

TEST(Bottleneck, NoDeadlockWhileSomebodyCouldGoOn) {
  Pipeline view = made_pipeline({"a", "b"}, {{{0}, {1}}, {{1}, {0}}});
  spend(view, 0, {.reading = 1});
  spend(view, 1, {}, WaitsFor::terminal);
  for (Pipe& pipe : view.pipes) set_ring(pipe, 0, 1, 0);
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "idle - none");
  EXPECT_EQ(line_of(view), "idle: b waits for the terminal");
  // Any thread might go on.
  for (const size_t i : {0u, 1u}) spend(view, i, {.reading = 1}), view.stages[i].threads = 2;
  EXPECT_EQ(verdict_of(view), "idle - none");
  EXPECT_EQ(line_of(view), "idle: all stages wait");
}

}  // namespace
}  // namespace pipetop
