// The program's contract: exit codes, what goes to stdout and what to stderr.
#include "tui/command_line/tests/program.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/tests/support/child.h"
#include "engine/tests/support/schedstat_window.h"
#include "tui/tests/processes.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<std::string>;
long line_count(const std::string& text) { return std::ranges::count(text, '\n'); }

// Until somebody ends it; what it says meanwhile shows when the measurement has begun.
Words endless_run(const Words& more = {}) {
  Words words = {"run", "--no-bpf",   "--duration", "1h",       "--warmup",
                 "0",   "--interval", "100ms",      "--format", "jsonl"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// JSON lines, as far as they are whole.
std::vector<nlohmann::json> jsonl_of(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line) && !stream.eof();)
    lines.push_back(nlohmann::json::parse(line));
  return lines;
}

// Waits for an interval that begins after now, in which as many bytes arrived as are `wanted`.
bool wait_for_interval(Program& program, const std::function<bool(uint64_t bytes)>& wanted) {
  program.catch_up();
  // The interval that is under way began before.
  const size_t first = jsonl_of(program.out()).size() + 1;
  return program.wait_until([&] {
    const auto lines = jsonl_of(program.out());
    return std::any_of(
        lines.begin() + std::min(first, lines.size()), lines.end(),
        [&](const nlohmann::json& line) { return wanted(line["bytes"].get<uint64_t>()); });
  });
}

bool wait_for_flow(Program& program) {
  return wait_for_interval(program, [](uint64_t bytes) { return bytes > 0; });
}

bool wait_for_standstill(Program& program) {
  return wait_for_interval(program, [](uint64_t bytes) { return bytes == 0; });
}

TEST(Program, MistakesAreOneLineOnStderr) {
  for (const Words& words : {Words{"--buf_sise", "4K"}, Words{"runn"}, Words{"--preset", "x"},
                             Words{"-c", "/nonexistent"}, Words{"run", "--duration", "never"}}) {
    Program program(words);
    EXPECT_EQ(program.wait(), 1) << words[0];
    EXPECT_EQ(program.out(), "");
    EXPECT_EQ(line_count(program.err()), 1) << program.err();
    EXPECT_TRUE(program.err().starts_with("pipetop: ")) << program.err();
  }
}

TEST(Program, PrintsWhatIsAskedFor) {
  Program version({"--version"});
  EXPECT_EQ(version.wait(), 0);
  EXPECT_EQ(version.out(), "pipetop " PIPETOP_VERSION "\n");
  Program presets({"presets", "--format", "json"});
  EXPECT_EQ(presets.wait(), 0);
  EXPECT_EQ(nlohmann::json::parse(presets.out())["presets"].size(), 8u);
  Program doctor({"doctor", "--format", "json"});
  EXPECT_EQ(doctor.wait(), 0);
  EXPECT_GT(nlohmann::json::parse(doctor.out())["checks"].size(), 10u);
}

TEST(Program, MeasuresAndPrintsJson) {
  Program program({"run", "--no-bpf", "--bytes", "16MiB", "--format", "json", "--payload",
                   "stamped", "--wait", "poll"});
  EXPECT_TRUE(measured(program.wait())) << program.err();
  const auto result = nlohmann::json::parse(program.out());
  EXPECT_GE(result["bytes"], 16 << 20);
  EXPECT_GT(result["duration_ns"], 0);
  EXPECT_EQ(result["bytes"], result["reader"]["bytes"]);
  EXPECT_EQ(result["requested"]["wait"], "poll");
  EXPECT_GT(result["integrity"]["verified"], 0);
  EXPECT_EQ(result["integrity"]["misplaced"], 0);
  EXPECT_GE(result["writer"]["lifetime"]["bytes"], result["reader"]["lifetime"]["bytes"]);
}

TEST(Program, MeasuresForAsLongAsIsAskedFor) {
  Program program({"run", "--no-bpf", "--duration", "300ms", "--format", "json"});
  EXPECT_TRUE(measured(program.wait())) << program.err();
  const auto result = nlohmann::json::parse(program.out());
  EXPECT_EQ(program.err().find("died"), std::string::npos) << program.err();
  EXPECT_GE(result["duration_ns"], 300'000'000);
  EXPECT_EQ(result["bytes"], result["reader"]["bytes"]);
}

