// The ranges of what is no knob, shared by config files and the command line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/model/presets.h"

namespace pipetop {

inline constexpr uint32_t kMinFrequencyHz = 10;
inline constexpr uint32_t kMaxFrequencyHz = 10'000;
inline constexpr uint32_t kMinFramesPerS = 1;
inline constexpr uint32_t kMaxFramesPerS = 60;

// By BpfCounters.
std::span<const std::string_view> bpf_counters_names();

// "there is no preset "x": did you mean y?"
std::string no_such_preset(std::span<const Preset> presets, std::string_view name);

}  // namespace pipetop
