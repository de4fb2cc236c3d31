// The knobs, keys and presets of a pipe, and values derived from them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/model/tables.h"

namespace pipetop {

std::span<const Knob> pipe_knobs();
std::span<const HotKey> pipe_hot_keys();
void validate_pipe(const Settings& s);  // throws Error

std::string_view to_text(WriteWith);
std::string_view to_text(ReadWith);
std::string_view to_text(Wait);
std::string_view to_text(Pages);
std::string_view to_text(Buffers);
std::string_view to_text(Placement);
std::string_view to_text(Payload);

inline constexpr uint64_t kKernelDefaultPipeBytes = 16 * kPageBytes;

// The article's rule for vmsplice: half a buffer. The other techniques that lend
// pages use the same, so that only the technique differs. Else the kernel's default
// (0).
uint64_t wanted_pipe_bytes(const PipeSettings&);

// The article's ladder, from write_read to busy_loop_huge.
std::span<const Preset> article_presets();

// The ladder, then `hazard`: what the article's double buffering prevents.
std::span<const Preset> built_in_presets();

}  // namespace pipetop