TEST(MeasuredProgram, SaysWhoElseUsesItsCpus) {
  std::vector<std::unique_ptr<ForeignProcess>> hogs;
  for (long i = 0; i < 2 * sysconf(_SC_NPROCESSORS_ONLN); ++i)
    hogs.push_back(std::make_unique<ForeignProcess>([] {
      for (volatile unsigned n = 0;;) n = n + 1;
    }));
  std::vector<SchedstatWindow> books;
  for (const auto& hog : hogs) books.emplace_back(hog->pid());
  Program program({"run", "--no-bpf", "--duration", "1s", "--format", "json"});
  EXPECT_TRUE(measured(program.wait())) << program.err();
  double most = 0;
  for (const SchedstatWindow& book : books) most = std::max(most, book.on_cpu());
  EXPECT_NE(program.err().find("disturbed: "), std::string::npos) << program.err();
  const auto noise = nlohmann::json::parse(program.out())["noise"];
  EXPECT_NE(noise["words"], "");
  ASSERT_FALSE(noise["neighbours"].empty()) << noise;
  PIPETOP_FORCED(most > noise["neighbours"].back()["cpus_in_use"])
      << "others are busier: " << noise;
  EXPECT_TRUE(std::ranges::any_of(noise["neighbours"], [&](const nlohmann::json& one) {
    return std::ranges::any_of(hogs, [&](const auto& hog) { return one["pid"] == hog->pid(); });
  })) << noise;
}

// The bytes are those at the moments that the duration lies between.
TEST(Program, ARateIsItsBytesOverItsTime) {
  Program program({"run", "--no-bpf", "--duration", "300ms", "--interval", "100ms", "--format",
                   "jsonl", "--pairs", "4"});
  EXPECT_TRUE(measured(program.wait())) << program.err();
  const auto lines = jsonl_of(program.out());
  ASSERT_GT(lines.size(), 1u);
  for (const auto& line : lines) {
    const double bytes = line["bytes"], ns = line["duration_ns"];
    const auto& rate = line["gib_per_s"];
    const double shown = rate.is_object() ? rate["mean"] : rate;
    EXPECT_NEAR(shown, bytes / (1 << 30) / (ns / 1e9), 1e-6) << line["type"];
  }
}

// With a reader that stands still the writer fills the ring with the same two pages, again
// and again: all but the last two are rewritten before they are read.
TEST(Program, DamageThatWasAskedForIsShownAndNoError) {
  Program program(
      endless_run({"--preset", "hazard", "--buf_size", "8KiB", "--pipe_size", "64KiB"}));
  const pid_t writer = program.wait_for_child("pipetop-writer"),
              reader = program.wait_for_child("pipetop-reader");
  ASSERT_TRUE(wait_for_flow(program)) << program.err();
  kill(reader, SIGSTOP);
  ASSERT_TRUE(program.wait_until([&] { return state_of(reader) == 'T'; }));
  ASSERT_TRUE(program.wait_until([&] { return state_of(writer) == 'S'; })) << "the ring is full";
  ASSERT_TRUE(wait_for_standstill(program));
  kill(reader, SIGCONT);
  ASSERT_TRUE(wait_for_flow(program));
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM);
  EXPECT_EQ(program.err().find("damaged"), std::string::npos) << program.err();
  const auto result = jsonl_of(program.out()).back();
  EXPECT_EQ(result["requested"]["buffers"], "single");
  EXPECT_GT(result["integrity"]["misplaced"], 0);
  EXPECT_EQ(result["integrity"]["unstamped"], 0);
}

TEST(Program, StopsAtTheBytesAskedFor) {
  Program program({"run", "--no-bpf", "--bytes", "64MiB", "--format", "jsonl"});
  EXPECT_TRUE(measured(program.wait())) << program.err();
  const std::string last = program.out().substr(program.out().rfind("{\"schema\""));
  EXPECT_GE(nlohmann::json::parse(last)["bytes"], 64 << 20);
  EXPECT_EQ(program.out().find('\x1b'), std::string::npos);
  EXPECT_EQ(program.err().find('\x1b'), std::string::npos);
}

TEST(Program, AnUnwritableStdoutIsAnError) {
  for (const Stdout where : {Stdout::closed, Stdout::full, Stdout::without_reader}) {
    const bool has_reader = where != Stdout::without_reader;
    Program program({"run", "--no-bpf", "--duration", "100ms", "--format", "csv"}, where);
    EXPECT_EQ(program.wait(), has_reader ? 1 : -SIGPIPE) << int(where);
    EXPECT_EQ(program.err().starts_with("pipetop: stdout: "), has_reader) << program.err();
    Program help({"--help"}, where);
    EXPECT_EQ(help.wait(), has_reader ? 1 : -SIGPIPE) << int(where);
  }
}

