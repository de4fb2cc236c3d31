// pipetop limits as a shell starts it: real processes, real pipes.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tui/command_line/tests/program.h"

namespace pipetop::tui {
namespace {

constexpr int kUntrustworthy = 7;

// Whoever inherits the dead need not collect them.
bool runs(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  if (!std::getline(file, stat)) return false;
  const size_t name_end = stat.rfind(')');
  return name_end != stat.npos && stat.substr(name_end, 3) != ") Z";
}

TEST(LimitsProgram, MeasuresEveryStep) {
  Program program({"limits", "--no-bpf", "--rounds", "1", "--format", "json"});
  const int status = program.wait();
  EXPECT_TRUE(status == 0 || status == kUntrustworthy) << program.err();
  const auto json = nlohmann::json::parse(program.out());
  EXPECT_EQ(json["rounds"], 1);
  EXPECT_GT(json["syscall_ns"]["median"], 0);
  EXPECT_GT(json["wakeup_one_cpu_ns"]["median"], 0);
  ASSERT_EQ(json["pages"].size(), 5u);
  EXPECT_GT(json["pages"][2]["vmsplice_ns_per_page"]["median"], 0);
  EXPECT_GT(json["pages"][2]["get_ns_per_page"]["figures"], 0);
  EXPECT_EQ(json["copies"].size(), 9u);
  ASSERT_EQ(json["runs"].size(), 3u);
  EXPECT_GT(json["runs"][0]["gib_per_s"]["median"], 0);
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
  Program program({"limits", "--no-bpf", "--rounds", "1000", "--format", "json"});
  ASSERT_NE(program.wait_for_child("pipetop-reader"), 0);
  usleep(500'000);
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 128 + SIGINT) << program.err();
  const auto json = nlohmann::json::parse(program.out());
  EXPECT_GE(json["rounds"], 1);
  EXPECT_GT(json["syscall_ns"]["median"], 0);
}

TEST(LimitsProgram, LeavesNobodyBehindWhenItIsKilled) {
  Program program({"limits", "--no-bpf", "--rounds", "1000"});
  const pid_t echo = program.wait_for_child("pipetop-echo");
  ASSERT_NE(echo, 0);
  program.send(SIGKILL);
  EXPECT_EQ(program.wait(), -SIGKILL);
  for (int i = 0; i < 200 && runs(echo); ++i) usleep(10'000);
  EXPECT_FALSE(runs(echo));
}

}  // namespace
}  // namespace pipetop::tui
