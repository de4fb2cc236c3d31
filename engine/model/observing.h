// Options of the observers.
#pragma once

#include <cstdint>

namespace pipetop {

enum class BpfUse : uint8_t { automatic, off };

// How the BPF programs count: one record per CPU, or a shared one with atomic adds.
enum class BpfCounters : uint8_t { percpu, shared };

}  // namespace pipetop