TEST(Program, ASignalEndsARunEarlyAndPrintsIt) {
  Program program(endless_run());
  ASSERT_TRUE(wait_for_flow(program)) << program.err();
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM);
  const auto lines = jsonl_of(program.out());
  EXPECT_EQ(lines.back()["type"], "summary");
  EXPECT_EQ(
      std::ranges::count(lines, "summary", [](const nlohmann::json& line) { return line["type"]; }),
      1);
  EXPECT_GT(lines.back()["bytes"], 0);
}

TEST(Program, AWorkerThatDiedIsReplacedAndTold) {
  Program program(endless_run());
  ASSERT_TRUE(wait_for_flow(program)) << program.err();
  const pid_t writer = program.wait_for_child("pipetop-writer");
  kill(writer, SIGKILL);
  EXPECT_NE(program.wait_for_child("pipetop-writer", writer), 0);
  EXPECT_TRUE(wait_for_flow(program)) << program.err();
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM);
  EXPECT_NE(program.err().find("the writer died and was restarted 1 time: signal 9"),
            std::string::npos)
      << program.err();
  EXPECT_EQ(jsonl_of(program.out()).back()["writer"]["restarts"], 1);
}

TEST(Program, WhatTheEngineNoticesIsSaidWhenItComesAndOnce) {
  const Words commands[] = {
      endless_run(),
      {"run", "--no-bpf", "--pairs", "1..2", "--duration", "1h"},
      {"ladder", "--rungs", "write_read", "--duration", "1h"},
      {"tune", "--budget", "1h"},
  };
  const std::string notice =
      "pipetop: writer died: signal 9 (killed by somebody, or for lack of memory)\n";
  for (const Words& words : commands) {
    Program program(words);
    ASSERT_TRUE(program.kill_children("pipetop-writer", 2)) << program.err();
    EXPECT_TRUE(program.wait_until([&] { return program.err().find(notice) != std::string::npos; }))
        << words[0] << ": " << program.err();
    program.send(SIGTERM);
    EXPECT_EQ(program.wait(), 128 + SIGTERM);
    const size_t first = program.err().find(notice);
    EXPECT_EQ(program.err().find(notice, first + 1), std::string::npos) << program.err();
  }
}

TEST(Program, ObserversThatAreOffAreSaid) {
  const std::string off = "observers are off; press O, or give --observers on";
  Program program(
      {"run", "--no-bpf", "--observers", "off", "--duration", "1s", "--format", "json"});
  EXPECT_TRUE(measured(program.wait())) << program.err();
  EXPECT_NE(program.err().find("BPF is off: all that --observers can switch"), std::string::npos);
  const auto result = nlohmann::json::parse(program.out());
  for (const char* which : {"requested", "effective"})
    EXPECT_EQ(result[which]["observers"], "off") << which;
  EXPECT_TRUE(result["functions"].is_null() && result["verdict"].is_null());
  EXPECT_EQ(result["functions_reason"], off);
  EXPECT_EQ(result["verdict_reason"], "observers are off");
  EXPECT_TRUE(result["ring"]["occupancy"].is_null());
  EXPECT_TRUE(result["reader"]["on_cpu_share"].is_number()) << result["reader"];
}

TEST(Program, ThePriceOfObserversIsATable) {
  Program program({"run", "--observers", "on,off", "--bytes", "16MiB", "--warmup", "0", "--rounds",
                   "2", "--format", "json"});
  EXPECT_TRUE(measured(program.wait())) << program.err();
  const auto result = nlohmann::json::parse(program.out());
  EXPECT_EQ(result["knob"], "observers");
  ASSERT_EQ(result["rows"].size(), 2u);
  EXPECT_EQ(result["rows"][0]["value"], "on");
  EXPECT_EQ(result["rows"][1]["requested"]["observers"], "off");
  EXPECT_EQ(result["rows"][1]["writer_functions_reason"],
            "observers are off; press O, or give --observers on");
  EXPECT_GT(result["rows"][1]["times"], 0);
}

TEST(Program, AWorkerThatKeepsDyingIsToldByTheExitCode) {
  Program program(endless_run());
  ASSERT_TRUE(wait_for_flow(program)) << program.err();
  ASSERT_TRUE(program.kill_children("pipetop-writer", 3)) << program.err();
  EXPECT_EQ(program.wait(), 2);
  EXPECT_NE(program.err().find("the writer died and was restarted 3 times: signal 9"),
            std::string::npos)
      << program.err();
  EXPECT_EQ(jsonl_of(program.out()).back()["type"], "summary");
}

}  // namespace
}  // namespace pipetop::tui
