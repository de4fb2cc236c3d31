// Words for the person, on stderr; data goes to stdout.
#pragma once

#include <string>

namespace pipetop::tui {

// "pipetop: ..." as one line.
void say(const std::string& words);

// Whether stderr is a terminal that can be drawn over.
bool words_go_to_terminal();

}  // namespace pipetop::tui
