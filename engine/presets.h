// Named settings: the article's seven rungs, what we add to them, and what a
// config file adds.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/settings.h"

namespace pipetop {

struct Preset {
  std::string name;   // "vmsplice_splice"
  std::string title;  // "vmsplice, splice"
  Settings settings;
  double article_gib_per_s = 0;  // the figure the article prints; 0 where it prints none
};

// The article's ladder, from write_read to busy_loop_huge.
std::span<const Preset> article_presets();

// The ladder, then `hazard`: what the article's double buffering is there for.
std::span<const Preset> built_in_presets();

// nullptr when there is none of that name.
const Preset* find_preset(std::span<const Preset> presets, std::string_view name);

}  // namespace pipetop
