#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/judge/blame.h"
#include "engine/judge/tests/made_pipelines.h"
#include "engine/judge/tests/made_segments.h"
#include "engine/judge/verdict.h"
#include "engine/judge/wait_graph.h"

namespace pipetop {
namespace {

using Kind = Verdict::Kind;

constexpr double kNoise = 0.05;
constexpr unsigned kRounds = 50;

std::string said_of(const Pipeline& view, const Verdict& b) {
  std::string stage = "-";
  for (const Stage& s : view.stages)
    if (b.stage == s.id) stage = s.name;
  return fmt::format("{} {} {}", name_of(b.kind), stage, name_of(b.wait));
}

int columns_of_line(std::string_view text) {
  int columns = 0;
  while (!text.empty()) {
    text.remove_prefix(std::max<size_t>(1, utf8_length(text)));
    ++columns;
  }
  return columns;
}

// What is said of it, and the same whatever the noise.
std::string verdict_of(const Pipeline& exact) {
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

std::string line_of(const Pipeline& view) { return judge_pipeline(view).because; }

Pipeline limited(std::vector<std::string> names, size_t stage, WaitsFor wait = WaitsFor::none) {
  Pipeline view = made_chain(names);
  limit_by(view, stage, wait);
  return view;
}

bool has_clause(const Verdict& b, std::string_view part) {
  return std::ranges::any_of(
      b.evidence, [&](const std::string& clause) { return clause.find(part) != clause.npos; });
}

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
       {WaitsFor::child, WaitsFor::network, WaitsFor::terminal, WaitsFor::poll, WaitsFor::signal})
    EXPECT_EQ(verdict_of(limited({"sh", "gzip", "cat"}, 0, wait)),
              fmt::format("outside sh {}", name_of(wait)));
  EXPECT_EQ(line_of(limited({"sh", "cat"}, 0, WaitsFor::child)),
            "outside: sh has no input; its output is empty 97 %, and it waits for its child "
            "98 %");
  // A lock is its own, and so is its sleep.
  for (const WaitsFor wait : {WaitsFor::lock, WaitsFor::sleep})
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
  EXPECT_EQ(verdict_of(view), "outside sh child");
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

// ---- nobody ----

TEST(Bottleneck, TwoBusyStagesAreBalanced) {
  Pipeline view = made_chain({"tar", "gzip", "cat"});
  spend(view, 0, {.cpu = 0.96, .on_cpu = 0.96, .writing = 0.03});
  spend(view, 1, {.cpu = 0.96, .on_cpu = 0.96, .reading = 0.03});
  spend(view, 2, {.cpu = 0.02, .on_cpu = 0.02, .reading = 0.97});
  set_ring(view.pipes[0], 0.5, 0.2, 0.2);
  set_ring(view.pipes[1], 0.02, 0.96, 0);
  EXPECT_EQ(verdict_of(view), "balanced - none");
  EXPECT_EQ(line_of(view), "balanced: tar is on a CPU 96 %; gzip is on a CPU 96 %");
}

// The ring between two that are equally fast is full as often as empty, or all the time.
TEST(Bottleneck, TwoBusyStagesAreBalancedAlsoIfTheirRingIsFull) {
  Pipeline view = made_chain({"tar", "gzip", "cat"});
  spend(view, 0, {.cpu = 0.94, .on_cpu = 0.94, .writing = 0.04});
  spend(view, 1, {.cpu = 0.96, .on_cpu = 0.96});
  spend(view, 2, {.reading = 0.99});
  set_ring(view.pipes[0], 0.95, 0, 0.86);
  set_ring(view.pipes[1], 0.01, 0.99, 0);
  // With noise, it may be one that never waits.
  EXPECT_EQ(said_of(view, judge_pipeline(view)), "balanced - none");
  // That one is spinning.
  spend(view, 0, {.cpu = 0.98, .on_cpu = 0.98});
  EXPECT_EQ(said_of(view, judge_pipeline(view)), "stage gzip none");
}

// Each waits for the other half of the time.
Pipeline with_bursts(const std::vector<std::string>& names) {
  Pipeline view = made_chain(names);
  spend(view, 0, {.cpu = 0.5, .on_cpu = 0.5, .writing = 0.5});
  spend(view, 1, {.cpu = 0.5, .on_cpu = 0.5, .reading = 0.5});
  set_ring(view.pipes[0], 0.5, 0.42, 0.44);
  view.pipes[0].larger = LargerRing{256 << 10, 0.48};
  return view;
}

TEST(Bottleneck, BurstsWantALargerPipe) {
  Pipeline view = with_bursts({"dump", "gzip"});
  EXPECT_EQ(verdict_of(view), "bursty - none");
  EXPECT_EQ(line_of(view),
            "bursty: the pipe from dump to gzip is full 44 % and empty 42 %; a ring of 256 KiB: "
            "about +48 %");
}

TEST(Bottleneck, OfALargerPipeNothingIsSaidThatWasNotReplayed) {
  Pipeline view = with_bursts({"dump", "gzip"});
  view.pipes[0].larger.reset();
  EXPECT_EQ(said_of(view, judge_pipeline(view)), "balanced - none");
  EXPECT_EQ(line_of(view),
            "balanced: no stage holds up the others: dump is on a CPU 50 %, gzip is on a CPU 50 %");
  // It could not run ahead: others set its pace.
  for (const WaitsFor wait : {WaitsFor::network, WaitsFor::terminal}) {
    view = with_bursts({"dump", "nc"});
    spend(view, 1, {.cpu = 0.2, .on_cpu = 0.2, .reading = 0.5}, wait);
    EXPECT_NE(judge_pipeline(view).kind, Kind::bursty) << name_of(wait);
  }
  view = with_bursts({"dump", "gzip"});
  spend(view, 1, {.cpu = 0.2, .on_cpu = 0.2, .runnable = 0.3, .reading = 0.5});
  EXPECT_NE(judge_pipeline(view).kind, Kind::bursty);
}

TEST(Bottleneck, WhileSomebodyIsBusyNothingIsBursty) {
  Pipeline view = with_bursts({"dump", "gzip", "xz"});
  spend(view, 2, {.cpu = 0.5, .on_cpu = 0.5, .reading = 0.5});
  EXPECT_EQ(said_of(view, judge_pipeline(view)), "bursty - none");
  spend(view, 2, {.cpu = 0.88, .on_cpu = 0.88, .reading = 0.12});
  EXPECT_NE(judge_pipeline(view).kind, Kind::bursty);
}

TEST(Bottleneck, IdleWhenNothingMovesAndAllWait) {
  Pipeline view = limited({"bash", "cat"}, 0, WaitsFor::terminal);
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "idle - none");
  EXPECT_EQ(line_of(view), "idle: bash waits for the terminal");
  // A supervisor of children that sleep.
  view = made_pipeline({"a", "b", "shim"}, {{{0}, {2}}, {{1}, {2}}});
  for (const size_t i : {0u, 1u}) spend(view, i, {}, WaitsFor::sleep);
  spend(view, 2, {}, WaitsFor::poll);
  for (Pipe& pipe : view.pipes) set_ring(pipe, 0, 1, 0);
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "idle - none");
}

