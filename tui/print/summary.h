// What is left on the terminal after the dashboard: every segment with its rate.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "engine/model/segment.h"
#include "engine/model/tables.h"

namespace pipetop::tui {

// Oldest first; of very many only the last ones.
std::string summary_text(std::span<const std::shared_ptr<const Segment>> closed,
                         const Segment& last, std::span<const Preset> presets);

}  // namespace pipetop::tui
