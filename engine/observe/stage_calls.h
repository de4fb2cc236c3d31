// What system calls wait for, as bpf/stage_calls.bpf.h needs it.
#pragma once

#include <cstdint>
#include <span>

#include "engine/model/pipe_scan.h"

namespace pipetop::observe {

// Enum stage_wait of bpf/stages.h for each number of a call, 0 for those that wait for nothing in
// particular.
void fill_stage_calls(std::span<uint8_t> kinds);

// Of those of enum stage_wait that no descriptor decides; else `other`.
WaitsFor waits_for(uint32_t stage_wait);

}  // namespace pipetop::observe