TEST(Bottleneck, WhatMovedInTheWindowMovedThoughTheLastSecondWasSilent) {
  Pipeline view = limited({"vmstat", "cat"}, 0, WaitsFor::sleep);
  const std::string moving = verdict_of(view);
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "idle - none");
  view.pipes[0].rates.push_back({20 * kSecond, 0});
  view.pipes[0].rates.push_back({22 * kSecond, 800});
  view.pipes[0].rates.push_back({24 * kSecond, 0});
  EXPECT_EQ(verdict_of(view), moving);
  view.pipes[0].rates.push_back({28 * kSecond, 0});
  EXPECT_EQ(verdict_of(view), "idle - none") << "it left the window";
}

TEST(Bottleneck, SilentIsNotIdleWhileSomebodyWorksOrWantsToWrite) {
  Pipeline view = limited({"find", "wc"}, 0);
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "stage find none");
  view = limited({"find", "wc"}, 0, WaitsFor::disk);
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "stage find disk");
  view = limited({"tar", "ssh"}, 1, WaitsFor::poll);
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "outside ssh poll");
  view = limited({"yes", "sh", "cat"}, 1, WaitsFor::child);
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "stage sh child");
}

TEST(Bottleneck, SleepingChildrenBesideAFlow) {
  // One of many children writes, and their supervisor is slow.
  std::vector<std::string> names = {"shim"};
  std::vector<MadePipe> pipes;
  for (size_t i = 1; i <= 30; ++i) {
    names.push_back(fmt::format("child{}", i));
    pipes.push_back({{i}, {0}});
  }
  Pipeline view = made_pipeline(names, pipes);
  stand_still(view);
  for (Pipe& pipe : view.pipes) set_ring(pipe, 0, 1, 0);
  for (size_t i = 1; i <= 30; ++i) spend(view, i, {}, WaitsFor::sleep);
  spend(view, 0, {.cpu = 0.97, .on_cpu = 0.97}, WaitsFor::poll);
  spend(view, 7, {.cpu = 0.03, .on_cpu = 0.03, .writing = 0.97});
  set_ring(view.pipes[6], 1, 0, 0.97);
  view.pipes[6].bytes_per_s = Reading<double>::of(1e6);
  EXPECT_EQ(verdict_of(view), "stage shim none");
  // The child is slow.
  spend(view, 0, {.cpu = 0.02, .on_cpu = 0.02}, WaitsFor::poll);
  spend(view, 7, {.cpu = 0.97, .on_cpu = 0.97});
  set_ring(view.pipes[6], 0, 0.98, 0);
  EXPECT_EQ(verdict_of(view), "stage child7 none");
}

