// `pipetop watch` as root, as an ordinary user, and with the capabilities of its file.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/observe/tests/bpf_fixture.h"
#include "tui/command_line/tests/file_capabilities.h"
#include "tui/command_line/tests/ordinary_user.h"
#include "tui/command_line/tests/program.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

// Some seconds of gzip.
constexpr const char* kPipeline = "seq 6000000 | gzip | wc -c";

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

TEST(MeasuredWatchPrivileges, RootSeesTheBottleneck) {
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
  // seq's output: 46,888,896 bytes.
  EXPECT_NEAR(pipeline["pipes"][0]["bytes"].get<double>(), 46'888'896, 0.1 * 46'888'896)
      << pipeline["pipes"][0];
}

// A fast pipe that is new has moved many rings before anybody looks at it. But it lasts for long
// enough that all that hold it are seen.
TEST(WatchPrivileges, ExactBytesOfACommandAreAllOfThem) {
  PIPETOP_NEED(root());
  const ScratchDirectory directory;
  const std::string file = directory.file("summary"), count = directory.file("count");
  // Its end isn't our pipe, which may be taken for a part of the pipeline.
  const std::string script = "sleep 0.3; head -c 1500000000 /dev/zero | cat | wc -c > " + count;
  Program program(
      {"watch", "--exact", "--format", "json", "--output", file, "--", "/bin/sh", "-c", script});
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(content_of(count), "1500000000\n");
  const json summary = summary_of(file);
  if (summary.contains("source_reason")) GTEST_SKIP() << summary["source_reason"];
  ASSERT_FALSE(summary["pipeline"].is_null()) << summary;
  const json& pipes = summary["pipeline"]["pipes"];
  ASSERT_EQ(pipes.size(), 2u) << summary;
  size_t ends = 0;
  for (const json& pipe : pipes) {
    EXPECT_EQ(pipe["exact"], true);
    EXPECT_EQ(pipe["bytes"], 1'500'000'000) << pipe;
    // Who had gone at the last look is not listed.
    for (const char* side : {"writers", "readers"})
      for (const json& end : pipe[side]) EXPECT_EQ(end["bytes"], 1'500'000'000) << pipe;
    ends += pipe["writers"].size() + pipe["readers"].size();
  }
  EXPECT_GT(ends, 0u) << summary;
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

// Pipelines of three users, each with a secret in its pipe.
class Secrets {
 public:
  Secrets() {
    std::filesystem::permissions(directory_.path(), std::filesystem::perms(0755));
    for (const uid_t user : {uid_t{0}, kDaemon, kNobody}) {
      const std::string fifo = directory_.file(std::to_string(user));
      EXPECT_EQ(mkfifo(fifo.c_str(), 0600), 0) << strerror(errno);
      EXPECT_EQ(chown(fifo.c_str(), user, user), 0) << strerror(errno);
      const std::string script = "exec 3<>" + fifo + "; printf secret >&3; echo; exec sleep 3600";
      const Words words = as_user("/bin/sh", {"-c", script}, user);
      auto& program = programs_[user] = std::make_unique<Program>(kSetpriv, words);
      EXPECT_TRUE(program->wait_for("\n")) << program->err();
    }
  }

  pid_t of(uid_t user) const { return programs_.at(user)->pid(); }

  // Whose a table shows, by the names of their users.
  std::set<uid_t> shown(const json& table) const {
    std::set<uid_t> users;
    for (const json& pipe : table["pipes"])
      for (const auto& [user, program] : programs_)
        for (const json& writer : pipe["writers"])
          if (writer["pid"] == program->pid() && pipe["queued_bytes"] == 6) users.insert(user);
    return users;
  }

 private:
  ScratchDirectory directory_;
  std::map<uid_t, std::unique_ptr<Program>> programs_;
};

TEST(WatchPrivileges, CapabilitiesOfTheFileShowNobodyTheProcessesOfOthers) {
  PIPETOP_NEED(root());
  const ProgramCopy copy;
  const std::string refusal = copy.set_capabilities(kObserving);
  if (!refusal.empty()) GTEST_SKIP() << refusal;
  const Secrets secrets;
  const auto table_of = [&](uid_t user) {
    const Words watch = {"watch", "--once", "--interval", "200ms", "--format", "json"};
    Program program(kSetpriv, as_user(copy.path(), watch, user));
    EXPECT_EQ(program.wait(), 0) << program.err();
    return json::parse(program.out());
  };
  const json all = table_of(0);
  if (all["source"] != "bpf") GTEST_SKIP() << all["source_reason"];
  EXPECT_EQ(secrets.shown(all), (std::set<uid_t>{0, kDaemon, kNobody}));
  EXPECT_EQ(all["unreadable_processes"], 0);
  for (const uid_t user : {kDaemon, kNobody}) {
    const json table = table_of(user);
    EXPECT_EQ(table["source"], "bpf") << table["source_reason"];
    EXPECT_EQ(secrets.shown(table), std::set<uid_t>{user});
    EXPECT_GE(table["unreadable_processes"], 2);
  }
  const auto refused = [&](uid_t of) {
    const std::string pid = std::to_string(secrets.of(of));
    Program program(kSetpriv, as_user(copy.path(), {"watch", "--exact", "--once", pid}));
    EXPECT_EQ(program.wait(), 3) << program.out();
    EXPECT_EQ(program.out(), "");
    return program.err();
  };
  for (const uid_t other : {uid_t{0}, kDaemon})
    EXPECT_EQ(refused(other), fmt::format("pipetop: no permission to see process {}; run as "
                                          "root: sudo pipetop watch\n",
                                          secrets.of(other)));
  EXPECT_EQ(refused(kNobody),
            "pipetop: exact bytes need root, because counting slows down every system call of the "
            "machine; sudo pipetop\n");
}

}  // namespace
}  // namespace pipetop::tui
