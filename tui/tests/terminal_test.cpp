// The demo on a real (pseudo) terminal: what it does to it, and that it takes
// all of that back.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/tests/eventually.h"
#include "tui/tests/processes.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kEnter = "\033[?1049h";
constexpr const char* kLeave = "\033[?1049l";

class TerminalTest : public testing::Test {
 protected:
  static Words demo(Words arguments = {}) {
    arguments.insert(arguments.begin(), PIPETOP_DASHBOARD_DEMO);
    return arguments;
  }

  // Everything that `stty -a` shows.
  static void expect_same(const termios& a, const termios& b) {
    EXPECT_EQ(a.c_iflag, b.c_iflag);
    EXPECT_EQ(a.c_oflag, b.c_oflag);
    EXPECT_EQ(a.c_cflag, b.c_cflag);
    EXPECT_EQ(a.c_lflag, b.c_lflag);
    EXPECT_EQ(std::memcmp(a.c_cc, b.c_cc, sizeof a.c_cc), 0);
  }

  static void expect_restored(const PtyProgram& program, const termios& before) {
    expect_same(before, program.settings());
    const std::string& out = program.output();
    EXPECT_GT(out.rfind(kLeave), out.rfind(kEnter)) << "still on the alternate screen";
    EXPECT_GT(out.rfind("\033[?25h"), out.rfind("\033[?25l")) << "the cursor is still hidden";
    EXPECT_GT(out.rfind("1000l"), out.rfind("1000h")) << "the mouse is still taken";
  }
};

TEST_F(TerminalTest, QuittingLeavesTheTerminalAsItWas) {
  for (const char* quit : {"q", "\x03"}) {
    PtyProgram program(demo(), kTerminal);
    const termios before = program.before();
    ASSERT_TRUE(program.wait_for("throughput"));
    EXPECT_NE(program.settings().c_lflag, before.c_lflag);
    program.send(quit);
    EXPECT_EQ(program.wait_for_end(), 0);
    expect_restored(program, before);
  }
}

TEST_F(TerminalTest, KeysAnswer) {
  PtyProgram program(demo(), kTerminal);
  ASSERT_TRUE(program.wait_for("write_read"));
  program.send("7");
  EXPECT_TRUE(program.wait_for("busy_loop_huge"));
  program.send("H");
  EXPECT_TRUE(program.wait_for("hugetlb"));
  program.send(" ");
  EXPECT_TRUE(program.wait_for("FROZEN"));
  program.send("\033[B");  // an arrow is one key, not Esc and two letters
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
}

TEST_F(TerminalTest, AClickIsAKey) {
  PtyProgram program(demo(), kTerminal);
  ASSERT_TRUE(program.wait_for("quit"));
  program.send("\033[<0;77;24M\033[<0;77;24m");  // on "q quit"
  EXPECT_EQ(program.wait_for_end(), 0);
}

TEST_F(TerminalTest, TerminationRestoresToo) {
  for (const int number : {SIGTERM, SIGHUP, SIGQUIT}) {
    PtyProgram program(demo(), kTerminal);
    const termios before = program.before();
    ASSERT_TRUE(program.wait_for("throughput"));
    program.signal(number);
    EXPECT_EQ(program.wait_for_end(), 128 + number);
    expect_restored(program, before);
  }
}

TEST_F(TerminalTest, ACrashRestoresTooAndItsLastWordsAreSeen) {
  PtyProgram program(demo({"crash"}), kTerminal);
  const termios before = program.before();
  ASSERT_TRUE(program.wait_for("throughput"));
  program.send("v");
  EXPECT_EQ(program.wait_for_end(), -SIGSEGV);
  expect_restored(program, before);
  const std::string& out = program.output();
  ASSERT_NE(out.find("last words"), std::string::npos);
  EXPECT_GT(out.find("last words"), out.rfind(kLeave));
}

// Limits, timers and whoever sends them.
TEST_F(TerminalTest, EverySignalThatEndsItRestoresToo) {
  for (const int number : {SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF, SIGTRAP, SIGSYS, SIGUSR1, SIGUSR2,
                           SIGIO, SIGPWR, SIGSTKFLT, SIGABRT, SIGRTMIN, SIGRTMIN + 1, SIGRTMAX}) {
    PtyProgram program(demo(), kTerminal);
    const termios before = program.before();
    ASSERT_TRUE(program.wait_for("throughput"));
    program.signal(number);
    EXPECT_EQ(program.wait_for_end(), -number);
    expect_restored(program, before);
  }
}

