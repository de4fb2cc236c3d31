// pipetop ladder as a shell sees it, on real pipes.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<std::string>;

// A few short runs, and what else the test wants. Of bytes: in a short time none may arrive.
Words short_ladder(const Words& more, const char* rounds = "2") {
  Words words = {"ladder",   "--rungs",  "write_read,busy_loop_huge",
                 "--rounds", rounds,     "--bytes",
                 "512KiB",   "--warmup", "20ms"};
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
  const auto round = size_t(std::ranges::find(names, "round") - names.begin());
  ASSERT_LT(round, names.size());
  for (size_t i = 1; i < rows.size(); ++i) {
    const auto row = fields_of(rows[i]);
    const double rate = std::stod(row[0]);
    EXPECT_GT(rate, 0);
    EXPECT_NEAR(rates.at({row[14], row[round]}), rate, 1e-5) << rows[i];
  }
}

TEST(LadderProgram, AFileOnStdoutIsAllThatStdoutHas) {
  Program csv(short_ladder({"--csv", "-"}));
  EXPECT_TRUE(measured(csv.wait())) << csv.err();
  EXPECT_EQ(lines_of(csv.out()).size(), 5u) << csv.out();
  Program with_json(short_ladder({"--json", "-", "--pipe_size", "256KiB"}));
  EXPECT_TRUE(measured(with_json.wait())) << with_json.err();
  const auto found = nlohmann::json::parse(with_json.out());
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

TEST(LadderProgram, ASignalKeepsWhatIsComplete) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program(short_ladder({"--csv", "-"}, "1000"), Stdout::captured, Stderr::terminal);
    ASSERT_TRUE(program.wait_for("round 2 of 1000")) << program.err();
    program.send(signal);
    EXPECT_EQ(program.wait(), 128 + signal);
    const auto rows = lines_of(program.out());
    ASSERT_GE(rows.size(), 1u + 2) << "all of round 1";
    for (size_t i = 1; i < rows.size(); ++i) EXPECT_GT(std::stod(rows[i]), 0) << rows[i];
  }
}

TEST(LadderProgram, ASignalBeforeTheFirstRunLeavesNothing) {
  const ScratchDirectory directory;
  Program program({"ladder", "--warmup", "1h", "--csv", directory.file("l.csv")});
  ASSERT_NE(program.wait_for_child("pipetop-reader"), 0);
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 128 + SIGINT);
  EXPECT_NE(program.err().find("ended before there was a result"), std::string::npos);
  EXPECT_EQ(program.out(), "");
  EXPECT_FALSE(std::filesystem::exists(directory.file("l.csv")));
}

TEST(LadderProgram, AKillLeavesNothing) {
  const ScratchDirectory directory;
  if (!directory.has_unnamed_files())
    GTEST_SKIP() << "the file system of " << directory.path() << " has no files without a name";
  Program program({"ladder", "--csv", directory.file("l.csv"), "--svg", directory.file("l.svg")});
  ASSERT_NE(program.wait_for_child("pipetop-writer"), 0);
  program.send(SIGKILL);
  EXPECT_EQ(program.wait(), -SIGKILL);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(LadderProgram, SaysInWhichRungAWorkerFails) {
  Program program({"ladder", "--rungs", "vmsplice_read", "--duration", "1h"});
  ASSERT_TRUE(program.kill_children("pipetop-writer", 3)) << program.err();
  EXPECT_EQ(program.wait(), 2);
  EXPECT_NE(program.err().find("vmsplice_read: the writer failed"), std::string::npos)
      << program.err();
}

TEST(LadderProgram, ATerminalSeesHowFarItIs) {
  Program program(short_ladder({}), Stdout::captured, Stderr::terminal);
  const int status = program.wait();
  EXPECT_TRUE(measured(status)) << program.err();
  const size_t last_run = program.err().rfind("round 2 of 2, run 4 of 4: ");
  ASSERT_NE(last_run, std::string::npos) << program.err();
  EXPECT_NE(program.err().find(" left", last_run), std::string::npos) << program.err();
  EXPECT_NE(program.out().find("trusted"), std::string::npos) << program.out();
}

}  // namespace
}  // namespace pipetop::tui
