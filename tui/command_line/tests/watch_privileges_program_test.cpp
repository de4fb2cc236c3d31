// `pipetop watch` as root, as an ordinary user, and with the capabilities of its file.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/observe/tests/bpf_fixture.h"
#include "tui/command_line/tests/file_capabilities.h"
#include "tui/command_line/tests/ordinary_user.h"
#include "tui/command_line/tests/program.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

// Some seconds of gzip.
constexpr const char* kPipeline = "seq 20000000 | gzip | wc -c";

json summary_of(const std::string& file) { return json::parse(content_of(file)); }

const json& named(const json& stages, const std::string& name) {
  static const json none;
  for (const json& stage : stages)
    if (stage["name"] == name) return stage;
  return none;
}

std::string bytes_of_pipeline() {
  Program alone("/bin/sh", {"-c", kPipeline});
  EXPECT_EQ(alone.wait(), 0);
  return alone.out();
}

TEST(WatchPrivileges, RootSeesWhichStageHoldsItUp) {
  PIPETOP_NEED(root());
  const ScratchDirectory directory;
  const std::string file = directory.file("summary");
  Program program(
      {"watch", "--format", "json", "--output", file, "--", "/bin/sh", "-c", kPipeline});
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(program.out(), bytes_of_pipeline());
  const json summary = summary_of(file);
  if (summary.contains("source_reason")) GTEST_SKIP() << summary["source_reason"];
  const json& pipeline = summary["pipeline"];
  ASSERT_FALSE(pipeline.is_null()) << summary;
  const json& gzip = named(pipeline["stages"], "gzip");
  ASSERT_FALSE(gzip.is_null()) << pipeline;
  EXPECT_EQ(pipeline["bottleneck"]["kind"], "stage") << pipeline["bottleneck"];
  EXPECT_EQ(pipeline["bottleneck"]["pid"], gzip["pid"]) << pipeline["bottleneck"];
  EXPECT_GT(gzip["cpu_ns"], named(pipeline["stages"], "wc")["cpu_ns"]);
  // seq's output: 168,888,897 bytes.
  EXPECT_NEAR(pipeline["pipes"][0]["bytes"].get<double>(), 168'888'897, 0.1 * 168'888'897)
      << pipeline["pipes"][0];
}

// A fast pipe that is new has moved many rings before anybody looks at it.
TEST(WatchPrivileges, ExactBytesOfACommandAreAllOfThem) {
  PIPETOP_NEED(root());
  const ScratchDirectory directory;
  const std::string file = directory.file("summary"), count = directory.file("count");
  // Its end isn't our pipe, which may be taken for a part of the pipeline.
  const std::string script = "sleep 0.3; head -c 300000000 /dev/zero | cat | wc -c > " + count;
  Program program(
      {"watch", "--exact", "--format", "json", "--output", file, "--", "/bin/sh", "-c", script});
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(content_of(count), "300000000\n");
  const json summary = summary_of(file);
  if (summary.contains("source_reason")) GTEST_SKIP() << summary["source_reason"];
  ASSERT_FALSE(summary["pipeline"].is_null()) << summary;
  const json& pipes = summary["pipeline"]["pipes"];
  ASSERT_EQ(pipes.size(), 2u) << summary;
  for (const json& pipe : pipes) {
    EXPECT_EQ(pipe["exact"], true);
    EXPECT_EQ(pipe["bytes"], 300'000'000) << pipe;
    EXPECT_EQ(pipe["writers"][0]["bytes"], 300'000'000) << pipe;
    EXPECT_EQ(pipe["readers"][0]["bytes"], 300'000'000) << pipe;
  }
}

TEST(WatchPrivileges, AnOrdinaryUserWatchesWhatItStartsAndIsToldOnce) {
  PIPETOP_NEED(root());
  const ProgramCopy copy;
  Program program(
      kSetpriv, as_user(copy.path(), {"watch", "--", "/bin/sh", "-c", "sleep 0.5 | cat; exit 3"}));
  EXPECT_EQ(program.wait(), 3) << program.err();
  EXPECT_EQ(program.out(), "");
  EXPECT_NE(program.err().find("sleep | cat"), std::string::npos) << program.err();
  const std::string remedy = "sudo pipetop";
  const size_t at = program.err().find(remedy);
  ASSERT_NE(at, std::string::npos) << program.err();
  EXPECT_EQ(program.err().find(remedy, at + 1), std::string::npos) << program.err();
}

// What pipetop may do by its file is not for what it starts; what it hides from itself is.
TEST(WatchPrivileges, CapabilitiesOfTheFileAreNotTheCommands) {
  PIPETOP_NEED(root());
  const ProgramCopy copy;
  const std::string refusal = copy.set_capabilities(kObserving);
  if (!refusal.empty()) GTEST_SKIP() << refusal;
  const std::string script =
      "grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)' /proc/self/status; echo $HOME $TERMINFO "
      "$XDG_CONFIG_HOME";
  const auto with_variables = [](const Words& words) {
    Words all = {"-u", "XDG_CONFIG_HOME", "HOME=/home/x", "TERMINFO=/t", kSetpriv};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  };
  Program alone("/usr/bin/env", with_variables(as_user("/bin/sh", {"-c", script})));
  Program watched(
      "/usr/bin/env",
      with_variables(as_user(copy.path(), {"watch", "-q", "--", "/bin/sh", "-c", script})));
  EXPECT_EQ(alone.wait(), 0);
  EXPECT_EQ(watched.wait(), 0) << watched.err();
  EXPECT_EQ(watched.out(), alone.out());
  EXPECT_NE(alone.out().find("/home/x /t"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::tui
