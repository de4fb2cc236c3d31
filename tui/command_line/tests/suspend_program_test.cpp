// Ctrl-Z in the commands that measure, with a shell that continues them and without one.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "tui/command_line/tests/program.h"
#include "tui/tests/processes.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

struct Case {
  const char* name;
  std::vector<std::string> words;  // of a command that takes hours
  const char* mark;                // comes again and again on stderr
};

// For the test's name.
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class Suspend : public testing::TestWithParam<Case> {};

// A group whose members' parents are all of other sessions is orphaned.
TEST_P(Suspend, IsIgnoredWhereNobodyWouldContinueIt) {
  std::vector<std::string> words = GetParam().words;
  words.insert(words.begin(), PIPETOP_PROGRAM);
  PtyProgram program(words, {"TERM=xterm"});
  ASSERT_TRUE(program.wait_for(GetParam().mark)) << program.output();
  for (int i = 0; i < 2; ++i) {
    program.send("\x1a");
    ASSERT_TRUE(program.wait_for("^Z")) << "the terminal's echo";
    // One may have been on its way.
    for (int mark = 0; mark < 3; ++mark) ASSERT_TRUE(program.wait_for(GetParam().mark)) << mark;
  }
  EXPECT_EQ(program.output().find("continued"), std::string::npos) << "nothing starts over";
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait_for_end(), 128 + SIGTERM) << program.output();
}

TEST_P(Suspend, StopsAllUntilAShellContinuesIt) {
  Program program(PIPETOP_PROGRAM, GetParam().words, Stdout::captured, Stderr::terminal,
                  Group::its_own);
  ASSERT_TRUE(program.wait_for(GetParam().mark)) << program.err();
  const pid_t writer = program.wait_for_child("pipetop-writer"),
              reader = program.wait_for_child("pipetop-reader");
  ASSERT_TRUE(writer != 0 && reader != 0) << program.err();
  program.send(SIGTSTP);
  for (const pid_t pid : {program.pid(), writer, reader})
    ASSERT_TRUE(program.wait_until([&] { return state_of(pid) == 'T'; })) << pid;
  program.send(SIGCONT);
  ASSERT_TRUE(program.wait_for("pipetop: continued: ")) << program.err();
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM) << program.err();
}

INSTANTIATE_TEST_SUITE_P(
    Each, Suspend,
    testing::Values(
        Case{"run", {"run", "--no-bpf", "--duration", "1h", "--format", "json"}, " of 3600.0 s"},
        Case{"comparison",
             {"run", "--no-bpf", "--buf_size", "64KiB,128KiB", "--rounds", "1000", "--duration",
              "100ms"},
             "buf_size "},
        Case{"ladder", {"ladder", "--rounds", "1000", "--duration", "100ms"}, "round "},
        Case{"tune", {"tune", "--budget", "1h"}, " trials, "},
        Case{"limits", {"limits", "--no-bpf", "--rounds", "1000"}, "round "},
        Case{"rehearse", {"rehearse", "talk", "--no-bpf", "--duration", "1h"}, "scene 1 of "}),
    testing::PrintToStringParamName());

}  // namespace
}  // namespace pipetop::tui
