// The scripts that teach the shells to complete pipetop's command line.
#pragma once

#include <string>

namespace pipetop::tui {

// Throws Error when there is none for that shell.
std::string completion_script(const std::string& shell);

}  // namespace pipetop::tui
