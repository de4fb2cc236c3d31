// Flags for a view that runs already: `pipetop view -R PID -L 1M`.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace pipetop::tui {

// Gives it the words of our command line after "view". Throws Error if it is none, or another
// user's.
void send_flags(pid_t pid);

// The words that were sent to us last; nothing if there are none, or not from our user.
std::optional<std::vector<std::string>> take_flags();

}  // namespace pipetop::tui
