// Settings as the knobs that are away from their defaults.
#pragma once

#include <string>

#include "engine/settings.h"

namespace pipetop::tui {

// "write_with vmsplice, pages thp"; "all defaults" when nothing differs.
std::string changed_knobs(const Settings& settings);

}  // namespace pipetop::tui
