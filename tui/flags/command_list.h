// The commands and their flags as shown by --help, for uses other than parsing.
#pragma once

#include <string>
#include <vector>

namespace pipetop::tui {

struct ListedFlag {
  std::vector<std::string> names;  // "--config" and "-c"; none: a word without a flag
  std::string value;               // "FILE", "percpu|shared", ...; "" if it takes none
  bool value_optional = false;
  std::string help;
};

struct ListedCommand {
  std::string name;
  std::string help;
  std::vector<ListedFlag> flags;
};

struct CommandList {
  std::vector<ListedFlag> globals;  // valid with every command, and without one
  std::vector<ListedCommand> commands;
};

CommandList list_commands();

}  // namespace pipetop::tui
