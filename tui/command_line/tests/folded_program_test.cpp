// --folded as a shell sees it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/processes.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

constexpr int kRefused = 3;
constexpr uint64_t kEnough_ns = 50'000'000;  // for some fifty samples

class Folded : public testing::Test {
 protected:
  bool nothing_is_left() const { return std::filesystem::is_empty(directory_.path()); }

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

  const ScratchDirectory directory_;
  const std::string path_ = directory_.file("out.folded");
};

// Waits until both workers have used so much of the CPUs that there must be samples of both.
template <class SomeProgram>
bool wait_for_samples(SomeProgram& program) {
  const pid_t writer = child_of(program.pid(), "pipetop-writer"),
              reader = child_of(program.pid(), "pipetop-reader");
  const uint64_t writer_ns = cpu_ns(writer), reader_ns = cpu_ns(reader);
  return program.wait_until([&] {
    return cpu_ns(writer) >= writer_ns + kEnough_ns && cpu_ns(reader) >= reader_ns + kEnough_ns;
  });
}

// Leaves the test where BPF cannot be had.
#define PIPETOP_NEED_SAMPLES(refused, words)             \
  do {                                                   \
    if (!(refused)) break;                               \
    if (::pipetop::bpf_is_required()) FAIL() << (words); \
    GTEST_SKIP() << (words);                             \
  } while (false)

TEST_F(Folded, ABadPathFailsBeforeAnythingStarts) {
  const std::string nowhere = directory_.file("no/such/place");
  Program program({"run", "--duration", "1h", "--folded", nowhere});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(program.err(), "pipetop: " + nowhere + ": No such file or directory\n");
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
  Program program({"run", "--duration", "1h", "--interval", "100ms", "--frequency", "999",
                   "--format", "jsonl", "--folded", path_});
  const bool is_sampled = program.wait_for("\"interval\"") && wait_for_samples(program);
  program.send(SIGTERM);
  const int status = program.wait();
  PIPETOP_NEED_SAMPLES(status == kRefused, program.err());
  ASSERT_TRUE(is_sampled) << program.err();
  ASSERT_EQ(status, 128 + SIGTERM) << program.err();
  const auto summary = program.out().substr(program.out().rfind("{\"schema\""));
  const auto functions = nlohmann::json::parse(summary)["functions"];
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
  // Without a frequency there are ever fewer samples the busier the machine is.
  PtyProgram program({PIPETOP_PROGRAM, "--frequency", "999", "--folded", path_},
                     {"TERM=xterm-256color"});
  // "samples" alone would be "no samples yet", too.
  const bool is_sampled = program.wait_for("running") && wait_for_samples(program);
  program.send("q");
  const int status = program.wait_for_end();
  PIPETOP_NEED_SAMPLES(status == kRefused, program.output());
  ASSERT_TRUE(is_sampled) << program.output();
  EXPECT_EQ(status, 0);
  EXPECT_EQ(samples().size(), 2u);
}

}  // namespace
}  // namespace pipetop::tui
