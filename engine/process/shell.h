// Runs a command of sh(1), and reads what it prints.
#pragma once

#include <string>

namespace pipetop {

struct ShellOutput {
  std::string text;  // of its stdout
  int status = 0;    // as a shell says it: 128 + the signal that ended it
};

// Waits until it has ended. Throws SystemError if it can't be started.
ShellOutput output_of_shell(const std::string& command);

}  // namespace pipetop
