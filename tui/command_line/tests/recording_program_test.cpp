// --record and replay as a shell and a terminal see them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/tests/run_tests.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/ordinary_user.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

const std::vector<std::string> kScreen = {"TERM=xterm-256color", "LANG=C.UTF-8"};

nlohmann::json info_of(const std::string& path) {
  Program info({"replay", path, "--info", "--format", "json"});
  EXPECT_EQ(info.wait(), 0) << info.err();
  return nlohmann::json::parse(info.out(), nullptr, false);
}

TEST(RecordingProgram, ARunCanBeRecorded) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a.ptop");
  Program program({"run", "--no-bpf", "--duration", "1s", "--record", path});
  EXPECT_TRUE(measured(program.wait())) << program.err();
  const auto info = info_of(path);
  EXPECT_GE(info["frames"], 2);
  EXPECT_EQ(info["chapters"].back()["label"], "measure");
  EXPECT_TRUE(info["damage"].is_null());
}

// The dashboard with keys, and its recording on a terminal without an engine.
TEST(RecordingProgram, ADashboardIsReplayed) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a.ptop");
  {
    PtyProgram program({PIPETOP_PROGRAM, "--no-bpf", "--record", path}, kScreen, 30, 100);
    ASSERT_TRUE(program.wait_for(" REC "));
    program.send("v");
    ASSERT_TRUE(program.wait_for("vmsplice_read"));
    program.send("q");
    EXPECT_EQ(program.wait_for_end(), 0);
  }
  const auto info = info_of(path);
  ASSERT_EQ(info["chapters"].size(), 2u);
  EXPECT_EQ(info["chapters"][1]["label"], "write_with vmsplice");
  EXPECT_EQ(info["chapters"][1]["requested"]["write_with"], "vmsplice");
  PtyProgram replay({PIPETOP_PROGRAM, "replay", path}, kScreen, 30, 100);
  ASSERT_TRUE(replay.wait_for(" REPLAY "));
  replay.send(" n");
  // On the first screen, if the change came before the first frame.
  ASSERT_TRUE(replay.wait_until(
      [&] { return replay.output().find("vmsplice_read") != std::string::npos; }));
  replay.send("v");
  ASSERT_TRUE(replay.wait_for("a recording cannot be changed"));
  replay.send("q");
  EXPECT_EQ(replay.wait_for_end(), 0);
}

// By nobody's rights where the tests run as root.
TEST(RecordingProgram, AWatchedPipelineIsReplayedByAnybody) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a.ptop");
  {
    // Until it was seen more than once, however long that takes.
    const std::string over = scratch.file("over");
    Program program({"watch", "--no-bpf", "--format", "jsonl", "--interval", "100ms", "--record",
                     path, "--", "/bin/sh", "-c",
                     "(yes & while kill -0 $PPID && ! [ -e " + over +
                         " ]; do sleep 0.1; done; kill $!) | cat > /dev/null"});
    ASSERT_TRUE(program.wait_until([&] {
      const std::string& lines = program.err();
      const size_t first = lines.find("\"name\":\"cat\"");
      const size_t next = lines.find('\n', std::min(first, lines.size()));
      return next != lines.npos && lines.find("\"name\":\"cat\"", next) != lines.npos;
    }));
    std::ofstream(over).close();
    EXPECT_EQ(program.wait(), 0) << program.err();
  }
  const auto info = info_of(path);
  EXPECT_GE(info["frames"], 2);
  EXPECT_NE(info["pipeline"].get<std::string>().find("cat"), std::string::npos) << info;
  EXPECT_TRUE(info["workload"].is_null());
  EXPECT_EQ(info["chapters"][0]["label"], "start");
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  std::filesystem::permissions(std::filesystem::path(path).parent_path(),
                               std::filesystem::perms(0755));
  std::vector<std::string> replay = {PIPETOP_PROGRAM, "replay", path};
  if (root().has_value()) {
    replay = as_user(PIPETOP_PROGRAM, {"replay", path});
    replay.insert(replay.begin(), kSetpriv);
  }
  PtyProgram screen(replay, kScreen, 30, 100);
  ASSERT_TRUE(screen.wait_for(" REPLAY "));
  screen.send(" }");
  ASSERT_TRUE(screen.wait_for("a recording cannot be changed"));
  screen.send("q");
  EXPECT_EQ(screen.wait_for_end(), 0);
  Program shot({"shot", "--replay", path, "--at", "0.1s", "--keys", "j Enter"});
  EXPECT_EQ(shot.wait(), 0) << shot.err();
  EXPECT_NE(shot.out().find("cat"), std::string::npos);
  Program refused({"shot", "--replay", path, "--keys", "}"});
  EXPECT_EQ(refused.wait(), 1);
  EXPECT_NE(refused.err().find("--keys: }: a recording cannot be changed"), std::string::npos);
}

TEST(RecordingProgram, TheTableOfAllPipesIsNotRecorded) {
  Program program({"watch", "--record", "/tmp/never.ptop"});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_NE(program.err().find("--record takes one pipeline"), std::string::npos) << program.err();
}

TEST(MeasuredRecording, AKilledDashboardLosesTwoSecondsAtMost) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a.ptop");
  PtyProgram program({PIPETOP_PROGRAM, "--no-bpf", "--record", path}, kScreen, 30, 100);
  std::error_code ignored;
  uintmax_t header = 0;
  ASSERT_TRUE(program.wait_until([&] {
    const uintmax_t size = std::filesystem::file_size(path, ignored);
    if (header == 0) header = ignored ? 0 : size;
    return !ignored && header > 0 && size > header;
  }));
  program.signal(SIGKILL);
  EXPECT_LT(program.wait_for_end(), 0);
  const auto info = info_of(path);
  EXPECT_TRUE(info["damage"].is_null());
  PIPETOP_FORCED(info["frames"] >= 15) << "frames came seldom: " << info["frames"];
  EXPECT_GE(info["duration_ns"], 1'900'000'000);
}

TEST(RecordingProgram, TheKeyBeginsAFileOfItsOwn) {
  const ScratchDirectory scratch;
  PtyProgram program({"/bin/sh", "-c", "cd \"$0\" && exec \"$1\" --no-bpf", scratch.path().string(),
                      PIPETOP_PROGRAM},
                     kScreen, 30, 100);
  ASSERT_TRUE(program.wait_for("quit"));
  program.send("WWq");  // read at once: it ends before the next frame
  EXPECT_EQ(program.wait_for_end(), 0);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) {
    ++files;
    EXPECT_GE(info_of(entry.path().string())["frames"], 1);
  }
  EXPECT_EQ(files, 1);
}

TEST(RecordingProgram, AFullDiskDoesNotEndTheDashboard) {
  PtyProgram program({PIPETOP_PROGRAM, "--no-bpf", "--record", "/dev/full"}, kScreen, 30, 100);
  ASSERT_TRUE(program.wait_for("the recording has ended: /dev/full: No space left on device"));
  program.send("v");
  ASSERT_TRUE(program.wait_for("vmsplice_read"));
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
}

}  // namespace
}  // namespace pipetop::tui
