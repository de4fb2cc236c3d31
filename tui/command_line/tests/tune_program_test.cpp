// tune as a shell sees it, and what it leaves of itself: nothing.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/host/pipe_max_size.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/processes.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kRaised = 16 << 20;

uint64_t pipe_max_size() {
  uint64_t bytes = 0;
  std::ifstream(kPipeMaxSizeFile) >> bytes;
  return bytes;
}

// The config file starts with the winner; where there is none, there is no file.
void expect_file_of_winner(const std::string& file, const nlohmann::json& found) {
  EXPECT_EQ(std::filesystem::exists(file), !found["winner"].is_null());
  if (found["winner"].is_null()) return;
  Program program({"run", "--no-bpf", "--bytes", "1MiB", "--format", "json", "-c", file});
  EXPECT_TRUE(measured(program.wait())) << program.err();
  const auto run = nlohmann::json::parse(program.out());
  EXPECT_EQ(run["requested"], found["winner"]["settings"]);
  EXPECT_EQ(run["name"], "tuned");
}

// How much fits into the budget is the machine's affair; where it is not enough for a
// winner, that is said.
TEST(TuneProgram, ASmallBudgetFindsAWinnerAndWritesItOrSaysThatItIsTooSmall) {
  const ScratchDirectory directory;
  const std::string file = directory.file("tuned.yaml");
  Program program({"tune", "--budget", "3s", "--format", "json", "--write", file});
  const int status = program.wait();
  ASSERT_TRUE(measured(status)) << program.err();
  const auto json = nlohmann::json::parse(program.out());
  EXPECT_EQ(json["reference"]["name"], "busy_loop_huge");
  EXPECT_EQ(json["reference"]["settings"]["wait"], "busy");
  expect_file_of_winner(file, json);
  if (json["winner"].is_null()) {
    EXPECT_EQ(status, kUntrustworthy);
    EXPECT_NE(program.err().find("no winner: give a longer --budget"), std::string::npos)
        << program.err();
    return;
  }
  EXPECT_GE(json["winner"]["gib_per_s"]["trials"].size(), 2u);
  EXPECT_GE(json["trials"], 2u + 1) << "the winner's and one of the reference";
}

TEST(TuneProgram, TypedKnobsStay) {
  Program program({"tune", "--budget", "3s", "--format", "json", "--read_with", "read", "--payload",
                   "stamped"});
  ASSERT_TRUE(measured(program.wait())) << program.err();
  const auto json = nlohmann::json::parse(program.out());
  // As far as there was time for them.
  for (const char* who : {"winner", "runner_up"}) {
    if (json[who].is_null()) continue;
    EXPECT_EQ(json[who]["settings"]["read_with"], "read") << who;
    EXPECT_EQ(json[who]["settings"]["payload"], "stamped") << who;
  }
}

TEST(TuneProgram, MistakesAreTold) {
  Program slow({"tune", "--slow_motion"});
  EXPECT_EQ(slow.wait(), 1);
  EXPECT_NE(slow.err().find("remove slow_motion"), std::string::npos) << slow.err();
  Program nowhere({"tune", "--write", "/nonexistent/tuned.yaml"});
  EXPECT_EQ(nowhere.wait(), 1);
  EXPECT_NE(nowhere.err().find("/nonexistent/tuned.yaml"), std::string::npos) << nowhere.err();
}

TEST(TuneProgram, ASignalEndsItAndWhatIsKnownIsTold) {
  const ScratchDirectory directory;
  const std::string file = directory.file("tuned.yaml");
  Program program({"tune", "--budget", "1h", "--format", "json", "--write", file});
  ASSERT_NE(program.wait_for_child("pipetop-reader"), 0);
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 128 + SIGINT);
  const auto json = nlohmann::json::parse(program.out());
  EXPECT_EQ(json["final"], false);
  expect_file_of_winner(file, json);
}

// The limit is the machine's. These raise it for a moment, and put it back themselves if
// what they test does not.
class TuneRaise : public testing::Test {
 protected:
  void SetUp() override {
    const bool may = access(kPipeMaxSizeFile, W_OK) == 0 && before_ > 0 && before_ < kRaised;
    if (may) return;
    const char* why = "needs root, and an fs.pipe-max-size that can and need be raised";
    if (bpf_is_required()) FAIL() << why;
    GTEST_SKIP() << why;
  }
  ~TuneRaise() override {
    if (pipe_max_size() == kRaised && before_ < kRaised) std::ofstream(kPipeMaxSizeFile) << before_;
  }
  bool is_put_back() const {
    return eventually([this] { return pipe_max_size() == before_; });
  }

  const uint64_t before_ = pipe_max_size();
  Program program_{{"tune", "--budget", "1h", "--allow-raise-pipe-max"}};
};

TEST_F(TuneRaise, NothingIsLeftWhenItIsKilled) {
  const pid_t guard = program_.wait_for_child("pipetop-guard");
  const pid_t writer = program_.wait_for_child("pipetop-writer");
  const pid_t reader = program_.wait_for_child("pipetop-reader");
  ASSERT_TRUE(guard != 0 && writer != 0 && reader != 0);
  EXPECT_EQ(pipe_max_size(), kRaised);
  program_.send(SIGKILL);
  EXPECT_EQ(program_.wait(), -SIGKILL);  // and nobody holds its stdout
  EXPECT_TRUE(is_put_back());
  for (const pid_t pid : {guard, writer, reader})
    EXPECT_TRUE(eventually([&] { return is_gone(pid); })) << pid;
}

class TuneRaiseSignal : public TuneRaise, public testing::WithParamInterface<int> {};

TEST_P(TuneRaiseSignal, NothingIsLeftWhenItIsEnded) {
  const pid_t guard = program_.wait_for_child("pipetop-guard");
  ASSERT_NE(guard, 0);
  ASSERT_NE(program_.wait_for_child("pipetop-reader"), 0);
  EXPECT_EQ(pipe_max_size(), kRaised);
  program_.send(GetParam());
  EXPECT_EQ(program_.wait(), 128 + GetParam());
  EXPECT_EQ(pipe_max_size(), before_);
  EXPECT_TRUE(is_gone(guard));
}

INSTANTIATE_TEST_SUITE_P(Each, TuneRaiseSignal, testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace pipetop::tui
