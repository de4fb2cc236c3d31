// The completion scripts for the shells.
#pragma once

#include <string>

namespace pipetop::tui {

// Throws Error if there is none for that shell.
std::string completion_script(const std::string& shell);

}  // namespace pipetop::tui
