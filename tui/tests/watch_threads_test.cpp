// The threads of a stage, and what its cgroup and its pid namespace add to its box and its page.
#include <fmt/core.h>

#include "tui/tests/watch_fixture.h"

namespace pipetop::tui {
namespace {

// tar | zstd | ssh, where zstd has these threads beside two that compute.
Pipeline with_threads(size_t more) {
  Pipeline view = fake_chain(3);
  Stage& zstd = view.stages[1];
  const auto add = [&](const char* name, double on_cpu) -> StageThread& {
    StageThread& thread = zstd.thread_list.emplace_back();
    thread.tid = 5000 + int(zstd.thread_list.size());
    thread.name = name;
    thread.state.wait = WaitsFor::lock;
    StageShares shares;
    shares.on_cpu = on_cpu;
    shares.elsewhere[size_t(WaitsFor::lock)] = 1 - on_cpu;
    thread.shares = Reading<StageShares>::of(shares);
    return thread;
  };
  add("work-1", 0.97);
  add("work-2", 0.93);
  StageThread& in = add("in", 0.04);
  in.reads = true;
  in.pipes = {{view.pipes[0].id, false, 0.25}};
  in.shares.value->reading = 0.25;
  add("out", 0.03).writes = true;
  for (size_t i = 0; i < more; ++i) add("idle", 0);
  zstd.threads = uint32_t(zstd.thread_list.size());
  return view;
}

struct WatchThreadsTest : WatchTest {
  std::string line_with(std::string_view part) const {
    const int row = row_of(part);
    return row < 0 ? "" : lines()[size_t(row)];
  }
};

TEST_F(WatchThreadsTest, EnterListsWhichReadsWhichWritesAndWhichComputes) {
  open(with_threads(0), 24, 80);
  ASSERT_TRUE(shows("threads"));
  press(key::enter);
  EXPECT_NE(line_with("5001 work-1").find("97 % computes"), std::string::npos) << text();
  EXPECT_NE(line_with("5003 in").find("reads"), std::string::npos);
  EXPECT_NE(line_with("5004 out").find("writes"), std::string::npos);
  EXPECT_NE(line_with("5003 in").find("25 %"), std::string::npos) << text();
  EXPECT_LT(row_of("work-1"), row_of("work-2"));
  EXPECT_TRUE(shows("reading writing runnable")) << text();
  resize(40, 120);
  EXPECT_NE(line_with("5003 in").find("lock 96 %, pipe "), std::string::npos) << text();
}

TEST_F(WatchThreadsTest, AKeyGoesOnToFunctionsAndWaits) {
  open(with_threads(0));
  press(key::enter);
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(shows("role"));
    type("w");
    EXPECT_TRUE(shows("self")) << text();
    EXPECT_FALSE(shows("role"));
    type("w");
    EXPECT_TRUE(shows("where its time goes"));
    type("w");
  }
  type("f");
  EXPECT_TRUE(shows("threads have no call tree"));
}

TEST_F(WatchThreadsTest, AFewOfManyFitAndTheOthersAreSaid) {
  Pipeline view = with_threads(Stage::kMostThreads - 4);
  view.stages[1].threads = 300;
  open(std::move(view), 40, 120);
  press(key::enter);
  EXPECT_TRUE(shows("the busiest 64 of 300"));
  EXPECT_FALSE(shows("5064 idle"));
  press(key::end);
  EXPECT_TRUE(shows("5064 idle")) << text();
  EXPECT_FALSE(shows("5001 work-1"));
}

TEST_F(WatchThreadsTest, AFilterFindsThem) {
  open(with_threads(3));
  press(key::enter);
  type("/writes");
  press(key::enter);
  EXPECT_TRUE(shows("5004 out"));
  EXPECT_FALSE(shows("work-1"));
}

TEST_F(WatchThreadsTest, WhoHasOneThreadShowsFunctions) {
  open(fake_chain(3));  // nor has who has no list, as in an older recording
  press(key::enter);
  EXPECT_TRUE(shows("self"));
  EXPECT_FALSE(shows("role"));
}

TEST_F(WatchThreadsTest, WhatIsNotKnownOfAThreadIsNotZero) {
  Pipeline view = with_threads(0);
  view.stages[1].thread_list[3].shares = Reading<StageShares>::warming("not counted");
  open(std::move(view));
  press(key::enter);
  EXPECT_EQ(line_with("5004 out").find("0 %"), std::string::npos) << text();
}

TEST_F(WatchThreadsTest, ABoxSaysWhereItRunsAndHowItIsThrottled) {
  Pipeline view = fake_chain(3);
  Stage& zstd = view.stages[1];
  zstd.cgroup = "docker 0123456789ab";
  zstd.quota_cpus = 0.5;
  open(view, 24, 80);
  EXPECT_TRUE(shows("quota 0.5 CPU")) << text();
  EXPECT_FALSE(shows("throttled")) << "no period has ended";
  EXPECT_TRUE(shows("docker 0"));
  view.stages[1].limits.quota = Throttling{0.63, 0.5, "/sys/fs/cgroup/docker"};
  view.stages[1].pid_inside = 7;
  open(view, 24, 80);
  EXPECT_TRUE(shows("throttled 63 %")) << text();
  press(key::enter);
  EXPECT_TRUE(shows("quota 0.5 CPU, throttled 63 % of periods")) << text();
  EXPECT_TRUE(shows(fmt::format("pid {}, 7 inside", view.stages[1].id.pid))) << text();
  view.stages[1].limits.quota->share = 1;
  open(view, 24, 80);
  EXPECT_TRUE(shows("throttl… 100 %")) << text();
  view.stages[1].limits.quota->share = 0.63;
  for (const int cols : {120, 160}) {
    open(view, 40, cols);
    EXPECT_TRUE(shows("throttled 63 %")) << text();
    EXPECT_TRUE(shows("docker 0123")) << text();
  }
}

}  // namespace
}  // namespace pipetop::tui
