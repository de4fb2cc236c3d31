// Refusal of what cannot be measured as asked.
#pragma once

#include <string>

#include "engine/model/settings.h"

namespace pipetop::tui {

// Throws Error, with `instead` as the remedy, when the settings want vmsplice and it
// is refused here: the engine would measure write() in its place.
void require_vmsplice(const Settings& settings, const std::string& instead);

}  // namespace pipetop::tui
