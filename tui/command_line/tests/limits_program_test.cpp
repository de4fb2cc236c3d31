// pipetop limits as a shell starts it: real processes, real pipes.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/processes.h"

namespace pipetop::tui {
namespace {

TEST(LimitsProgram, MeasuresEveryStep) {
  Program program({"limits", "--no-bpf", "--rounds", "1", "--format", "json"});
  const int status = program.wait();
  EXPECT_TRUE(measured(status)) << program.err();
  const auto json = nlohmann::json::parse(program.out());
  EXPECT_EQ(json["rounds"], 1);
  EXPECT_GT(json["syscall_ns"]["median"], 0);
  EXPECT_GT(json["wakeup_one_cpu_ns"]["median"], 0);
  ASSERT_EQ(json["pages"].size(), 5u);
  EXPECT_GT(json["pages"][2]["vmsplice_ns_per_page"]["median"], 0);
  EXPECT_GT(json["pages"][2]["get_ns_per_page"]["figures"], 0);
  EXPECT_EQ(json["copies"].size(), 9u);
  ASSERT_EQ(json["runs"].size(), 3u);
  // A run is of 200 ms: where others have the CPUs, nothing may arrive in it.
  EXPECT_EQ(json["runs"][0]["gib_per_s"]["figures"], 1);
  EXPECT_TRUE(json["runs"][0]["sampled_vmsplice_ns_per_page"].is_null());
  EXPECT_NE(json["runs"][0]["sampled_vmsplice_ns_per_page_reason"], "");
}

TEST(LimitsProgram, HoldsSettingsOfOnesOwnAgainstTheRoof) {
  Program program(
      {"limits", "--no-bpf", "--rounds", "1", "--format", "json", "--preset", "write_read"});
  program.wait();
  const auto json = nlohmann::json::parse(program.out());
  ASSERT_EQ(json["runs"].size(), 4u) << program.err();
  EXPECT_EQ(json["runs"][3]["name"], "write_read");
}

TEST(LimitsProgram, KeepsWhatIsMeasuredWhenItIsInterrupted) {
  Program program({"limits", "--no-bpf", "--rounds", "1000", "--format", "json"}, Stdout::captured,
                  Stderr::terminal);
  ASSERT_TRUE(program.wait_for("round 2 of 1000")) << program.err();
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 128 + SIGINT) << program.err();
  const auto json = nlohmann::json::parse(program.out());
  EXPECT_GE(json["rounds"], 2);
  EXPECT_GT(json["syscall_ns"]["median"], 0);
  EXPECT_GE(json["runs"][0]["gib_per_s"]["figures"], 1);
}

TEST(LimitsProgram, LeavesNobodyBehindWhenItIsKilled) {
  Program program({"limits", "--no-bpf", "--rounds", "1000"});
  const pid_t echo = program.wait_for_child("pipetop-echo");
  ASSERT_NE(echo, 0);
  program.send(SIGKILL);
  EXPECT_EQ(program.wait(), -SIGKILL);
  EXPECT_TRUE(eventually([&] { return is_gone(echo); }));
}

}  // namespace
}  // namespace pipetop::tui
