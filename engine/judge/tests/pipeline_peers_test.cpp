// Stages that ask and answer each other over a connection, and those with several outputs.
#include <gtest/gtest.h>

#include "engine/judge/tests/pipeline_verdicts.h"

namespace pipetop {
namespace {

// A server's answers, of which each takes a small request that is no pipe.
Pipeline server_and_client() {
  Pipeline view = made_pipeline({"server", "client"}, {{{0}, {1}}});
  view.pipes[0].socket.emplace().tcp = true;
  set_ring(view.pipes[0], 0.02, 0.96, 0);
  spend(view, 0, {.cpu = 0.01, .on_cpu = 0.01, .peer = 0.98}, WaitsFor::network);
  spend(view, 1, {.cpu = 0.98, .on_cpu = 0.98, .reading = 0.01});
  return view;
}

TEST(Peers, WhoWaitsForARequestWaitsForItsClient) {
  Pipeline view = server_and_client();
  EXPECT_EQ(verdict_of(view), "stage client none");
  EXPECT_EQ(line_of(view),
            "bottleneck: client; server waits for its peer 98 %, and it is on a CPU 98 % (one "
            "thread)");
  spend(view, 1, {.reading = 0.02}, WaitsFor::sleep);
  EXPECT_EQ(verdict_of(view), "stage client sleep");
  // The other way round the client waits for its answer as for any data.
  spend(view, 0, {.cpu = 0.98, .on_cpu = 0.98, .peer = 0.01}, WaitsFor::network);
  spend(view, 1, {.cpu = 0.01, .on_cpu = 0.01, .reading = 0.98});
  EXPECT_EQ(verdict_of(view), "stage server none");
}

TEST(Peers, AServerMayPollForIt) {
  Pipeline view = server_and_client();
  spend(view, 0, {.cpu = 0.01, .on_cpu = 0.01}, WaitsFor::poll);
  view.stages[0].outside = false;
  EXPECT_NE(said_of(view, judge_pipeline(view)), "stage client none") << "or for anything else";
  view.stages[0].polls_peer = true;
  EXPECT_EQ(verdict_of(view), "stage client none");
}

// An upload whose blocks are acknowledged one by one.
TEST(Peers, WhoWaitsForAnAcknowledgementWaitsForItsReader) {
  Pipeline view = made_pipeline({"cat", "client", "server"}, {{{0}, {1}}, {{1}, {2}}});
  view.pipes[1].socket.emplace().tcp = true;
  set_ring(view.pipes[0], 1, 0, 0.97);
  set_ring(view.pipes[1], 0.02, 0.96, 0);
  spend(view, 0, {.cpu = 0.02, .on_cpu = 0.02, .writing = 0.97});
  spend(view, 1, {.cpu = 0.02, .on_cpu = 0.02, .peer = 0.97}, WaitsFor::network);
  spend(view, 2, {.cpu = 0.97, .on_cpu = 0.97, .reading = 0.02});
  EXPECT_EQ(verdict_of(view), "stage server none");
}

TEST(Peers, WhoOnlyWaitsForAnIdleClientIsIdle) {
  Pipeline view = server_and_client();
  spend(view, 1, {}, WaitsFor::sleep);
  stand_still(view);
  EXPECT_EQ(judge_pipeline(view).kind, Verdict::Kind::idle) << line_of(view);
}

TEST(Peers, HalfItsOwnWorkIsNoNetwork) {
  Pipeline view = server_and_client();
  spend(view, 0, {.cpu = 0.4, .on_cpu = 0.4, .peer = 0.58}, WaitsFor::network);
  spend(view, 1, {.cpu = 0.58, .on_cpu = 0.58, .reading = 0.4});
  for (const Verdict& b : {judge_pipeline(view)}) {
    EXPECT_NE(b.kind, Verdict::Kind::outside) << b.because;
    EXPECT_FALSE(has_clause(b, "waits for the network")) << b.because;
  }
}

// Nothing but its rings tells for whom a stage polls.
TEST(Peers, WhoPollsIsNotJudgedBeforeItsRingsAre) {
  Pipeline view = made_chain({"pv", "nc", "md5sum"});
  view.pipes[1].socket.emplace().tcp = true;
  spend(view, 0, {}, WaitsFor::sleep);
  spend(view, 1, {}, WaitsFor::poll);
  spend(view, 2, {.reading = 0.99});
  set_ring(view.pipes[0], 0, 0.99, 0);
  set_ring(view.pipes[1], 0, 0.99, 0);
  view.stages[1].outside = false;
  EXPECT_EQ(verdict_of(view), "stage pv sleep");
  view.pipes[1].level.value->samples = 12;
  EXPECT_EQ(line_of(view), "measuring: 12 of 20 ring samples");
  spend(view, 1, {.reading = 0.98});
  EXPECT_EQ(verdict_of(view), "stage pv sleep") << "its clock tells";
}

// ---- several outputs ----

// tee waits in its second output all the time; the first is just as often full when it doesn't.
TEST(Peers, WhoIsNotWaitedForIsNotBusy) {
  Pipeline view = made_pipeline({"yes", "tee", "xz", "pv"}, {{{0}, {1}}, {{1}, {2}}, {{1}, {3}}});
  set_ring(view.pipes[0], 1, 0, 0.97);
  set_ring(view.pipes[1], 0.6, 0.1, 0.45);
  set_ring(view.pipes[2], 1, 0, 0.95);
  spend(view, 0, {.cpu = 0.02, .on_cpu = 0.02, .writing = 0.97});
  spend(view, 1, {.cpu = 0.05, .on_cpu = 0.05, .writing = 0.94});
  spend(view, 2, {.cpu = 0.9, .on_cpu = 0.9, .reading = 0.09});
  spend(view, 3, {}, WaitsFor::sleep);
  EXPECT_EQ(judge_pipeline(view).kind, Verdict::Kind::balanced) << "its clock isn't known";
  view.stages[1].blocked_in = {{view.pipes[2].id, true, 0.93}, {view.pipes[1].id, true, 0.01}};
  EXPECT_EQ(verdict_of(view), "stage pv sleep");
  view.stages[1].blocked_in = {{view.pipes[1].id, true, 0.93}, {view.pipes[2].id, true, 0.01}};
  EXPECT_EQ(verdict_of(view), "stage xz none");
}

// pv -L takes its bytes in bursts, in which the other output is what tee waits for: in between the
// rings of both are empty, and that is not what pv polls for.
TEST(Peers, WhoPollsForNothingButATimeSetsThePace) {
  Pipeline view = made_pipeline({"yes", "tee", "chew", "pv"}, {{{0}, {1}}, {{1}, {2}}, {{1}, {3}}});
  set_ring(view.pipes[0], 1, 0, 0.92);
  set_ring(view.pipes[1], 0.5, 0.3, 0.49);
  set_ring(view.pipes[2], 0.5, 0.4, 0.4);
  spend(view, 0, {.cpu = 0.04, .on_cpu = 0.04, .writing = 0.92});
  spend(view, 1, {.cpu = 0.1, .on_cpu = 0.1, .writing = 0.88});
  spend(view, 2, {.cpu = 0.68, .on_cpu = 0.68, .reading = 0.31});
  spend(view, 3, {.cpu = 0.05, .on_cpu = 0.05}, WaitsFor::poll);
  view.stages[1].blocked_in = {{view.pipes[1].id, true, 0.5}, {view.pipes[2].id, true, 0.38}};
  view.stages[3].outside = false;
  view.stages[3].polls_nothing = 0.9;
  EXPECT_EQ(verdict_of(view), "stage pv poll");
}

// The same with larger bursts, in which it polls for data for most of the time.
TEST(Peers, WhoTakesBurstsAsFastAsTheyComeSetsThePace) {
  Pipeline view = made_pipeline({"yes", "tee", "chew", "pv"}, {{{0}, {1}}, {{1}, {2}}, {{1}, {3}}});
  set_ring(view.pipes[0], 1, 0, 0.92);
  set_ring(view.pipes[1], 0.7, 0.27, 0.68);
  set_ring(view.pipes[2], 0.2, 0.76, 0.19);
  spend(view, 0, {.cpu = 0.02, .on_cpu = 0.02, .writing = 0.96});
  spend(view, 1, {.cpu = 0.07, .on_cpu = 0.07, .writing = 0.89});
  spend(view, 2, {.cpu = 0.78, .on_cpu = 0.78, .reading = 0.2});
  spend(view, 3, {.cpu = 0.02, .on_cpu = 0.02}, WaitsFor::poll);
  view.stages[1].blocked_in = {{view.pipes[1].id, true, 0.67}, {view.pipes[2].id, true, 0.21}};
  view.stages[3].outside = false;
  view.stages[3].polls_nothing = 0.2;
  EXPECT_EQ(verdict_of(view), "stage pv poll");
  // One that works all the time would gain.
  spend(view, 2, {.cpu = 0.9, .on_cpu = 0.9, .reading = 0.08});
  EXPECT_EQ(verdict_of(view), "stage chew none");
}

TEST(Peers, WhoGetsNothingIsNotBusy) {
  Pipeline view = made_chain({"sh", "cat", "script"});
  spend(view, 0, {}, WaitsFor::child);
  spend(view, 1, {.reading = 1});
  spend(view, 2, {}, WaitsFor::child);
  for (Pipe& pipe : view.pipes) set_ring(pipe, 0, 1, 0);
  stand_still(view);
  EXPECT_EQ(verdict_of(view), "stage sh child");
}

}  // namespace
}  // namespace pipetop
