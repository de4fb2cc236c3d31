// How records are read that the scheduler's programs of bpf/ are writing.
#pragma once

#include <cstdint>

#include "engine/base/clock.h"

namespace pipetop::observe {

// A switch in progress when we began to watch was missed, and the state read then may be the old
// one. It is over long before this time.
constexpr uint64_t kSettled_ns = 10 * kMs;

// An update takes less than a microsecond, unless the host stops its CPU in the middle.
constexpr int kReadAttempts = 10'000;

}  // namespace pipetop::observe
