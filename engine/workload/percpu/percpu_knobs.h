// The knobs, keys and presets of rules with and without per-CPU counters.
#pragma once

#include <span>
#include <string_view>

#include "engine/model/tables.h"

namespace pipetop {

std::span<const Knob> percpu_knobs();
std::span<const HotKey> percpu_hot_keys();
std::span<const Preset> percpu_presets();

std::string_view to_text(Profile);

}  // namespace pipetop
