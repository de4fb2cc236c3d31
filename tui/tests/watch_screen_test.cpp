// The screen of `watch` on a real (pseudo) terminal: its own, and /dev/tty beside a pipeline.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/base/event_loop.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<std::string>;

Words demo(Words arguments) {
  arguments.insert(arguments.begin(), PIPETOP_WATCH_DEMO);
  return arguments;
}

void expect_restored(const PtyProgram& program) {
  const termios before = program.before(), after = program.settings();
  EXPECT_EQ(before.c_lflag, after.c_lflag);
  EXPECT_EQ(before.c_iflag, after.c_iflag);
  EXPECT_EQ(before.c_oflag, after.c_oflag);
  const std::string& out = program.output();
  EXPECT_GT(out.rfind("\033[?1049l"), out.rfind("\033[?1049h")) << "still on the alternate screen";
  EXPECT_GT(out.rfind("\033[?25h"), out.rfind("\033[?25l")) << "the cursor is still hidden";
}

TEST(WatchScreen, OpensAPipelineAndLeavesTheTerminalAsItWas) {
  PtyProgram program(demo({"table"}), kTerminal);
  ASSERT_TRUE(program.wait_for("60 pipes"));
  program.send("\r");
  ASSERT_TRUE(program.wait_for("bottleneck: "));
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
  expect_restored(program);
}

TEST(WatchScreen, SignalsEndItWithTheirExitCode) {
  for (const int number : {SIGTERM, SIGHUP, SIGQUIT}) {
    PtyProgram program(demo({"chain", "4"}), kTerminal);
    ASSERT_TRUE(program.wait_for("bottleneck: "));
    program.signal(number);
    EXPECT_EQ(program.wait_for_end(), 128 + number);
    expect_restored(program);
  }
}

TEST(WatchScreen, FollowsTheSizeOfTheTerminal) {
  PtyProgram program(demo({"table"}), kTerminal);
  ASSERT_TRUE(program.wait_for("60 pipes"));
  program.resize(10, 40);
  ASSERT_TRUE(program.wait_for("needs 60x16, has 40x10"));
  program.resize(40, 120);
  ASSERT_TRUE(program.wait_for("writer state"));
  program.send("q");
  EXPECT_EQ(program.wait_for_end(), 0);
}

// Its stdin and stdout belong to somebody else: not a byte of them is touched.
TEST(WatchScreen, DrawsOnTheControllingTerminal) {
  const auto directory = std::filesystem::temp_directory_path();
  const std::string out = (directory / ("watch-screen-" + std::to_string(getpid()))).string();
  PtyProgram program(
      {"/bin/sh", "-c",
       std::string("printf left | { \"$0\" command > \"$1\" 2> \"$1.err\"; echo $? >> "
                   "\"$1.err\"; cat > \"$1.in\"; }"),
       PIPETOP_WATCH_DEMO, out},
      kTerminal);
  ASSERT_TRUE(program.wait_for("tar c /home | zstd | ssh backup")) << program.output();
  program.send("j}");
  ASSERT_TRUE(program.wait_for("Double pipe"));
  program.send("\r");
  ASSERT_TRUE(program.wait_for("CHANGED"));
  program.send("\x03");
  EXPECT_EQ(program.wait_for_end(), 0);
  expect_restored(program);
  const auto contents = [](const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  EXPECT_EQ(contents(out), "");
  EXPECT_EQ(contents(out + ".in"), "left");
  EXPECT_EQ(contents(out + ".err"), "signal 2, asked 3 times\n0\n");
  for (const char* suffix : {"", ".in", ".err"}) std::filesystem::remove(out + suffix);
}

// Two wait for a signal; the one that goes first leaves it to the other.
TEST(WatchScreen, SignalsOfTheCommandOutliveTheScreen) {
  const SignalFd command{SIGTERM};
  {
    const SignalFd screen{SIGTERM, SIGUSR1};
    raise(SIGTERM);
    raise(SIGUSR1);  // would end us, had it been left
  }
  EXPECT_EQ(command.take(), SIGTERM);
}

TEST(WatchScreen, WithoutATerminalItSaysWhatElseThereIs) {
  PtyProgram program(
      {"/bin/sh", "-c", "setsid \"$0\" table < /dev/null 2>&1 | cat", PIPETOP_WATCH_DEMO},
      kTerminal);
  ASSERT_TRUE(program.wait_for("/dev/tty"));
  program.wait_for_end();
}

}  // namespace
}  // namespace pipetop::tui
