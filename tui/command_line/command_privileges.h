// What each command may do beyond what everybody may.
#pragma once

#include <span>
#include <string_view>

#include "engine/registry/main_capabilities.h"
#include "tui/flags/command_line.h"

namespace pipetop::tui {

struct CommandPrivileges {
  std::string_view name;  // as it is typed
  Command command;
  unsigned uses = kNoUse;  // see MainUse
  bool (*applies)(const CommandLine& line) =
      nullptr;  // the first that does counts; nullptr: always
};

std::span<const CommandPrivileges> command_privileges();

// Throws Error if a command has no row.
const CommandPrivileges& privileges_of(const CommandLine& line);

// Its capabilities in words, for the manual.
std::string privileges_text(const CommandPrivileges& row);

}  // namespace pipetop::tui
