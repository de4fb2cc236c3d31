// --folded as a shell sees it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/observe/tests/bpf_fixture.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

constexpr int kRefused = 3;
constexpr int kUntrustworthy = 7;

class Folded : public testing::Test {
 protected:
  Folded() { std::filesystem::create_directory(directory_); }
  ~Folded() override { std::filesystem::remove_all(directory_); }

  bool nothing_is_left() const { return std::filesystem::is_empty(directory_); }

  // Samples by role; every line must be as the flame-graph tools read it.
  std::map<std::string, uint64_t> samples() const {
    std::map<std::string, uint64_t> samples;
    std::ifstream file(path_);
    EXPECT_TRUE(file);
    for (std::string line; std::getline(file, line);) {
      const size_t semicolon = line.find(';'), blank = line.rfind(' ');
      EXPECT_LT(semicolon, blank) << line;
      samples[line.substr(0, semicolon)] += std::stoull(line.substr(blank + 1));
    }
    return samples;
  }

  const std::string directory_ = testing::TempDir() + "pipetop-folded-" + std::to_string(getpid());
  const std::string path_ = directory_ + "/out.folded";
};

// Leaves the test where BPF cannot be had.
#define PIPETOP_NEED_SAMPLES(refused, words)                      \
  do {                                                            \
    if (!(refused)) break;                                        \
    if (::pipetop::observe::bpf_is_required()) FAIL() << (words); \
    GTEST_SKIP() << (words);                                      \
  } while (false)

TEST_F(Folded, ABadPathFailsBeforeAnythingStarts) {
  Program program({"run", "--duration", "1h", "--folded", directory_ + "/no/such/place"});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(program.err(),
            "pipetop: " + directory_ + "/no/such/place: No such file or directory\n");
}

TEST_F(Folded, WithoutSamplesItSaysWhy) {
  Program program({"run", "--duration", "1h", "--no-bpf", "--folded", path_});
  EXPECT_EQ(program.wait(), kRefused);
  EXPECT_NE(program.err().find("--folded: BPF is switched off"), std::string::npos);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(Folded, DoesNotMixWithTheResult) {
  Program program({"run", "--duration", "1h", "--folded", "-"});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_NE(program.err().find("give --output FILE"), std::string::npos) << program.err();
}

TEST_F(Folded, ARunWritesWhatItMeasured) {
  Program program({"run", "--duration", "1s", "--format", "json", "--folded", path_});
  const int status = program.wait();
  PIPETOP_NEED_SAMPLES(status == kRefused, program.err());
  ASSERT_TRUE(status == 0 || status == kUntrustworthy) << program.err();
  const auto functions = nlohmann::json::parse(program.out())["functions"];
  const auto by_role = samples();
  EXPECT_EQ(by_role.size(), 2u);
  for (const auto& [role, count] : by_role) {
    EXPECT_EQ(functions.at(role)["samples"], count);
    uint64_t of_roots = 0;
    for (const auto& root : functions[role]["tree"])
      of_roots += root["total_samples"].get<uint64_t>();
    EXPECT_EQ(of_roots, count);
  }
}

TEST_F(Folded, TheDashboardWritesThePresentSegmentWhenItEnds) {
  PtyProgram program({PIPETOP_PROGRAM, "--folded", path_}, {"TERM=xterm-256color"});
  const bool samples_are_shown = program.wait_for("smp");
  program.send("q");
  const int status = program.wait_for_end();
  PIPETOP_NEED_SAMPLES(WEXITSTATUS(status) == kRefused, program.output());
  ASSERT_TRUE(samples_are_shown) << program.output();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const auto by_role = samples();
  EXPECT_TRUE(by_role.contains("writer") || by_role.contains("reader"));
}

}  // namespace
}  // namespace pipetop::tui