TEST_F(TerminalTest, AClosedTerminalEndsIt) {
  PtyProgram program(demo(), kTerminal);
  ASSERT_TRUE(program.wait_for("throughput"));
  program.hang_up();
  EXPECT_EQ(program.wait_for_end(), 128 + SIGHUP);
}

TEST_F(TerminalTest, ResizesDownToOneCellAreSurvived) {
  PtyProgram program(demo(), kTerminal);
  ASSERT_TRUE(program.wait_for("throughput"));
  for (int i = 0; i < 200; ++i) program.resize(1 + i * 7 % 60, 1 + i * 13 % 200);
  program.resize(1, 1);
  program.resize(10, 40);
  EXPECT_TRUE(program.wait_for("needs 60x16, has 40x10"));
  program.resize(40, 120);
  EXPECT_TRUE(program.wait_for("throughput"));
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
}

TEST_F(TerminalTest, SuspendingInAGroupWithoutAShellComesRightBack) {
  PtyProgram program(demo(), kTerminal);
  const termios before = program.before();
  ASSERT_TRUE(program.wait_for("throughput"));
  program.send("\x1a");
  EXPECT_TRUE(program.wait_for(kLeave));
  EXPECT_TRUE(program.wait_for("throughput"));
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
  expect_restored(program, before);
}

TEST_F(TerminalTest, ATerminalThatCannotDrawIsRefused) {
  for (const char* term : {"TERM=dumb", "TERM=no-such-terminal", "TERM="}) {
    PtyProgram program(demo(), {term});
    EXPECT_EQ(program.wait_for_end(), 1) << term;
    EXPECT_NE(program.output().find("pipetop run"), std::string::npos) << program.output();
    EXPECT_EQ(program.output().find('\033'), std::string::npos) << term;
  }
}

TEST_F(TerminalTest, WithoutUtf8ThereIsOnlyAscii) {
  PtyProgram program(demo(), {"TERM=xterm", "LC_ALL=C"});
  ASSERT_TRUE(program.wait_for("quit"));
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
  for (const char c : program.output()) ASSERT_GE(c, 0);
}

TEST_F(TerminalTest, ALocaleThatIsNotInstalledHasToldItsCharactersAllTheSame) {
  const auto is_ascii = [](const std::string& locale) {
    PtyProgram program(demo(), {"TERM=xterm", "LC_ALL=", "LC_CTYPE=", "LANG=" + locale});
    EXPECT_TRUE(program.wait_for("quit"));
    program.send("q");
    EXPECT_EQ(program.wait_for_end(), 0);
    return std::ranges::all_of(program.output(), [](char c) { return c >= 0; });
  };
  EXPECT_FALSE(is_ascii("xx_XX.UTF-8"));
  EXPECT_FALSE(is_ascii("xx_XX.utf8@euro"));
  EXPECT_TRUE(is_ascii("xx_XX.ISO-8859-1"));
  EXPECT_TRUE(is_ascii("xx_XX"));
  EXPECT_TRUE(is_ascii("C"));
}

TEST_F(TerminalTest, NoColorHasNoColour) {
  PtyProgram program(demo(), {"TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR=1"});
  ASSERT_TRUE(program.wait_for("quit"));
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
  for (const char* sequence : {"38;5;", "\033[31m", "\033[32m", "\033[33m", "\033[36m"})
    EXPECT_EQ(program.output().find(sequence), std::string::npos) << sequence;
}

// The themes use different numbers of the whole palette: see themes_test.cpp.
constexpr const char *kDarkKey = "38;5;220", *kLightKey = "38;5;94";

TEST_F(TerminalTest, ALightBackgroundIsAskedForAndGetsDarkColours) {
  for (const char* end : {"\a", "\033\\"}) {
    PtyProgram program(demo(), kTerminal);
    const termios before = program.before();
    ASSERT_TRUE(program.wait_for("\033]11;?\033\\"));
    ASSERT_TRUE(program.wait_for(kDarkKey));
    // A key before it and one behind it are keys, and its own digits are none.
    program.send(std::string("7\033]11;rgb:ffff/ffff/ffff") + end + "H");
    EXPECT_TRUE(program.wait_for(kLightKey));
    EXPECT_TRUE(program.wait_for("hugetlb"));
    program.send("q");
    EXPECT_EQ(program.wait_for_end(), 0);
    EXPECT_NE(program.output().find("busy"), std::string::npos);
    EXPECT_EQ(program.output().find("48;5;"), std::string::npos) << "the background is its own";
    expect_restored(program, before);
  }
}

