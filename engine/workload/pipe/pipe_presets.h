// The article's seven rungs, and what we add to them.
#pragma once

#include <span>

#include "engine/model/presets.h"

namespace pipetop {

// The article's ladder, from write_read to busy_loop_huge.
std::span<const Preset> article_presets();

// The ladder, then `hazard`: what the article's double buffering is there for.
std::span<const Preset> built_in_presets();

}  // namespace pipetop
