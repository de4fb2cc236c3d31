// Settings as the knobs that are away from their defaults.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/settings.h"

namespace pipetop::tui {

// Name and value of each, in the table's order; they give these settings again.
std::vector<std::pair<std::string_view, std::string>> changed_knob_values(const Settings& settings);

// "write_with vmsplice, pages thp"; "all defaults" when nothing differs.
std::string changed_knobs(const Settings& settings);

}  // namespace pipetop::tui