TEST(Bottleneck, OfTwoPartsTheOneThatMovesMost) {
  Pipeline view = made_pipeline({"tar", "gzip", "find", "sort"}, {{{0}, {1}}, {{2}, {3}}});
  limit_by(view, 1);
  Pipeline other = view;
  limit_by(other, 2);
  view.stages[2] = other.stages[2], view.stages[3] = other.stages[3];
  view.pipes[1] = other.pipes[1];
  view.pipes[1].bytes_per_s = Reading<double>::of(1000);
  EXPECT_EQ(verdict_of(view), "stage gzip none");
}

// A pipeline of any shape and with any shares.
Pipeline any_pipeline(std::mt19937& random) {
  const auto up_to = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n)(random); };
  const auto share = [&] {
    const double level[] = {0,    0.02, 0.5,
                            0.97, 1,    std::uniform_real_distribution<double>()(random)};
    return level[up_to(5)];
  };
  std::vector<std::string> names;
  for (size_t i = up_to(6); i > 0; --i) names.push_back(fmt::format("s{}", i));
  std::vector<MadePipe> pipes;
  const auto some = [&] {
    std::vector<size_t> stages;
    for (size_t i = 0; i < names.size(); ++i)
      if (up_to(2) == 0) stages.push_back(i);
    return stages;
  };
  for (size_t i = up_to(6); i > 0; --i) pipes.push_back({some(), some()});
  Pipeline view = made_pipeline(names, pipes);
  for (size_t i = 0; i < names.size(); ++i) {
    StageShares shares{.cpu = 3 * share(), .on_cpu = share(), .runnable = share()};
    shares.reading = share(), shares.writing = share();
    spend(view, i, shares, static_cast<WaitsFor>(up_to(kWaits - 1)));
    view.stages[i].threads = uint32_t(1 + up_to(2));
    if (up_to(9) == 0) hide_stage(view, i);
    if (up_to(9) == 0) exit_stage(view, i);
    if (!pipes.empty() && up_to(3) == 0)
      view.stages[i].state.pipe = view.pipes[up_to(pipes.size() - 1)].id;
  }
  for (Pipe& pipe : view.pipes) {
    set_ring(pipe, share(), share(), share());
    pipe.level.value->samples = 480 * up_to(3);
    pipe.own = up_to(9) == 0;
    if (up_to(4) == 0) pipe.level = Reading<RingLevel>::warming("first second");
    if (up_to(2) == 0) pipe.bytes_per_s = Reading<double>::of(0);
    if (up_to(9) == 0) pipe.bytes_per_s = Reading<double>::unavailable("no");
    if (up_to(9) == 0) pipe.capacity.reset();
    if (up_to(2) == 0) pipe.larger = LargerRing{1 << 20, share()};
    for (auto* ends : {&pipe.writers, &pipe.readers})
      for (StageEnd& end : *ends) end.active = up_to(4) != 0;
  }
  if (up_to(1) == 0) stand_still(view);
  return view;
}

