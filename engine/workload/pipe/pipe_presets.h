// The article's seven rungs, and our own presets.
#pragma once

#include <span>

#include "engine/model/presets.h"

namespace pipetop {

// The article's ladder, from write_read to busy_loop_huge.
std::span<const Preset> article_presets();

// The ladder, then `hazard`: what the article's double buffering prevents.
std::span<const Preset> built_in_presets();

}  // namespace pipetop