TEST_F(TerminalTest, ATerminalThatDoesNotAnswerHoldsNobodyUp) {
  PtyProgram program(demo(), kTerminal);
  ASSERT_TRUE(program.wait_for("\033]11;?"));
  program.send("7");
  EXPECT_TRUE(program.wait_for("busy_loop_huge"));
  program.send("\033");  // Esc alone might begin an answer
  program.send("?");
  EXPECT_TRUE(program.wait_for("Knobs, while data flows"));
  program.send("\033q");
  EXPECT_EQ(program.wait_for_end(), 0);
}

// The console's mouse, which no pseudo terminal has: libgpm leaks while it looks for it.
constexpr const char* kNoGpm = "NCURSES_GPM_TERMS=none";

TEST_F(TerminalTest, OnlyTerminalsThatUnderstandAreAsked) {
  for (const char* term : {"TERM=linux", "TERM=vt100", "TERM=ansi"}) {
    PtyProgram program(demo(), {term, "LC_ALL=C.UTF-8", "NO_COLOR=", kNoGpm});
    ASSERT_TRUE(program.wait_for("throughput")) << term;
    program.send("q");
    EXPECT_EQ(program.wait_for_end(), 0);
    EXPECT_EQ(program.output().find("]11;"), std::string::npos) << term;
  }
}

TEST_F(TerminalTest, TGoesThroughTheThemes) {
  PtyProgram program(demo(), kTerminal);
  ASSERT_TRUE(program.wait_for("throughput"));
  for (const auto& [name, ground] : {std::pair{"theme: dark", "48;5;233"},
                                     {"theme: light", "48;5;231"},
                                     {"theme: high-contrast", "48;5;16"}}) {
    program.send("T");
    EXPECT_TRUE(program.wait_for(ground)) << name;
    program.send("\f");  // with all of its cells
    EXPECT_TRUE(program.wait_for(name));
  }
  program.send("T\f");
  EXPECT_TRUE(program.wait_for("theme: auto"));
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
}

TEST_F(TerminalTest, TrueColourChangesThePaletteAndRestoresIt) {
  PtyProgram program(demo(),
                     {"TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR=", "COLORTERM=truecolor"});
  const termios before = program.before();
  ASSERT_TRUE(program.wait_for("\033]4;121;rgb:7A/FF/A9\033\\"));
  ASSERT_TRUE(program.wait_for("quit"));
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
  const std::string& out = program.output();
  EXPECT_GT(out.rfind("\033]104\a"), out.rfind("\033]4;")) << "the palette is still changed";
  expect_restored(program, before);
}

TEST_F(TerminalTest, WithoutColourThereAreNoThemes) {
  PtyProgram program(
      demo(), {"TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR=1", "COLORTERM=truecolor"});
  ASSERT_TRUE(program.wait_for("quit"));
  program.send("T");
  EXPECT_TRUE(program.wait_for("no colours here"));
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
  for (const char* sequence : {"\033]4;", "\033]11;", "38;5;", "48;5;"})
    EXPECT_EQ(program.output().find(sequence), std::string::npos) << sequence;
}

// Its description has no size.
TEST_F(TerminalTest, TheLinuxConsoleIsATerminalToo) {
  PtyProgram program(demo(), {kNoGpm, "TERM=linux", "LC_ALL=C.UTF-8", "NO_COLOR="});
  ASSERT_TRUE(program.wait_for("throughput"));
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
}

// As behind a connection that is stalled: nobody reads.
TEST_F(TerminalTest, OneThatTakesNothingDoesNotHoldUsUp) {
  PtyProgram program(demo({"deep", "2000"}), kTerminal, 60, 200);
  EXPECT_TRUE(eventually([&] { return has_ended(program.pid()); }));
  EXPECT_EQ(program.wait_for_end(), 0);
  EXPECT_GT(program.output().rfind(kLeave), program.output().rfind(kEnter));
}

// Nobody can read so much; it must not take gigabytes either.
TEST_F(TerminalTest, TheLargestSizeIsDrawnInPart) {
  PtyProgram program(demo({"normal", "2"}), kTerminal, 65535, 65535);
  EXPECT_TRUE(program.wait_for("1600x600: draw"));
  EXPECT_EQ(program.wait_for_end(), 0);
}

}  // namespace
}  // namespace pipetop::tui