TEST(Bottleneck, HasAnAnswerToAnything) {
  std::mt19937 random(1);
  std::set<Kind> kinds;
  for (int round = 0; round < 5000; ++round) {
    const Pipeline view = any_pipeline(random);
    const Verdict b = judge_pipeline(view);
    kinds.insert(b.kind);
    EXPECT_FALSE(b.because.empty());
    EXPECT_LE(columns_of_line(b.because), kLineColumns) << b.because;
    const bool names = b.kind == Kind::stage || b.kind == Kind::outside || b.kind == Kind::stopped;
    EXPECT_EQ(b.stage.has_value(), names) << b.because;
    const std::vector<double> ends = blame(wait_graph_of(view));
    ASSERT_EQ(ends.size(), view.stages.size());
    double sum = 0;
    for (const double share : ends) {
      EXPECT_GE(share, 0);
      sum += share;
    }
    EXPECT_LE(sum, 1 + 1e-9);
    // The same view gives the same answer.
    EXPECT_EQ(judge_pipeline(view).because, b.because);
  }
  EXPECT_EQ(kinds.size(), 8u);
}

// ---- what has ended, or cannot be seen ----

TEST(Bottleneck, AStageThatHasExited) {
  Pipeline view = limited({"cat", "sort", "uniq"}, 1);
  exit_stage(view, 0);
  EXPECT_EQ(verdict_of(view), "stage sort none");
  EXPECT_TRUE(has_clause(judge_pipeline(view), "cat has exited"));
}

TEST(Bottleneck, WaitingForAWriterThatHasLeftIsOver) {
  Pipeline view = made_chain({"curl", "sort", "uniq"});
  limit_by(view, 0, WaitsFor::network);
  spend(view, 1, {.cpu = 0.3, .on_cpu = 0.3, .reading = 0.7});
  view.stages[0].gone = true;
  view.pipes[0].kernel_writers = 0;
  EXPECT_EQ(verdict_of(view), "stage sort none");
  view.pipes[0].kernel_writers.reset();  // without BPF
  EXPECT_EQ(verdict_of(view), "stage sort none");
  view.pipes[0].kernel_writers = 1;  // another one that isn't seen
  EXPECT_EQ(verdict_of(view), "outside sort pipe_read");
}

TEST(Bottleneck, AHeadThatLeft) {
  Pipeline view = limited({"yes", "head"}, 0);
  exit_stage(view, 1);
  EXPECT_EQ(verdict_of(view), "stage yes none");
  EXPECT_TRUE(has_clause(judge_pipeline(view), "no reader left for yes"));
  exit_stage(view, 0);
  EXPECT_EQ(verdict_of(view), "idle - none");
  EXPECT_EQ(line_of(view), "ended: all stages have exited");
}

// A script reads what its commands print, one after the other.
TEST(Bottleneck, APipeThatIsClosedSaysNothing) {
  Pipeline view = made_pipeline({"sh", "first", "second"}, {{{1}, {0}}, {{2}, {0}}});
  spend(view, 0, {.reading = 0.97});
  spend(view, 2, {.cpu = 0.97, .on_cpu = 0.97});
  for (Pipe& pipe : view.pipes) set_ring(pipe, 0, 0.97, 0);
  view.stages[1].gone = true;
  view.pipes[0].closed = true;
  view.pipes[0].bytes_per_s = Reading<double>::unavailable("the pipe is closed");
  EXPECT_EQ(verdict_of(view), "stage second none");
  EXPECT_FALSE(has_clause(judge_pipeline(view), "not visible"));
  view.pipes[1].closed = view.stages[2].gone = true;
  EXPECT_EQ(verdict_of(view), "idle - none");
  EXPECT_EQ(line_of(view), "idle: all pipes are closed");
}

TEST(Bottleneck, AWriterThatCannotBeSeen) {
  Pipeline view = made_pipeline({"gzip", "cat"}, {{{}, {0}}, {{0}, {1}}});
  view.pipes[0].kernel_writers.reset();
  spend(view, 0, {.cpu = 0.03, .on_cpu = 0.03, .reading = 0.95});
  spend(view, 1, {.cpu = 0.01, .on_cpu = 0.01, .reading = 0.97});
  for (Pipe& pipe : view.pipes) set_ring(pipe, 0.01, 0.97, 0);
  EXPECT_EQ(verdict_of(view), "outside gzip pipe_read");
  EXPECT_TRUE(has_clause(judge_pipeline(view), "the writer of gzip is not visible"));
  // Its own work is its own.
  spend(view, 0, {.cpu = 0.97, .on_cpu = 0.97});
  set_ring(view.pipes[0], 0.98, 0, 0.97);
  EXPECT_EQ(verdict_of(view), "stage gzip none");
}

