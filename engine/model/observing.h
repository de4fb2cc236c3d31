// How the observers work.
#pragma once

#include <cstdint>

namespace pipetop {

enum class BpfUse : uint8_t { automatic, off };

// How BPF's programs count: a record a CPU, or one for all with atomic adds.
enum class BpfCounters : uint8_t { percpu, shared };

}  // namespace pipetop
