// The knobs, keys and presets of the clients of the page cache.
#pragma once

#include <span>

#include "engine/model/tables.h"

namespace pipetop {

std::span<const Knob> page_cache_knobs();
std::span<const HotKey> page_cache_hot_keys();
std::span<const Preset> page_cache_presets();

}  // namespace pipetop
