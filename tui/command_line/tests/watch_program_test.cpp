// `pipetop watch` for scripts: pipes of programs that run already.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/process/threads.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/few_descriptors.h"
#include "engine/tests/support/locked_pipe.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/processes.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

// A process that holds the write end of a pipe, whose read end we hold.
class Holder {
 public:
  Holder() : program_("/bin/sleep", {"3600"}) {
    // Once it is sleep, and no longer our own program before exec.
    program_.wait_until([&] { return content_of(proc() + "comm") == "sleep\n"; });
    char name[64] = {};
    const ssize_t length = readlink((proc() + "fd/1").c_str(), name, sizeof name - 1);
    EXPECT_GT(length, 0);
    std::istringstream(std::string(name).substr(6)) >> inode_;  // "pipe:[12345]"
  }

  uint64_t inode() const { return inode_; }
  std::string pid() const { return std::to_string(program_.pid()); }

 private:
  std::string proc() const { return "/proc/" + pid() + "/"; }

  Program program_;
  uint64_t inode_ = 0;
};

Words watch(const Words& more) {
  Words words = {"watch", "--no-bpf"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

json pipe_of(const json& pipes, uint64_t inode) {
  for (const json& pipe : pipes)
    if (pipe["inode"] == inode) return pipe;
  return {};
}

TEST(WatchProgram, AStreamHasAGapWhereNothingCouldBeSeen) {
  Program program(watch({"--format", "jsonl", "--interval", "100ms"}));
  ASSERT_TRUE(program.wait_for("\n")) << program.err();
  {
    const FewDescriptors none(0, program.pid());
    EXPECT_TRUE(
        program.wait_for("what was seen before stays, and it is tried again: /proc: Too "
                         "many open files; raise the limit of open files"));
  }
  program.catch_up();
  const size_t before = program.out().size();
  EXPECT_TRUE(program.wait_until([&] { return program.out().size() > before; }));
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM) << program.err();
}

TEST(WatchProgram, AResultThatEndsBeforeItsTimeIsUntrustworthy) {
  if (PIPETOP_SANITIZED) GTEST_SKIP() << "who looks for leaks needs descriptors";
  Program program(watch({"--format", "jsonl", "--interval", "100ms", "--duration", "8s"}));
  ASSERT_TRUE(program.wait_for("\n")) << program.err();
  const FewDescriptors none(0, program.pid());
  EXPECT_EQ(program.wait(), kUntrustworthy) << program.err();
  EXPECT_NE(program.err().find("what was seen before stays"), std::string::npos) << program.err();
}

TEST(WatchProgram, ListsAPipeWithBothItsEnds) {
  const Holder holder;
  Program program(watch({"--format", "json", "--interval", "100ms"}));
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(program.err(), "");
  const json all = json::parse(program.out());
  EXPECT_EQ(all["schema"], 1);
  EXPECT_EQ(all["source"], "proc");
  EXPECT_FALSE(all["source_reason"].get<std::string>().empty());
  EXPECT_GT(all["over_ns"], 0);
  const json pipe = pipe_of(all["pipes"], holder.inode());
  ASSERT_FALSE(pipe.is_null()) << program.out();
  const auto held_by = [](const json& ends, const std::string& pid) {
    return std::ranges::any_of(ends, [&](const json& e) { return e["pid"].dump() == pid; });
  };
  EXPECT_TRUE(held_by(pipe["writers"], holder.pid())) << pipe;
  EXPECT_TRUE(held_by(pipe["readers"], std::to_string(getpid()))) << pipe;
  if (geteuid() == 0) {
    EXPECT_TRUE(pipe["capacity_bytes"].is_null()) << "root copies no ends of all pipes";
  } else {
    EXPECT_EQ(pipe["capacity_bytes"], 65'536);
    EXPECT_EQ(pipe["queued_bytes"], 0);
  }
}

TEST(WatchProgram, AnOpenPipelineTellsItsSizes) {
  const Holder holder;
  Program program(watch({"--format", "json", "--duration", "300ms", holder.pid()}));
  EXPECT_EQ(program.wait(), 0) << program.err();
  const json pipe = pipe_of(json::parse(program.out())["pipes"], holder.inode());
  ASSERT_FALSE(pipe.is_null()) << program.out();
  EXPECT_EQ(pipe["capacity_bytes"], 65'536);
  EXPECT_EQ(pipe["queued_bytes"], 0);
}

TEST(MeasuredWatch, ItsWindowIsTheDuration) {
  Program flow("/bin/sh", {"-c", "exec 2> /dev/null; cat /dev/zero | cat > /dev/null"});
  const pid_t cat = flow.wait_for_child("cat");
  ASSERT_NE(cat, 0);
  ASSERT_NE(flow.wait_for_child("cat", cat), 0);
  Program program(watch({"--format", "json", "--duration", "2s", std::to_string(cat)}));
  EXPECT_EQ(program.wait(), 0) << program.err();
  const json all = json::parse(program.out());
  EXPECT_GE(all["over_ns"], 2'000'000'000u);
  const json& pipe = all["pipes"][0];
  ASSERT_TRUE(pipe["bytes"].is_number()) << pipe;
  const double per_s = pipe["bytes"].get<double>() / (all["over_ns"].get<double>() / 1e9);
  EXPECT_GT(per_s, 0);
  EXPECT_NEAR(pipe["bytes_per_s"].get<double>(), per_s, 0.01 * per_s);
  kill(cat, SIGKILL);  // the other one and the shell end
}

// However much a look costs: those that cost much are made rarely.
TEST(MeasuredWatch, ADurationIsABound) {
  constexpr size_t kThreads = 3000;
  const Child crowd([] {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16'384);
    const auto wait = [](void*) -> void* { return pause(), nullptr; };
    const TestPipe pipe;
    pthread_t thread;
    for (size_t i = 1; i < kThreads; ++i) pthread_create(&thread, &small, wait, nullptr);
    return pause();
  });
  ASSERT_TRUE(eventually([&] { return threads_of(crowd.pid()).size() == kThreads; }));
  for (const Words& target : {Words{}, Words{std::to_string(crowd.pid())}}) {
    Words words = watch({"--format", "json", "--duration", "300ms"});
    words.insert(words.end(), target.begin(), target.end());
    Program program(words);
    EXPECT_EQ(program.wait(), 0) << program.err();
    const json all = json::parse(program.out());
    EXPECT_LT(all["over_ns"], 1'000'000'000u);
    EXPECT_FALSE(all["pipes"].empty());
  }
}

TEST(WatchProgram, ALockedPipeIsNamedAndNobodyWaitsForIt) {
  LockedPipe locked;
  const std::string holder = std::to_string(locked.holder());
  const std::string end = holder + ":" + std::to_string(locked.pipe().in.get());
  const uint64_t inode = locked.pipe().id.inode;
  Program pipeline(watch({"--format", "json", "--duration", "300ms", end}));
  EXPECT_EQ(pipeline.wait(), 0) << pipeline.err();
  const json pipe = pipe_of(json::parse(pipeline.out())["pipes"], inode);
  ASSERT_FALSE(pipe.is_null()) << pipeline.out();
  EXPECT_EQ(pipe["locked_by"]["pid"].dump(), holder) << pipe;
  EXPECT_TRUE(pipe["capacity_bytes"].is_null());
  Program table(watch({"--once"}));
  EXPECT_EQ(table.wait(), 0) << table.err();
  EXPECT_NE(table.out().find("pipe " + std::to_string(inode) + " ("), std::string::npos);
  EXPECT_NE(table.out().find(" is locked: a splice of " + holder), std::string::npos);
  Program stream(watch({"--format", "jsonl", "--interval", "100ms", end}));
  ASSERT_TRUE(stream.wait_for("\"locked\":true"));
  stream.send(SIGTERM);
  EXPECT_EQ(stream.wait(), 128 + SIGTERM);
}

TEST(WatchProgram, WithoutProcItIsSaid) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to hide /proc";
  if (PIPETOP_SANITIZED) GTEST_SKIP() << "who looks for leaks needs it, too";
  const std::string command =
      "mount --make-rprivate / && mount -t tmpfs none /proc && exec " PIPETOP_PROGRAM
      " watch --once";
  Program program("/usr/bin/unshare", {"-m", "/bin/sh", "-c", command});
  EXPECT_EQ(program.wait(), 3);
  EXPECT_EQ(program.err(), "pipetop: /proc is not mounted here; mount -t proc proc /proc\n");
}

TEST(WatchProgram, EndsWhenAConditionIsMet) {
  // Their only pipe: what a test prints goes to a pipe, too.
  Program flow("/bin/sh", {"-c", "exec < /dev/null > /dev/null 2>&1; sleep 3600 | cat"});
  pid_t sleep = 0;
  ASSERT_TRUE(eventually([&] {
    sleep = child_of(flow.pid(), "sleep");
    return sleep != 0 && child_of(flow.pid(), "cat") != 0;
  }));
  const std::string pid = std::to_string(sleep);
  Program met(watch({pid, "--until", "empty > 90 % for 1s", "--format", "json"}));
  EXPECT_EQ(met.wait(), 9) << met.err();
  EXPECT_NE(met.err().find("sleep -> "), std::string::npos) << met.err();
  EXPECT_NE(met.err().find(": empty 100 % for "), std::string::npos) << met.err();
  EXPECT_FALSE(json::parse(met.out())["stages"].empty());
  Program unmet(watch({pid, "--until", "queued > 1KiB", "--duration", "500ms"}));
  EXPECT_EQ(unmet.wait(), 0) << unmet.err();
  Program wrong(watch({pid, "--until", "fill > 1KiB"}));
  EXPECT_EQ(wrong.wait(), 1);
  EXPECT_NE(wrong.err().find("--until: \"fill > 1KiB\" is no condition"), std::string::npos);
  Program of_all(watch({"--until", "full > 9 %"}));
  EXPECT_EQ(of_all.wait(), 1);
  kill(sleep, SIGKILL);  // cat and the shell end
}

TEST(WatchProgram, GoesOnOrEndsTheCommandWhenAConditionIsMet) {
  const std::string words = "cat /dev/zero | head -c 1G | tail -c 1 > /dev/null; exit ";
  const auto run = [&](const std::string& then, const std::string& command) {
    return Program(watch(
        {"--format", "json", "--until", "rate > 1KiB", "--then", then, "--", "sh", "-c", command}));
  };
  Program goes_on = run("go-on", words + "0");
  EXPECT_EQ(goes_on.wait(), 9) << goes_on.err();
  EXPECT_NE(goes_on.err().find("rate "), std::string::npos) << goes_on.err();
  Program fails = run("go-on", words + "3");
  EXPECT_EQ(fails.wait(), 3) << "its own failure is worse";
  Program ends = run("exit", "cat /dev/zero | cat > /dev/null");
  EXPECT_EQ(ends.wait(), 9) << ends.err();
  Program alone(watch({"--then", "exit"}));
  EXPECT_EQ(alone.wait(), 1);
}

// A script of two pipelines, and a process without a pipe.
TEST(WatchProgram, ShowsTheTreeOfACommand) {
  Program program(watch({"--format", "json", "--", "sh", "-c",
                         "sleep 1; cat /dev/zero | head -c 1G | tail -c 1 > /dev/null; "
                         "yes | head -c 1G | tail -c 1 > /dev/null"}));
  EXPECT_EQ(program.wait(), 0);
  const json tree = json::parse(program.err())["tree"];
  std::vector<std::string> names;
  for (const json& row : tree["rows"])
    names.push_back(std::to_string(row["depth"].get<int>()) + " " + row["name"].get<std::string>());
  ASSERT_GE(names.size(), 4u) << tree.dump(1);
  EXPECT_EQ(names[0].substr(0, 4), "0 sh");
  EXPECT_EQ(names[1], "1 sleep 1");
  EXPECT_EQ(names[2], "1 cat | head | tail");
  EXPECT_EQ(names[3], "1 yes | head | tail");
  // From its begin to the last look at it, which may be long before its end.
  EXPECT_GT(tree["rows"][1]["ran_ns"], 0);
  EXPECT_LT(tree["rows"][1]["ran_ns"], tree["rows"][0]["ran_ns"]);
}

TEST(WatchProgram, OfATreeThatIsNotThere) {
  EXPECT_EQ(Program(watch({"--tree"})).wait(), 1);
  EXPECT_EQ(Program(watch({"--tree", "1:2"})).wait(), 1);
  Program none(watch({"--tree", "4194304", "--once"}));
  EXPECT_NE(none.wait(), 0);
  EXPECT_NE(none.err().find("4194304"), std::string::npos) << none.err();
}

TEST(WatchProgram, PrintsATableForPeople) {
  const Holder holder;
  Program program(watch({"--once", "--interval", "100ms", "--filter", holder.pid()}));
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_TRUE(program.out().find(holder.pid() + ":1 sleep") != std::string::npos) << program.out();
  EXPECT_NE(program.out().find(", over "), std::string::npos) << program.out();
  EXPECT_EQ(program.out().find('\x1b'), std::string::npos);
}

TEST(WatchProgram, APipelineIsNamedByAProcessOrADescriptor) {
  const Holder holder;
  for (const std::string& target : {holder.pid(), holder.pid() + ":1"}) {
    Program program(watch({"--format", "json", "--duration", "200ms", target}));
    EXPECT_EQ(program.wait(), 0) << program.err();
    const json tree = json::parse(program.out());
    ASSERT_TRUE(tree.contains("stages")) << tree;
    EXPECT_FALSE(pipe_of(tree["pipes"], holder.inode()).is_null()) << tree;
    EXPECT_FALSE(tree["bottleneck"]["line"].get<std::string>().empty());
  }
}

TEST(WatchProgram, ALineComesAtEveryInterval) {
  Program program(watch({"--format", "jsonl", "--interval", "100ms", "--duration", "500ms"}));
  EXPECT_EQ(program.wait(), 0) << program.err();
  std::istringstream lines(program.out());
  uint64_t last_ns = 0;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json tree = json::parse(line);
    EXPECT_EQ(tree["type"], "pipes");
    EXPECT_GT(tree["t_ns"].get<uint64_t>(), last_ns);
    last_ns = tree["t_ns"].get<uint64_t>();
  }
  EXPECT_GT(count, 0);
}

TEST(WatchProgram, LinesComeUntilASignal) {
  Program program(watch({"--format", "jsonl", "--interval", "100ms"}));
  ASSERT_TRUE(program.wait_for("\n")) << program.err();
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 128 + SIGINT) << program.err();
  EXPECT_TRUE(program.out().ends_with("}\n"));
}

TEST(WatchProgram, WhatIsNotThereIsOneLine) {
  for (const char* target : {"999999999", "1:999999", "/nonexistent/fifo", "/", "x:y", "-1:0"}) {
    Program program(watch({"--once", target}));
    EXPECT_NE(program.wait(), 0) << target;
    EXPECT_EQ(program.out(), "") << target;
    EXPECT_EQ(std::ranges::count(program.err(), '\n'), 1) << program.err();
    EXPECT_TRUE(program.err().starts_with("pipetop: ")) << program.err();
  }
}

TEST(WatchProgram, AnUnwritableStdoutIsAnError) {
  for (const Stdout where : {Stdout::closed, Stdout::full}) {
    Program program(watch({"--once", "--interval", "100ms"}), where);
    EXPECT_EQ(program.wait(), 1) << int(where);
    EXPECT_TRUE(program.err().starts_with("pipetop: stdout: ")) << program.err();
  }
}

TEST(WatchProgram, WithoutAReaderItEndsBySigpipeAsOthersDo) {
  Program program(watch({"--once", "--interval", "100ms"}), Stdout::without_reader);
  EXPECT_EQ(program.wait(), -SIGPIPE);
  EXPECT_EQ(program.err(), "");
}

TEST(WatchProgram, WithoutATerminalThereIsNoScreen) {
  Program program(watch({}));
  EXPECT_NE(program.wait(), 0);
  EXPECT_EQ(std::ranges::count(program.err(), '\n'), 1) << program.err();
}

}  // namespace
}  // namespace pipetop::tui
