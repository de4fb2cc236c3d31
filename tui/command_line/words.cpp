#include "tui/command_line/words.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "engine/config/text_file.h"

namespace pipetop::tui {

void say(const std::string& words) {
  const std::string line = "pipetop: " + one_line(words) + "\n";
  // Not by way of stdio, which throws away what fails; and nobody is left to tell.
  (void)!::write(STDERR_FILENO, line.data(), line.size());
}

bool words_go_to_terminal() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal && std::string_view(terminal) != "dumb";
}

}  // namespace pipetop::tui
