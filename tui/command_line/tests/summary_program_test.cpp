// What the dashboard leaves on the terminal.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "engine/tests/support/scratch_directory.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

const std::vector<std::string> kForTheSummary = {"TERM=xterm-256color", "LC_ALL=C.UTF-8"};

// The output after the terminal was restored.
std::string left_by(PtyProgram& program, const std::string& keys, int signal = 0) {
  EXPECT_TRUE(program.wait_for("throughput"));
  program.send("v" + keys);
  if (signal != 0) program.signal(signal);
  EXPECT_EQ(program.wait_for_end(), signal == 0 ? 0 : 128 + signal);
  const std::string& out = program.output();
  return out.substr(out.rfind("\033[?1049l"));
}

TEST(SummaryProgram, TheSegmentsAreLeftOnTheTerminal) {
  for (const char* quit : {"q", "\x03", "?qq"}) {
    PtyProgram program({PIPETOP_PROGRAM, "--no-bpf"}, kForTheSummary);
    const std::string left = left_by(program, quit);
    EXPECT_NE(left.find("start "), std::string::npos) << left;
    EXPECT_NE(left.find("v    write_with vmsplice  vmsplice_read "), std::string::npos) << left;
  }
}

TEST(SummaryProgram, UnlessItIsTurnedOffOrASignalEndsIt) {
  const ScratchDirectory scratch;
  const std::string config = scratch.file("quiet.yaml");
  std::ofstream(config) << "screen: {summary: false}\n";
  PtyProgram by_flag({PIPETOP_PROGRAM, "--no-bpf", "--no-summary"}, kForTheSummary);
  PtyProgram by_file({PIPETOP_PROGRAM, "--no-bpf", "-c", config}, kForTheSummary);
  PtyProgram by_signal({PIPETOP_PROGRAM, "--no-bpf"}, kForTheSummary);
  for (const std::string& left :
       {left_by(by_flag, "q"), left_by(by_file, "q"), left_by(by_signal, "", SIGTERM)})
    EXPECT_EQ(left.find("write_with"), std::string::npos) << left;
}

}  // namespace
}  // namespace pipetop::tui
