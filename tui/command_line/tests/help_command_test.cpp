// The manual has everything that the program has.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "engine/model/tables.h"
#include "engine/workload/table/workloads.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/tests/typed.h"
#include "tui/dashboard/keymap.h"
#include "tui/flags/command_line.h"
#include "tui/manual/manual.h"

namespace pipetop::tui {
namespace {

std::string help_error(const std::string& topic) {
  return usage_error([&] { help_text(topic); });
}

// A row of a table begins with it.
bool has_row(const std::string& text, const std::string& term) {
  return text.find("\n  " + term + "\n") != text.npos ||
         text.find("\n  " + term + " ") != text.npos;
}

TEST(Help, ListsEveryTopic) {
  const std::string list = help_text("");
  for (const EmbeddedText& text : manual()) {
    EXPECT_TRUE(has_row(list, std::string(text.name))) << text.name;
    EXPECT_FALSE(help_text(std::string(text.name)).empty()) << text.name;
    EXPECT_TRUE(text.text.starts_with("# ")) << text.name;
  }
}

TEST(Help, AnUnknownTopicIsAnErrorWithTheNearest) {
  EXPECT_EQ(help_error("laddre"), "help: there is no topic \"laddre\": did you mean ladder?");
  EXPECT_EQ(help_error("xyzzy"),
            "help: there is no topic \"xyzzy\": pipetop help lists the topics");
}

TEST(Help, EveryCommandIsATopicWithItsFlags) {
  for (const ListedCommand& command : list_commands().commands) {
    const std::string text = help_text(command.name) + help_text("flags");
    for (const ListedFlag& flag : command.flags)
      for (const std::string& name : flag.names)
        EXPECT_NE(text.find(name), text.npos) << command.name << " " << name;
    EXPECT_TRUE(has_row(help_text("pipetop"), command.name)) << command.name;
  }
}

TEST(Help, EveryGlobalFlagIsInTheManual) {
  const std::string text = help_text("flags") + help_text("knobs");
  const CommandList list = list_commands();
  EXPECT_GT(list.globals.size(), 30u);
  for (const ListedFlag& flag : list.globals)
    for (const std::string& name : flag.names) EXPECT_NE(text.find(name), text.npos) << name;
}

TEST(Help, EveryKnobIsInTheManual) {
  const std::string text = help_text("knobs"), config = help_text("config-keys");
  for (const Knob& knob : knobs()) {
    EXPECT_TRUE(has_row(text, "--" + std::string(knob.name))) << knob.name;
    EXPECT_NE(config.find("\n  " + std::string(knob.name)), config.npos) << knob.name;
  }
}

TEST(Help, EveryKeyIsInTheManual) {
  const std::string text = help_text("keys");
  for (const WorkloadEntry& workload : workloads())
    for (const HotKey& hot : workload.hot_keys())
      EXPECT_NE(text.find(hot.knob), text.npos) << hot.key;
  for (const char* key : {"b", "p", "z", "h", "H"})
    EXPECT_TRUE(has_row(text, key)) << "each has its own help\n" << text;
  EXPECT_TRUE(has_row(text, "{ }")) << text;
  for (const ScreenKey& key : screen_keys())
    EXPECT_TRUE(has_row(text, std::string(key.keys))) << key.keys;
}

TEST(Help, EveryPresetAndExitCodeIsInTheManual) {
  const std::string presets = help_text("presets"), codes = help_text("exit-status");
  for (const WorkloadEntry& workload : workloads())
    for (const Preset& preset : workload.presets())
      EXPECT_TRUE(has_row(presets, preset.name)) << preset.name;
  for (const ExitCode& exit : kExitCodes) EXPECT_TRUE(has_row(codes, std::string(exit.code)));
}

// Generated rows are broken by the writer, so only an unbreakable word is longer.
TEST(Help, IsPlainTextOfEightyColumns) {
  for (const EmbeddedText& text : manual()) {
    if (is_page(text)) continue;
    std::istringstream lines(help_text(std::string(text.name)));
    for (std::string line; std::getline(lines, line);) {
      const bool is_code = line.starts_with("    ");
      EXPECT_TRUE(is_code || line.size() <= 80) << text.name << ": " << line;
      const auto is_ascii = [](unsigned char c) { return c >= 0x20 && c < 0x7f; };
      EXPECT_TRUE(std::ranges::all_of(line, is_ascii)) << text.name << ": " << line;
    }
  }
}

// Every topic but those about the source is in a man page.
TEST(Help, ThePagesHoldTheTopics) {
  const std::string pages = help_text("pipetop") + help_text("pipetop-config");
  for (const EmbeddedText& text : manual()) {
    if (is_page(text) || text.name == "source" || text.name == "extend") continue;
    EXPECT_NE(pages.find(help_text(std::string(text.name))), pages.npos) << text.name;
  }
}

}  // namespace
}  // namespace pipetop::tui
