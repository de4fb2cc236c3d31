#include "engine/watch/outside.h"

#include <gtest/gtest.h>

#include "engine/watch/tests/fake_machine.h"

namespace pipetop {
namespace {

// A stage that polls.
struct OutsideTest : testing::Test {
  OutsideTest() {
    machine.add(12, "ssh");
    machine.waits(12, WaitsFor::poll);
    stage.id = machine.process(12).id;
    set_poll(0.9);
    for (const int fd : {0, 2}) links()[fd] = "/dev/pts/3";
    links()[1] = "/dev/null";
  }

  std::map<int, std::string>& links() { return machine.process(12).links; }
  void polls(std::vector<observe::Polled> set) { machine.process(12).polls = std::move(set); }
  void set_poll(double share) {
    StageShares shares;
    shares.elsewhere[size_t(WaitsFor::poll)] = share;
    stage.shares = Reading<StageShares>::of(shares);
  }
  // A connection between two stages.
  void connect(uint64_t written, uint64_t read) {
    Pipe pipe;
    pipe.id = {8, written};
    pipe.socket = SocketLink{.read_inode = read};
    inner.add(pipe);
  }
  std::optional<bool> outside() {
    find_outside(parts, {&machine.thread(12).task, 1}, inner, stage);
    return stage.outside;
  }

  FakeMachine machine;
  WatchParts parts = machine.parts();
  InnerSockets inner;
  Stage stage;
};

TEST_F(OutsideTest, IsNotAskedOfWhoHardlyPolls) {
  links()[3] = "socket:[4711]";
  set_poll(0.05);
  EXPECT_FALSE(outside());
}

TEST_F(OutsideTest, WhatItHoldsTellsIfItsSetCannotBeRead) {
  EXPECT_EQ(outside(), false) << "everybody has a terminal";
  links()[3] = "socket:[4711]";
  EXPECT_EQ(outside(), true);
  connect(4700, 4711);
  EXPECT_EQ(outside(), false) << "that socket leads to another stage";
  EXPECT_FALSE(stage.polls_peer);
}

// Its standard error is a socket, as every service's of systemd is.
TEST_F(OutsideTest, WhatItHoldsAndDoesNotPollFeedsNobody) {
  links()[2] = "socket:[4711]";
  polls({{0, true, false}});
  EXPECT_EQ(outside(), false);
  polls({{2, false, true}});
  EXPECT_EQ(outside(), true);
  polls({});
  EXPECT_EQ(outside(), false) << "it waits for a time";
  machine.waits(12, WaitsFor::pipe_read, 0);
  EXPECT_EQ(outside(), false) << "as it was while it polled";
}

TEST_F(OutsideTest, HowOftenItPollsForATimeOnly) {
  uint32_t looks = 0;
  const auto look = [&] {
    look_at_poll(parts, {&machine.thread(12).task, 1}, 4, looks, stage);
    return stage.polls_nothing;
  };
  EXPECT_EQ(look(), 0) << "that can't be read";
  polls({});
  EXPECT_EQ(look(), 1);
  polls({{0, true, false}});
  EXPECT_EQ(look(), 0.5);
  for (int i = 0; i < 20; ++i) look();
  EXPECT_LT(look(), 0.01);
  polls({});
  EXPECT_NEAR(look(), 0.25, 0.01) << "of the last four or so";
  machine.waits(12, WaitsFor::pipe_read, 0);
  polls({{0, true, false}});
  EXPECT_NEAR(look(), 0.25, 0.01) << "it doesn't poll";
}

// A server for requests, an upload for acknowledgements.
TEST_F(OutsideTest, WhoPollsWhatRepliesToItPollsAPeer) {
  links()[3] = "socket:[4711]";
  links()[4] = "socket:[5000]";  // it listens there
  polls({{3, true, false}, {4, true, false}});
  connect(4711, 4712);
  outside();
  EXPECT_TRUE(stage.polls_peer);
  polls({{3, false, true}});
  EXPECT_EQ(outside(), false);
  EXPECT_FALSE(stage.polls_peer) << "its own ring tells of room";
  polls({{3, true, true}});
  connect(4712, 4711);
  outside();
  EXPECT_FALSE(stage.polls_peer) << "both directions are pipes";
}

}  // namespace
}  // namespace pipetop
