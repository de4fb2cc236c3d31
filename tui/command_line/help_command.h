// pipetop help [TOPIC].
#pragma once

#include <string>

namespace pipetop::tui {

// The topic, or the list of topics for "". A man page is roff when its section is
// given, "pipetop.1", and plain text otherwise. Throws Error.
std::string help_text(const std::string& topic);

}  // namespace pipetop::tui
