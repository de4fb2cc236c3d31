#include "tui/flags/command_flags.h"

namespace pipetop::tui {

void add_completion_flags(const FlagSet& flags, CommandLine& line) {
  flags.add({"shell", "bash|zsh|fish", "the shell; to try it: source <(pipetop completion bash)"},
            [&line](const std::string& shell) { line.shell = shell; });
}

}  // namespace pipetop::tui
