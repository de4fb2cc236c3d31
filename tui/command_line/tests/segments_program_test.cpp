// --segments as a shell sees it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

TEST(SegmentsProgram, ARunWritesTheWarmUpAndTheMeasurement) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("log.jsonl");
  Program program({"run", "--no-bpf", "--bytes", "16MiB", "--format", "json", "--segments", path,
                   "--write_with", "vmsplice"});
  EXPECT_TRUE(measured(program.wait())) << program.err();
  const auto lines = lines_of_file(path);
  ASSERT_EQ(lines.size(), 2u);
  const auto start = nlohmann::json::parse(lines[0]), measure = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(start["label"], "start");
  EXPECT_EQ(start["number"], 1);
  EXPECT_EQ(measure["label"], "measure");
  EXPECT_EQ(measure["effective"]["write_with"], "vmsplice");
  EXPECT_EQ(measure["pipe_bytes"], 131072);
  // The figures, or why so short a measurement has none.
  EXPECT_NE(measure["gib_per_s"].is_object(), measure.contains("gib_per_s_reason"));
  EXPECT_TRUE(measure["writer"]["functions"].is_null());
  EXPECT_NE(measure["writer"]["functions_reason"], "");
  EXPECT_NEAR(measure["begin_s"].get<double>(),
              start["begin_s"].get<double>() + start["seconds"].get<double>(), 1e-5);
  // What the run itself says of it.
  const auto result = nlohmann::json::parse(program.out());
  EXPECT_GE(result["bytes"], 16 << 20);
  EXPECT_GE(measure["bytes"], result["bytes"]);
  EXPECT_GE(measure["seconds"].get<double>() + 1e-6, result["duration_ns"].get<double>() / 1e9);
  EXPECT_EQ(measure["requested"], result["requested"]);
}

TEST(SegmentsProgram, CsvHasARowForEach) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("log.csv");
  Program program({"--segments=" + path, "run", "--no-bpf", "--duration", "300ms"});
  EXPECT_TRUE(measured(program.wait())) << program.err();
  const auto lines = lines_of_file(path);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].starts_with("number,label,key,"));
  EXPECT_TRUE(lines[1].starts_with("1,start,,"));
  EXPECT_TRUE(lines[2].starts_with("2,measure,,"));
}

TEST(SegmentsProgram, AKilledRunLeavesWholeLines) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("log.jsonl");
  Program program({"run", "--no-bpf", "--duration", "1h", "--warmup", "0", "--segments", path});
  ASSERT_TRUE(program.wait_until([&] { return !lines_of_file(path).empty(); })) << program.err();
  program.send(SIGKILL);
  EXPECT_EQ(program.wait(), -SIGKILL);
  ASSERT_EQ(lines_of_file(path).size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(content_of(path))["label"], "start");
}

TEST(SegmentsProgram, ASignalEndsItWithTheLastOne) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("log.jsonl");
  Program program({"run", "--no-bpf", "--duration", "1h", "--warmup", "0", "--segments", path});
  ASSERT_TRUE(program.wait_until([&] { return !lines_of_file(path).empty(); })) << program.err();
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM);
  EXPECT_EQ(lines_of_file(path).size(), 2u);
}

// With or without a screen; and the signal ends it, as who sends it for a core wants.
TEST(SegmentsProgram, TheyAreCompleteAfterSigquit) {
  const ScratchDirectory scratch;
  const std::string of_run = scratch.file("run.jsonl"), of_screen = scratch.file("screen.jsonl");
  Program run({"run", "--no-bpf", "--duration", "1h", "--warmup", "0", "--segments", of_run});
  ASSERT_TRUE(run.wait_until([&] { return !lines_of_file(of_run).empty(); })) << run.err();
  run.send(SIGQUIT);
  EXPECT_EQ(run.wait(), -SIGQUIT) << run.err();
  EXPECT_EQ(lines_of_file(of_run).size(), 2u);
  PtyProgram screen({PIPETOP_PROGRAM, "--no-bpf", "--segments", of_screen}, kTerminal);
  ASSERT_TRUE(screen.wait_for("throughput"));
  screen.signal(SIGQUIT);
  EXPECT_EQ(screen.wait_for_end(), -SIGQUIT);
  EXPECT_EQ(lines_of_file(of_screen).size(), 1u);
}

TEST(SegmentsProgram, ABadPlaceIsAnErrorBeforeAnythingStarts) {
  for (const char* path : {"/nonexistent/log.csv", "log.txt", "/tmp", ""}) {
    Program program({"run", "--no-bpf", "--duration", "1h", "--segments", path});
    EXPECT_EQ(program.wait(), 1) << path;
    EXPECT_EQ(program.out(), "");
    EXPECT_TRUE(program.err().starts_with("pipetop: ")) << program.err();
  }
}

TEST(SegmentsProgram, TwoThingsDoNotGoToOnePlace) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("log.jsonl");
  for (const char* other : {"--output", "--folded"}) {
    Program program({"run", "--duration", "1h", "--segments", path, other, path});
    EXPECT_EQ(program.wait(), 1) << other;
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST(SegmentsProgram, TheDashboardWritesOneForEachKey) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("log.jsonl");
  PtyProgram program({PIPETOP_PROGRAM, "--no-bpf", "--segments", path}, kTerminal);
  ASSERT_TRUE(program.wait_for("throughput"));
  size_t lines = 0;
  for (const char* key : {"v", "s", "u"}) {
    program.send(key);
    ASSERT_TRUE(program.wait_until([&] { return lines_of_file(path).size() > lines; })) << key;
    ASSERT_EQ(lines_of_file(path).size(), ++lines) << key;
  }
  program.send(" q");  // frozen, it goes on all the same
  EXPECT_EQ(program.wait_for_end(), 0);
  const char* labels[] = {"start", "write_with vmsplice", "read_with splice", "undo"};
  const char* keys[] = {"", "v", "s", "u"};
  const auto written = lines_of_file(path);
  ASSERT_EQ(written.size(), 4u);
  for (size_t i = 0; i < written.size(); ++i) {
    const auto json = nlohmann::json::parse(written[i]);
    EXPECT_EQ(json["number"], i + 1);
    EXPECT_EQ(json["label"], labels[i]);
    EXPECT_EQ(json["key"], keys[i]);
    EXPECT_EQ(json["requested"]["write_with"], i == 0 ? "write" : "vmsplice");
    EXPECT_EQ(json["requested"]["read_with"], i == 2 ? "splice" : "read");
  }
}

TEST(SegmentsProgram, TheDashboardDoesNotWriteOverItself) {
  PtyProgram program({PIPETOP_PROGRAM, "--no-bpf", "--segments", "/dev/tty"}, kTerminal);
  EXPECT_TRUE(program.wait_for("--segments: /dev/tty is a terminal: give a file"));
  EXPECT_EQ(program.wait_for_end(), 1);
}

// The measurement is worth printing all the same.
TEST(SegmentsProgram, AFullDiskIsToldAfterTheResult) {
  Program program(
      {"run", "--no-bpf", "--duration", "100ms", "--format", "csv", "--segments", "/dev/full"});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(std::ranges::count(program.out(), '\n'), 2);
  EXPECT_NE(program.err().find("/dev/full: "), std::string::npos) << program.err();
}

}  // namespace
}  // namespace pipetop::tui
