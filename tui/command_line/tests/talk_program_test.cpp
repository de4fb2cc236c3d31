// A talk with real pipes: on a terminal, on a second one, and rehearsed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/processes.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

// The notes have no letter in common, because a terminal is told only what has changed.
constexpr const char* kTalk = R"(
scenes:
  - {title: Scene-one, notes: AAAAAA}
  - {title: Scene-two, preset: vmsplice_read, notes: bbbbbb, expect: {rate: "> 1000000"}}
  - {title: Scene-three, workload: page-cache, file_size: 1MiB, notes: CCCCCC}
  - {title: Scene-four, preset: busy_loop_huge, notes: dddddd}
)";

class TalkProgram : public testing::Test {
 protected:
  TalkProgram() {
    std::ofstream(path("talk.yaml")) << kTalk;
    std::filesystem::create_directory(path("run"));
    std::filesystem::permissions(path("run"), std::filesystem::perms::owner_all);
  }
  std::string path(const std::string& name) const { return directory_.file(name); }
  std::vector<std::string> environment() const {
    return {"TERM=xterm", "XDG_RUNTIME_DIR=" + path("run")};
  }

  ScratchDirectory directory_;
};

TEST_F(TalkProgram, ChangesTheWorkloadAndBackAndTellsTheNotes) {
  PtyProgram notes({PIPETOP_PROGRAM, "notes"}, environment());
  ASSERT_TRUE(notes.wait_for("No talk yet")) << notes.output();
  PtyProgram talk(
      {PIPETOP_PROGRAM, "present", path("talk.yaml"), "--no-bpf", "--segments", path("s.jsonl")},
      environment(), 30, 100);
  // What a clicker or a person sends, and the scene that follows.
  for (const auto& [keys, seen] : {std::pair{"", "AAAAAA"},
                                   {"\x1b[6~", "bbbbbb"},
                                   {"n", "CCCCCC"},
                                   {"\r", "dddddd"},
                                   {"1G", "AAAAAA"}}) {
    talk.send(keys);
    ASSERT_TRUE(notes.wait_for(seen)) << keys << notes.output();
  }
  talk.send("q");
  ASSERT_TRUE(talk.wait_for("leave the talk?")) << talk.output();
  talk.send("y");
  EXPECT_EQ(talk.wait_for_end(), 0) << talk.output();
  const std::string said = talk.output();
  EXPECT_NE(said.find("Scene-three", said.rfind("key  change")), said.npos)
      << "the summary has the scenes of every workload: " << said;
  ASSERT_TRUE(notes.wait_for("the talk has ended")) << notes.output();
  EXPECT_FALSE(std::filesystem::exists(path("run/pipetop-notes.socket")));
  notes.send("q");
  EXPECT_EQ(notes.wait_for_end(), 0);
  std::ifstream segments(path("s.jsonl"));
  std::string line, all;
  int lines = 0;
  while (std::getline(segments, line)) all += line + "\n", ++lines;
  EXPECT_EQ(lines, 5) << all;
  EXPECT_NE(all.find("\"Scene-three\""), all.npos) << all;
}

TEST_F(TalkProgram, RehearsalSaysWhichSceneDisappoints) {
  Program program({"rehearse", path("talk.yaml"), "--no-bpf", "--duration", "500ms"});
  EXPECT_EQ(program.wait(), 7) << program.err();
  EXPECT_NE(program.out().find("expected > 1e+06"), std::string::npos) << program.out();
  EXPECT_NE(program.out().find("4 scenes in "), std::string::npos) << program.out();
  EXPECT_NE(program.err().find("1 of 4 scenes fail"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::tui
