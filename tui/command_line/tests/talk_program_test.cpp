// A talk with real pipes: on a terminal, on a second one, and rehearsed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "engine/tests/support/child.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/processes.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

// The notes have no letter in common, because a terminal is told only what has changed.
constexpr const char* kTalk = R"(
scenes:
  - {title: Scene-one, notes: AAAAAA, transition: none}
  - {title: Scene-two, preset: vmsplice_read, notes: bbbbbb, transition: none, expect: {rate: "> 1000000"}}
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

TEST_F(TalkProgram, ARecordingThatWasInterruptedLeavesTheOldOne) {
  std::ofstream(path("r.ptop")) << "old";
  Program program({"rehearse", path("talk.yaml"), "--no-bpf", "--duration", "500ms", "--record",
                   path("r.ptop")});
  ASSERT_TRUE(program.wait_for("4 scenes in ")) << program.err();
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 128 + SIGINT) << program.err();
  EXPECT_NE(program.err().find("r.ptop: the recording has not come to its end"), std::string::npos)
      << program.err();
  std::ifstream file(path("r.ptop"));
  std::string content;
  std::getline(file, content);
  EXPECT_EQ(content, "old");
}

// From two processes to a pipeline that runs for its scene only, and back.
constexpr const char* kWatching = R"(
scenes:
  - {title: Scene-one, notes: AAAAAA}
  - {title: Scene-two, watch: -- sleep 987 | cat, notes: bbbbbb, wait: 2s}
  - {title: Scene-three, watch: -- exit 5, wait: 2s}
  - {title: Scene-four, watch: "999999999", wait: 2s}
)";

class WatchingTalkProgram : public TalkProgram {
 protected:
  WatchingTalkProgram() { std::ofstream(path("w.yaml")) << kWatching; }

  // Of the scene's command, below the process that keeps it.
  static pid_t cat_of(pid_t talk) {
    for (const pid_t keeper : children_of(talk))
      for (const pid_t shell : children_of(keeper))
        if (const pid_t cat = child_of(shell, "cat"); cat != 0) return cat;
    return 0;
  }
  static char state_of_writer(pid_t talk) { return state_of(child_of(talk, "pipetop-writer")); }
};

TEST_F(WatchingTalkProgram, GoesFromTwoProcessesToAPipelineAndBack) {
  pid_t cat = 0;
  {
    PtyProgram talk(
        {PIPETOP_PROGRAM, "present", path("w.yaml"), "--no-bpf", "--record", path("talk.ptop")},
        environment(), 30, 100);
    ASSERT_TRUE(talk.wait_for("Scene-one")) << talk.output();
    ASSERT_TRUE(talk.wait_until([&] { return child_of(talk.pid(), "pipetop-writer") != 0; }));
    talk.send("n");
    ASSERT_TRUE(talk.wait_until([&] { return (cat = cat_of(talk.pid())) != 0; })) << talk.output();
    ASSERT_TRUE(talk.wait_for("sleep")) << talk.output();
    EXPECT_TRUE(talk.wait_until([&] { return state_of_writer(talk.pid()) == 'T'; }))
        << "our own pipe stands still";
    talk.send("N");
    ASSERT_TRUE(talk.wait_until([&] { return is_gone(cat); })) << "it is ended with its scene";
    EXPECT_TRUE(talk.wait_until([&] { return state_of_writer(talk.pid()) != 'T'; }));
    talk.forget_output();
    talk.send("n");
    ASSERT_TRUE(talk.wait_until([&] { return (cat = cat_of(talk.pid())) != 0; }));
    ASSERT_TRUE(talk.wait_for("sleep")) << "or its last take has no pipeline to replay";
    talk.send("q");
    ASSERT_TRUE(talk.wait_for("leave the talk?"));
    talk.send("y");
    EXPECT_EQ(talk.wait_for_end(), 0) << talk.output();
    EXPECT_TRUE(is_gone(cat)) << "and with the talk";
  }
  PtyProgram again({PIPETOP_PROGRAM, "present", "--replay", path("talk.ptop")}, environment(), 30,
                   100);
  ASSERT_TRUE(again.wait_for("Scene-one")) << again.output();
  again.send("n");
  ASSERT_TRUE(again.wait_for("sleep")) << again.output();
  again.send("qy");
  EXPECT_EQ(again.wait_for_end(), 0);
}

TEST_F(WatchingTalkProgram, ItsPipelineDiesWithPipetop) {
  pid_t cat = 0;
  PtyProgram talk({PIPETOP_PROGRAM, "present", path("w.yaml"), "--no-bpf"}, environment(), 30, 100);
  ASSERT_TRUE(talk.wait_for("Scene-one")) << talk.output();
  talk.send("n");
  ASSERT_TRUE(talk.wait_until([&] { return (cat = cat_of(talk.pid())) != 0; })) << talk.output();
  kill(talk.pid(), SIGKILL);
  talk.wait_for_end();
  EXPECT_TRUE(talk.wait_until([&] { return is_gone(cat); }) || is_gone(cat));
}

// Where nobody gets a CPU in time, what a scene watches is not seen in time.
class MeasuredRehearsal : public WatchingTalkProgram {};

TEST_F(MeasuredRehearsal, TriesWhatIsWatched) {
  Program program({"rehearse", path("w.yaml"), "--no-bpf", "--duration", "1s"});
  EXPECT_EQ(program.wait(), 7) << program.err();
  const std::string out = program.out();
  EXPECT_NE(out.find("shows: sleep | cat; "), out.npos) << out;
  EXPECT_NE(out.find("fails: no pipe was seen: the command has ended with status 5 after"),
            out.npos)
      << out;
  EXPECT_NE(out.find("fails: there is no process 999999999"), out.npos) << out;
  EXPECT_NE(program.err().find("2 of 4 scenes fail"), std::string::npos);
}

TEST_F(WatchingTalkProgram, AMistakeIsNamedByLineAndColumn) {
  std::ofstream(path("bad.yaml")) << "scenes:\n  - {title: a, watch: --}\n";
  Program program({"present", path("bad.yaml")});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_NE(program.err().find("bad.yaml:2:23: watch: -- needs a command"), std::string::npos)
      << program.err();
}

}  // namespace
}  // namespace pipetop::tui
