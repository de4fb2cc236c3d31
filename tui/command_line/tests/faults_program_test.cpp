// What goes wrong around a measurement must not cost its results.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "engine/tests/eventually.h"
#include "engine/tests/support/few_descriptors.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/processes.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<std::string>;

const Words kXterm = {"TERM=xterm-256color", "LC_ALL=C.UTF-8"};

Words ladder(const char* rounds, const Words& more) {
  Words words = {"ladder",  "--rungs", "write_read", "--rounds", rounds,
                 "--bytes", "512KiB",  "--warmup",   "20ms"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Until somebody ends it.
Words run_for_hours(const Words& more) {
  Words words = {"run", "--no-bpf", "--duration", "1h", "--warmup", "0", "--interval", "100ms"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words with_program(Words words) {
  words.insert(words.begin(), PIPETOP_PROGRAM);
  return words;
}

// util-linux.
Program limited(const char* limit, Words words) {
  words = with_program(std::move(words));
  words.insert(words.begin(), limit);
  return Program("/usr/bin/prlimit", words);
}

TEST(FaultsProgram, ATerminalThatGoesCostsNoResult) {
  const ScratchDirectory scratch;
  const std::string csv = scratch.file("l.csv");
  Program program(ladder("5", {"--csv", csv}), Stdout::captured, Stderr::terminal);
  ASSERT_TRUE(program.wait_for("round 1 of 5")) << program.err();
  program.close_stderr();
  EXPECT_TRUE(measured(program.wait()));
  EXPECT_EQ(lines_of_file(csv).size(), 1u + 5);
  EXPECT_FALSE(program.out().empty()) << "the table";
}

TEST(FaultsProgram, AHangUpKeepsWhatIsComplete) {
  const ScratchDirectory scratch;
  const std::string csv = scratch.file("l.csv");
  PtyProgram program(with_program(ladder("1000", {"--csv", csv})), kXterm);
  ASSERT_TRUE(program.wait_for("round 2 of 1000")) << program.output();
  program.hang_up();
  EXPECT_EQ(program.wait_for_end(), 128 + SIGHUP);
  EXPECT_GE(lines_of_file(csv).size(), 1u + 1);
}

TEST(FaultsProgram, AHangUpOfARunWritesItsFiles) {
  const ScratchDirectory scratch;
  const std::string segments = scratch.file("s.jsonl");
  PtyProgram program(with_program(run_for_hours({"--segments", segments})), kXterm);
  ASSERT_TRUE(program.wait_for("GiB/s")) << program.output();
  program.hang_up();
  EXPECT_EQ(program.wait_for_end(), 128 + SIGHUP);
  EXPECT_EQ(lines_of_file(segments).size(), 2u);
}

// Not after hours of measuring.
TEST(FaultsProgram, AClosedStdoutIsToldBeforeAnythingStarts) {
  for (const Words& words : {run_for_hours({}), ladder("1000", {}), Words{"tune", "--budget", "1h"},
                             Words{"limits", "--rounds", "1000"}}) {
    Program program(words, Stdout::closed);
    EXPECT_EQ(program.wait(), 1) << words[0];
    EXPECT_EQ(program.err(), "pipetop: stdout: Bad file descriptor\n") << words[0];
  }
}

TEST(FaultsProgram, AFileThatMayNotGrowIsAnError) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("r.jsonl");
  Program program = limited("--fsize=2048", run_for_hours({"--format", "jsonl", "--output", path}));
  EXPECT_EQ(program.wait(), 1);
  EXPECT_NE(program.err().find("r.jsonl: File too large"), std::string::npos) << program.err();
  const std::string text = content_of(path);
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(text.back(), '\n') << "no half lines";
}

// It cannot even read fs.pipe-max-size.
TEST(FaultsProgram, ATuneThatMayOpenNothingEnds) {
  Program program = limited("--nofile=5", {"tune", "--budget", "2s"});
  EXPECT_EQ(program.wait(), 3);
  EXPECT_NE(program.err().find("Too many open files"), std::string::npos) << program.err();
}

TEST(FaultsProgram, TooLittleMemoryIsTold) {
  if (PIPETOP_SANITIZED) GTEST_SKIP() << "a sanitizer needs terabytes of addresses";
  // How much it needs depends on the machine; libraries that do not fit are the loader's affair,
  // and so is a C++ runtime without the memory for an exception.
  int told = 0;
  for (const int mib : {22, 24, 28, 32, 40}) {
    Program program = limited(("--as=" + std::to_string(mib << 20)).c_str(),
                              {"run", "--duration", "100ms", "--warmup", "0"});
    program.wait();
    EXPECT_EQ(program.err().find("unexpected"), std::string::npos) << program.err();
    EXPECT_EQ(program.err().find("terminate"), std::string::npos) << program.err();
    if (program.err().find("out of memory: ") != std::string::npos) ++told;
  }
  EXPECT_GT(told, 0);
}

TEST(FaultsProgram, ATerminalThatIsGoneBeforeTheDashboardIsAHangUp) {
  PtyProgram program(
      {"/bin/sh", "-c", "trap '' HUP; echo ready; read line; exec \"$0\"", PIPETOP_PROGRAM},
      kXterm);
  ASSERT_TRUE(program.wait_for("ready"));
  program.hang_up();
  EXPECT_EQ(program.wait_for_end(), 128 + SIGHUP);
}

// The last picture stays.
TEST(FaultsProgram, AWatchThatCanSeeNothingSaysSinceWhenAndGoesOn) {
  PtyProgram program(with_program({"watch", "--no-bpf"}), kXterm, 24, 100);
  ASSERT_TRUE(program.wait_for(" pipe"));
  {
    const FewDescriptors none(0, program.pid());
    EXPECT_TRUE(program.wait_for("STALE"));
    EXPECT_TRUE(program.wait_for("Too many open files"));
  }
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
}

TEST(FaultsProgram, AStartThatFailsCostsNoOldResult) {
  const ScratchDirectory scratch;
  const std::string segments = scratch.file("s.csv"), lines = scratch.file("r.jsonl"),
                    none = scratch.file("new.jsonl");
  std::ofstream(segments) << "old\n";
  std::ofstream(lines) << "old\n";
  for (const std::string& output : {lines, none}) {
    Program program =
        limited("--nofile=12",
                run_for_hours({"--format", "jsonl", "--output", output, "--segments", segments}));
    EXPECT_EQ(program.wait(), 3);
    EXPECT_NE(program.err().find("Too many open files"), std::string::npos) << program.err();
  }
  EXPECT_EQ(content_of(segments), "old\n");
  EXPECT_EQ(content_of(lines), "old\n");
  EXPECT_FALSE(std::filesystem::exists(none));
}

TEST(FaultsProgram, AKillKeepsTheLinesSoFar) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("r.jsonl");
  Program program(run_for_hours({"--format", "jsonl", "--output", path}));
  ASSERT_TRUE(program.wait_until([&] { return lines_of_file(path).size() >= 2; })) << program.err();
  program.send(SIGKILL);
  EXPECT_EQ(program.wait(), -SIGKILL);
  for (const std::string& line : lines_of_file(path))
    EXPECT_EQ(nlohmann::json::parse(line)["type"], "interval");
}

// The engine takes a while to start; nothing it has begun may be left half done.
TEST(FaultsProgram, ASignalWhileTheDashboardStartsIsHandled) {
  for (int i = 0; i < 5; ++i) {
    PtyProgram program({PIPETOP_PROGRAM}, kXterm);
    const auto has_worker = [&] {
      return child_of(program.pid(), "pipetop") != 0 ||
             child_of(program.pid(), "pipetop-writer") != 0;
    };
    ASSERT_TRUE(eventually(has_worker, [] {}));
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait_for_end(), 128 + SIGTERM);
  }
}

}  // namespace
}  // namespace pipetop::tui
