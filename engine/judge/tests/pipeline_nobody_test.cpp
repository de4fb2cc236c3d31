// Where nobody is to blame: balanced, bursty, idle, ended, unseen, too little known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "engine/base/clock.h"
#include "engine/judge/blame.h"
#include "engine/judge/tests/pipeline_verdicts.h"
#include "engine/judge/wait_graph.h"

namespace pipetop {
namespace {

using Kind = Verdict::Kind;

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

// Both do the same work on one CPU: who waits for whom is up to the scheduler.
TEST(Bottleneck, TwoThatShareACpuAreBalanced) {
  Pipeline view = made_chain({"source", "middle", "sink"});
  spend(view, 0, {.cpu = 0.49, .on_cpu = 0.49, .runnable = 0.27, .writing = 0.24});
  spend(view, 1, {.cpu = 0.49, .on_cpu = 0.49, .runnable = 0.51});
  spend(view, 2, {.runnable = 0.02, .reading = 0.98});
  set_ring(view.pipes[0], 0.8, 0.01, 0.77);
  set_ring(view.pipes[1], 0.02, 0.98, 0);
  EXPECT_EQ(verdict_of(view), "balanced - none");
  EXPECT_EQ(line_of(view),
            "balanced: source is on a CPU 49 %, waits for a CPU 27 %; middle waits for a "
            "CPU 51 %, runs 49 %");
  // A quota stops one of them.
  Pipeline stopped = view;
  stopped.stages[1].limits.quota = Throttling{1, 0.5, "/a"};
  EXPECT_EQ(verdict_of(stopped), "stage middle none");
  // One needs more of it.
  spend(view, 0, {.cpu = 0.3, .on_cpu = 0.3, .runnable = 0.3, .writing = 0.4});
  EXPECT_EQ(verdict_of(view), "stage middle none");
  // They don't share one: a CPU more would help the reader, and nobody else.
  spend(view, 0, {.cpu = 0.49, .on_cpu = 0.49, .writing = 0.51});
  EXPECT_EQ(verdict_of(view), "stage middle none");
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

// Its children hold the pipe, too, and rarely give a token back: none of them waits there.
TEST(Bottleneck, TheJobserverOfMakeHoldsNobodyUp) {
  Pipeline view = made_pipeline({"make", "cc"}, {{{0, 1}, {0, 1}}});
  view.pipes[0].bytes_per_s = Reading<double>::of(0.3);
  set_ring(view.pipes[0], 0, 0.8, 0);
  spend(view, 0, {}, WaitsFor::child);
  spend(view, 1, {}, WaitsFor::sleep);
  for (StageEnd& end : view.pipes[0].readers) end.active = end.stage == 0;
  for (StageEnd& end : view.pipes[0].writers) end.active = end.stage == 0;
  EXPECT_EQ(line_of(view), "idle: make waits for its child, and nobody for it");
  // As `xargs -P8 sh -c ... | gzip`.
  view.pipes[0].bytes_per_s = Reading<double>::of(50'000);
  EXPECT_EQ(verdict_of(view).substr(0, 5), "stage");
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
