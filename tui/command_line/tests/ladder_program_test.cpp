// pipetop ladder as a shell sees it, on real pipes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tui/command_line/tests/program.h"
#include "tui/command_line/tests/scratch_directory.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<std::string>;

constexpr int kUntrustworthy = 7;

// A busy host spoils the result, which is printed all the same.
bool measured(int status) { return status == 0 || status == kUntrustworthy; }

// A few short runs, and what else the test wants.
Words short_ladder(const Words& more) {
  Words words = {"ladder",   "--rungs",  "write_read,busy_loop_huge",
                 "--rounds", "2",        "--duration",
                 "50ms",     "--warmup", "20ms"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(LadderProgram, WritesEverythingAboutTheSameRuns) {
  const ScratchDirectory directory;
  const std::string csv = directory.file("l.csv"), json_file = directory.file("l.json"),
                    svg = directory.file("l.svg");
  Program program(short_ladder({"--csv", csv, "--json", json_file, "--svg", svg, "--seed", "3"}));
  const int status = program.wait();
  ASSERT_TRUE(measured(status)) << program.err();
  EXPECT_NE(program.out().find("(seed 3)"), std::string::npos) << program.out();
  EXPECT_EQ(program.out().find('\x1b'), std::string::npos);
  EXPECT_EQ(program.err().find('\x1b'), std::string::npos) << program.err();
  EXPECT_TRUE(content_of(svg).starts_with("<svg ")) << content_of(svg).substr(0, 80);

  const auto json = nlohmann::json::parse(content_of(json_file));
  EXPECT_EQ(json["trustworthy"], status == 0);
  EXPECT_EQ(json["reasons"].empty(), status == 0);
  EXPECT_EQ(json["complete"], true);
  EXPECT_FALSE(json["host"]["kernel"].get<std::string>().empty());
  // By name and round, as the CSV has them.
  std::map<std::pair<std::string, std::string>, double> rates;
  for (const auto& rung : json["rungs"])
    for (const auto& run : rung["runs"])
      rates[{rung["name"], std::to_string(run["round"].get<int>())}] = run["gib_per_s"];
  const auto rows = lines_of_file(csv);
  ASSERT_EQ(rows.size(), 1u + 4);
  const auto names = fields_of(rows[0]);
  EXPECT_EQ(names[0], "gibibytes_per_second");
  EXPECT_EQ(names[14], "name");
  EXPECT_EQ(names.back(), "round");
  for (size_t i = 1; i < rows.size(); ++i) {
    const auto row = fields_of(rows[i]);
    const double rate = std::stod(row[0]);
    EXPECT_GT(rate, 0);
    EXPECT_NEAR(rates.at({row[14], row.back()}), rate, 1e-5) << rows[i];
  }
}

TEST(LadderProgram, AFileOnStdoutIsAllThatStdoutHas) {
  Program csv(short_ladder({"--csv", "-"}));
  EXPECT_TRUE(measured(csv.wait())) << csv.err();
  EXPECT_EQ(lines_of(csv.out()).size(), 5u) << csv.out();
  Program json(short_ladder({"--json", "-", "--pipe_size", "256KiB"}));
  EXPECT_TRUE(measured(json.wait())) << json.err();
  const auto found = nlohmann::json::parse(json.out());
  EXPECT_EQ(found["knobs"], "--pipe_size 256KiB");
  for (const auto& rung : found["rungs"])
    for (const auto& run : rung["runs"]) EXPECT_EQ(run["pipe_size"], 256 << 10);
}

TEST(LadderProgram, MistakesAreToldBeforeAnythingStarts) {
  for (const Words& words :
       {Words{"ladder", "--rungs", "write_red"}, Words{"ladder", "--csv", "/no/such/place"},
        Words{"ladder", "--csv", "-", "--svg", "-"}}) {
    Program program(words);
    EXPECT_EQ(program.wait(), 1);
    EXPECT_EQ(lines_of(program.err()).size(), 1u) << program.err();
    EXPECT_EQ(program.out(), "");
  }
}

// Ended by the signal after some seconds; the lines of its CSV.
std::vector<std::string> rows_until(int signal, unsigned seconds) {
  Words words = short_ladder({"--csv", "-"});
  *(std::ranges::find(words, "--rounds") + 1) = "1000";
  Program program(words);
  EXPECT_NE(program.wait_for_child("pipetop-reader"), 0);
  sleep(seconds);
  program.send(signal);
  EXPECT_EQ(program.wait(), 128 + signal);
  return lines_of(program.out());
}

// On a loaded machine it takes longer until something is complete.
TEST(LadderProgram, ASignalKeepsWhatIsComplete) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::vector<std::string> rows;
    for (unsigned seconds = 1; rows.size() < 2 && seconds <= 32; seconds *= 2)
      rows = rows_until(signal, seconds);
    ASSERT_GE(rows.size(), 2u);
    for (size_t i = 1; i < rows.size(); ++i) EXPECT_GT(std::stod(rows[i]), 0);
  }
}

TEST(LadderProgram, ASignalBeforeTheFirstRunLeavesNothing) {
  const ScratchDirectory directory;
  Program program({"ladder", "--warmup", "1h", "--csv", directory.file("l.csv")});
  ASSERT_NE(program.wait_for_child("pipetop-reader"), 0);
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 128 + SIGINT);
  EXPECT_NE(program.err().find("ended before there was anything to tell"), std::string::npos);
  EXPECT_EQ(program.out(), "");
  EXPECT_FALSE(std::filesystem::exists(directory.file("l.csv")));
}

TEST(LadderProgram, AKillLeavesNothing) {
  const ScratchDirectory directory;
  const std::string folder = std::filesystem::path(directory.file("x")).parent_path();
  if (!UniqueFd(open(folder.c_str(), O_WRONLY | O_TMPFILE, 0600)))
    GTEST_SKIP() << "the file system of " << folder << " has no files without a name";
  Program program({"ladder", "--csv", directory.file("l.csv"), "--svg", directory.file("l.svg")});
  ASSERT_NE(program.wait_for_child("pipetop-writer"), 0);
  program.send(SIGKILL);
  EXPECT_EQ(program.wait(), -SIGKILL);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(LadderProgram, SaysInWhichRungAWorkerFails) {
  Program program({"ladder", "--rungs", "vmsplice_read", "--duration", "1h"});
  std::set<pid_t> killed;
  while (killed.size() < 3) {
    const pid_t writer = program.wait_for_child("pipetop-writer");
    ASSERT_NE(writer, 0);
    if (killed.insert(writer).second) kill(writer, SIGKILL);
  }
  EXPECT_EQ(program.wait(), 2);
  EXPECT_NE(program.err().find("vmsplice_read: the writer failed"), std::string::npos)
      << program.err();
}

TEST(LadderProgram, ATerminalSeesHowFarItIs) {
  Words words = {PIPETOP_PROGRAM};
  const Words arguments = short_ladder({});
  words.insert(words.end(), arguments.begin(), arguments.end());
  PtyProgram program(words, {"TERM=xterm-256color"});
  EXPECT_TRUE(program.wait_for("round 2 of 2, run 4 of 4: ")) << program.output();
  EXPECT_TRUE(program.wait_for(" left")) << program.output();
  const int status = program.wait_for_end();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_TRUE(measured(WEXITSTATUS(status))) << program.output();
  EXPECT_NE(program.output().find("to trust"), std::string::npos) << program.output();
}

}  // namespace
}  // namespace pipetop::tui