TEST(Bottleneck, AReaderThatCannotBeSeen) {
  Pipeline view = made_pipeline({"cat", "gzip"}, {{{0}, {1}}, {{1}, {}}});
  view.pipes[1].kernel_readers.reset();
  for (const size_t i : {0u, 1u}) spend(view, i, {.writing = 0.97});
  for (Pipe& pipe : view.pipes) set_ring(pipe, 1, 0, 0.97);
  EXPECT_EQ(verdict_of(view), "outside gzip pipe_write");
}

TEST(Bottleneck, AStageOfAnotherUserIsToldByItsRings) {
  Pipeline view = limited({"tar", "gzip", "ssh"}, 1);
  for (size_t i = 0; i < 3; ++i) hide_stage(view, i);
  EXPECT_EQ(verdict_of(view), "stage gzip none");
  EXPECT_EQ(
      line_of(view),
      "bottleneck: gzip; its input is full 97 %, its output empty 97 %, and it is running now");
  for (Pipe& pipe : view.pipes) pipe.level = Reading<RingLevel>::unavailable("no");
  EXPECT_EQ(verdict_of(view), "unknown - none");
  EXPECT_EQ(line_of(view), "unknown: no times for tar, gzip and ssh: it belongs to another user");
}

TEST(Bottleneck, WithoutRingsTheWaitsTell) {
  Pipeline view = limited({"tar", "gzip", "ssh"}, 1);
  for (Pipe& pipe : view.pipes) pipe.level = Reading<RingLevel>::unavailable("no");
  EXPECT_EQ(verdict_of(view), "stage gzip none");
  EXPECT_EQ(line_of(view),
            "bottleneck: gzip; tar is blocked writing 97 %, ssh is blocked reading 97 %, and it is "
            "on a CPU 97 "
            "%");
}

TEST(Bottleneck, OneProcess) {
  Pipeline view = made_pipeline({"nginx"}, {{{0}, {0}}});
  view.pipes[0].own = true;
  spend(view, 0, {}, WaitsFor::poll);
  EXPECT_EQ(verdict_of(view), "idle - none");
  spend(view, 0, {.cpu = 1, .on_cpu = 1});
  EXPECT_EQ(verdict_of(view), "unknown - none");
  EXPECT_EQ(said_of({}, judge_pipeline({})), "unknown - none");
}

TEST(Bottleneck, ThinEvidenceNamesNobody) {
  Pipeline view = limited({"tar", "gzip", "ssh"}, 1);
  view.window_ns = 400'000'000;
  EXPECT_EQ(verdict_of(view), "unknown - none");
  EXPECT_EQ(line_of(view), "measuring: 0.4 of 1 s");
  view = limited({"tar", "gzip", "ssh"}, 1);
  for (Pipe& pipe : view.pipes) pipe.level.value->samples = kLeastSamples - 1;
  EXPECT_EQ(verdict_of(view), "unknown - none");
  EXPECT_EQ(line_of(view), "measuring: 19 of 20 ring samples");
  for (Stage& stage : view.stages) stage.shares = Reading<StageShares>::warming("first second");
  for (Pipe& pipe : view.pipes) pipe.level = Reading<RingLevel>::warming("first second");
  EXPECT_EQ(verdict_of(view), "unknown - none");
  EXPECT_EQ(line_of(view), "measuring: no times for tar, gzip and ssh yet: first second");
}

TEST(Bottleneck, LinesFitWhateverTheNames) {
  const std::string wide(15, 'x');
  const std::string odd = "日本語日本語日本語日本語日本語";
  for (const std::string& name : {wide, odd, std::string(60, 'y')}) {
    for (const WaitsFor wait : {WaitsFor::none, WaitsFor::network, WaitsFor::stopped}) {
      Pipeline view = limited({name, name, name}, 1, wait);
      EXPECT_LE(columns_of_line(line_of(view)), kLineColumns) << line_of(view);
      EXPECT_GT(line_of(view).size(), name.size() / 3);
    }
    const Pipeline view = with_bursts({name, name});
    EXPECT_EQ(judge_pipeline(view).kind, Kind::bursty);
    EXPECT_LE(columns_of_line(line_of(view)), kLineColumns) << line_of(view);
  }
}

}  // namespace
}  // namespace pipetop
