#include "tui/command_line/command_privileges.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "engine/base/error.h"
#include "engine/process/privileges.h"
#include "engine/registry/workloads.h"

namespace pipetop::tui {
namespace {

constexpr unsigned kRun = kObserve | kRunWorkers | kLargeRings;
constexpr unsigned kWatch = kObserve | kOtherProcesses;

constexpr CommandPrivileges kRows[] = {
    {"pipetop", Command::dashboard, kRun | kCallersFiles},
    {"run", Command::run, kRun | kCallersFiles},
    {"watch -- COMMAND", Command::watch, kWatch | kSignalCommand | kCallersFiles,
     [](const CommandLine& line) { return !line.watch.command.empty(); }},
    {"watch --put-back", Command::watch, kOtherProcesses,
     [](const CommandLine& line) { return line.watch.put_back; }},
    {"watch --output", Command::watch, kWatch | kCallersFiles,
     [](const CommandLine& line) { return !line.watch.output.empty(); }},
    {"watch", Command::watch, kWatch},
    {"view", Command::view, kNeighbours},
    {"ladder", Command::ladder, kRun | kCallersFiles},
    {"tune", Command::tune, kRunWorkers | kLargeRings | kCallersFiles},
    {"limits", Command::limits, kRun},
    {"doctor", Command::doctor, kEveryUse},
    {"shot --replay", Command::shot, kNoUse,
     [](const CommandLine& line) { return !line.shot.replay.empty(); }},
    {"shot", Command::shot, kRun | kCallersFiles},
    {"presets", Command::presets},
    {"replay", Command::replay},
    {"present --replay", Command::present, kNoUse,
     [](const CommandLine& line) { return !line.talk.replay.empty(); }},
    {"present", Command::present, kRun | kCallersFiles},
    {"rehearse", Command::rehearse, kRun},
    {"notes", Command::notes},
    {"completion", Command::completion},
    {kCompleteWords, Command::complete_words},
    {"help", Command::manual},
    {"--default-config", Command::default_config},
    {"--help", Command::help},
    {"--version", Command::version},
};

std::string or_none(uint64_t set) { return set != 0 ? capability_names(set) : "none"; }

}  // namespace

std::span<const CommandPrivileges> command_privileges() { return kRows; }

const CommandPrivileges& privileges_of(const CommandLine& line) {
  const auto found = std::ranges::find_if(kRows, [&](const CommandPrivileges& row) {
    return row.command == line.command && (!row.applies || row.applies(line));
  });
  if (found == std::end(kRows)) throw Error("this command has no row in command_privileges.cpp");
  return *found;
}

std::string privileges_text(const CommandPrivileges& row) {
  const MainCapabilities root = main_capabilities(row.uses, workloads(), false);
  const MainCapabilities sudo = main_capabilities(row.uses, workloads(), true);
  std::string text = or_none(root.in_effect);
  if (root.passed_on != 0) text += "; for workers " + capability_names(root.passed_on);
  if (sudo.permitted() == 0) return text + "; under sudo it becomes the calling user";
  if (const uint64_t more = sudo.in_effect & ~root.in_effect)
    text += "; under sudo also " + capability_names(more);
  if (sudo.on_demand != 0)
    text += "; under sudo, for a moment, " + capability_names(sudo.on_demand);
  return text;
}

}  // namespace pipetop::tui
