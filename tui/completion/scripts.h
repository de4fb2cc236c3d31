// The scripts that teach the shells to complete pipetop's command line.
#pragma once

#include <string>

namespace pipetop::tui {

// The hidden command that they call: the words typed so far follow it.
inline constexpr const char* kCompleteWords = "complete-words";

// Throws Error when there is none for that shell.
std::string completion_script(const std::string& shell);

}  // namespace pipetop::tui
