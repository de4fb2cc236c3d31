// Named settings.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/settings.h"

namespace pipetop {

struct Preset {
  std::string name;   // "vmsplice_splice"
  std::string title;  // "vmsplice, splice"
  Settings settings;
  double article_gib_per_s = 0;  // the article's figure; 0 if it has none
};

// nullptr if there is none of that name.
inline const Preset* find_preset(std::span<const Preset> presets, std::string_view name) {
  const auto found = std::ranges::find(presets, name, &Preset::name);
  return found == presets.end() ? nullptr : &*found;
}

}  // namespace pipetop
