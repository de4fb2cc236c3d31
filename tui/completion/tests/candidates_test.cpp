#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/base/error.h"
#include "engine/tests/support/scratch_directory.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"
#include "tui/completion/completion.h"
#include "tui/flags/command_line.h"

namespace pipetop::tui {
namespace {

using namespace std::string_literals;
using Words = std::vector<std::string>;

const CommandList& list() {
  static const CommandList list = list_commands();
  return list;
}

// Completes a line as it is typed; a space at its end starts a new word.
Candidates ask(const std::string& line, const Words& directories = {}) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (line.empty() || line.ends_with(' ')) words.emplace_back();
  return candidates(words, list(), directories);
}

Words words_for(const std::string& line, const Words& directories = {}) {
  Words words;
  for (const Candidate& candidate : ask(line, directories).words) words.push_back(candidate.word);
  return words;
}

bool has(const Words& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

TEST(Candidates, StartWithTheCommands) {
  Words commands;
  for (const ListedCommand& command : list().commands) commands.push_back(command.name);
  EXPECT_EQ(words_for(""), commands);
  EXPECT_EQ(words_for("--preset write_read "), commands);
  EXPECT_EQ(words_for("l"), (Words{"ladder", "limits"}));
  EXPECT_EQ(ask("lad").words.front().help, "compare the article's rungs");
  EXPECT_TRUE(words_for("complete").empty()) << "it is hidden";
  EXPECT_TRUE(words_for("worker").empty()) << "it is hidden";
}

TEST(Candidates, OfferEveryFlagWhereItGoes) {
  const Words plain = words_for("--");
  EXPECT_TRUE(has(plain, "--config") && has(plain, "--help") && has(plain, "--version"));
  EXPECT_TRUE(has(plain, "--write_with_vmsplice")) << "the article's spelling";
  EXPECT_FALSE(has(plain, "--duration")) << "it needs a command";
  for (const Knob& knob : knobs_of(WorkloadKind::pipe))
    EXPECT_TRUE(has(plain, "--" + std::string(knob.name))) << knob.name;
  for (const ListedCommand& command : list().commands) {
    const Words words = words_for(command.name + " -");
    for (const ListedFlag& flag : command.flags)
      for (const std::string& name : flag.names)
        EXPECT_EQ(std::ranges::count(words, name), name.starts_with("--")) << command.name << name;
    EXPECT_TRUE(has(words, "--preset")) << command.name;
  }
}

TEST(Candidates, AreFlagsWhenNothingElseCanFollow) {
  EXPECT_TRUE(has(words_for("run --no-bpf "), "--duration"));
  EXPECT_EQ(words_for("run --dur"), Words{"--duration"});
  EXPECT_EQ(words_for("-c"), Words{"-c"});
  EXPECT_FALSE(has(words_for("-"), "-c"));
}

TEST(Candidates, AreAKnobsValues) {
  for (const Knob& knob : knobs_of(WorkloadKind::pipe)) {
    const std::string flag = "--" + std::string(knob.name);
    const Words apart = words_for("run " + flag + " "), joined = words_for(flag + "=");
    for (const std::string_view value : knob.values) {
      EXPECT_TRUE(has(apart, std::string(value))) << flag << " " << value;
      EXPECT_TRUE(has(joined, flag + "=" + std::string(value))) << flag << "=" << value;
    }
  }
  EXPECT_EQ(words_for("--wait b"), (Words{"block", "busy", "busy_poll"}));
  EXPECT_EQ(words_for("run --wait=bu"), (Words{"--wait=busy", "--wait=busy_poll"}));
  EXPECT_EQ(words_for("--pipe_size a"), Words{"auto"});
  EXPECT_TRUE(words_for("--buf_size a").empty());
  EXPECT_TRUE(has(words_for("--writer.cpu "), "0"));
}

TEST(Candidates, OfABooleanMayBeTheCommand) {
  EXPECT_EQ(words_for("--gift t"), (Words{"true", "tune"}));
  EXPECT_EQ(words_for("--gift true ru"), Words{"run"});
  EXPECT_EQ(words_for("--gift run --dur"), Words{"--duration"});
  EXPECT_EQ(words_for("--roof --no-c"), Words{"--no-color"});
  EXPECT_EQ(words_for("--gift=f"), Words{"--gift=false"});
}

TEST(Candidates, AreSeveralValuesOfARun) {
  EXPECT_EQ(words_for("run --wait busy,a"), Words{"busy,adaptive"});
  EXPECT_EQ(words_for("run --wait=busy,b"), (Words{"--wait=busy,block", "--wait=busy,busy_poll"}));
  EXPECT_EQ(words_for("run --pairs 1."), (Words{"1..2", "1..4", "1..8"}));
  EXPECT_TRUE(words_for("--wait busy,a").empty()) << "the dashboard takes one";
  EXPECT_TRUE(words_for("--pairs 1.").empty());
}

TEST(Candidates, AreTheChoicesOfTheOtherFlags) {
  EXPECT_EQ(words_for("run --format "), (Words{"human", "json", "jsonl", "csv"}));
  EXPECT_EQ(words_for("limits --format "), (Words{"human", "json"}));
  EXPECT_EQ(words_for("watch --format "), (Words{"human", "json", "jsonl"}));
  EXPECT_TRUE(has(words_for("watch --sort "), "empty"));
  EXPECT_EQ(words_for("--bpf-counters="),
            (Words{"--bpf-counters=percpu", "--bpf-counters=shared"}));
  EXPECT_EQ(words_for("completion "), (Words{"bash", "zsh", "fish"}));
  EXPECT_TRUE(words_for("run --duration ").empty());
}

TEST(Candidates, AreTheTopicsOfTheManual) {
  EXPECT_EQ(words_for("help la"), Words{"ladder"});
  EXPECT_TRUE(has(words_for("help "), "privileges"));
  EXPECT_FALSE(has(words_for("help "), "pipetop.1"));
}

TEST(Candidates, ArePresets) {
  EXPECT_EQ(words_for("--preset vmsplice_s"), (Words{"vmsplice_splice", "vmsplice_splice_huge"}));
  EXPECT_EQ(ask("--preset busy").words.front().help,
            find_preset(article_presets(), "busy_loop_huge")->title);
  EXPECT_EQ(words_for("ladder --rungs write_read,vmsplice_r"),
            (Words{"write_read,vmsplice_read", "write_read,vmsplice_read_huge"}));
  EXPECT_FALSE(has(words_for("ladder --rungs write_read,w"), "write_read,write_read"));
}

TEST(Candidates, KnowTheConfigThatWasNamed) {
  const ScratchDirectory directory;
  std::ofstream(directory.file("rules.yaml"))
      << "workload: percpu\npresets: [{name: many, title: a lot}]\n";
  std::ofstream(directory.file("broken.yaml")) << "workload: [\n";
  const Words places = {directory.file("")};
  EXPECT_EQ(words_for("-c r", places), Words{"rules"});
  EXPECT_EQ(ask("-c ", places).files, ".yaml");
  EXPECT_EQ(words_for("--config=", places), (Words{"--config=broken", "--config=rules"}));
  for (const std::string& given :
       {"-c rules "s, "--config=rules "s, "-c " + directory.file("rules.yaml ")}) {
    EXPECT_EQ(words_for(given + "--preset m", places), Words{"many"}) << given;
    EXPECT_TRUE(has(words_for(given + "run --", places), "--no_percpu")) << given;
    EXPECT_FALSE(has(words_for(given + "run --", places), "--write_with")) << given;
  }
  EXPECT_FALSE(has(words_for("run --"), "--no_percpu")) << "it goes with another workload";
  EXPECT_EQ(words_for("-c broken --preset ha", places), Words{"hazard"});
}

TEST(Candidates, AreFilesWhereAFileGoes) {
  EXPECT_EQ(ask("run --output f").files, "");
  EXPECT_EQ(ask("--segments=").files, "");
  EXPECT_EQ(ask("run --format ").files, std::nullopt);
  EXPECT_EQ(ask("run ").files, std::nullopt);
  for (const char* line :
       {"view ", "view -q f", "replay ", "watch /tmp/f", "watch -- ", "watch -- ls -"}) {
    EXPECT_EQ(ask(line).files, "") << line;
    EXPECT_TRUE(words_for(line).empty()) << line;
  }
  EXPECT_TRUE(has(words_for("view --"), "--rate-limit"));
}

// Whatever is offered is taken.
void expect_taken(const std::string& command, const ListedFlag& flag) {
  if (flag.names.empty() || flag.value.empty() || flag.value == "CONFIG") return;
  const std::string line = command + " " + flag.names.front() + " ";
  for (const std::string& value : words_for(line)) {
    const Words command_line = {command, flag.names.front(), value};
    EXPECT_NO_THROW(parse_command_line(command_line)) << line << value;
  }
}

TEST(Candidates, ArePossibleValues) {
  for (const ListedCommand& command : list().commands)
    for (const ListedFlag& flag : command.flags) expect_taken(command.name, flag);
  for (const ListedFlag& flag : list().globals)
    if (!flag.value_optional) expect_taken("run", flag);
}

TEST(Candidates, ArePrintedForTheScripts) {
  EXPECT_EQ(print_candidates({{{"run", "measure"}, {"x", ""}}, ".yaml"}),
            "run\tmeasure\nx\n:files .yaml\n");
  EXPECT_EQ(print_candidates({}), "");
}

}  // namespace
}  // namespace pipetop::tui
