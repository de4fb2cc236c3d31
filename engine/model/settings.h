// The knobs' values. Their names, valid values and texts are in the tables that
// knobs.h puts together.
#pragma once

#include <cstdint>

#include "engine/model/page_cache_settings.h"
#include "engine/model/percpu_settings.h"
#include "engine/model/pipe_settings.h"

namespace pipetop {

// What pipetop drives; see workload/workload.h.
enum class WorkloadKind : uint8_t { pipe, page_cache, percpu };

inline constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
inline constexpr uint64_t kPageBytes = 4096;
inline constexpr uint64_t kHugePageBytes = 2 * 1024 * 1024;

// Trivially copyable and compared by value: an undo step is an older copy. Only its
// workload's part matters.
struct Settings {
  WorkloadKind workload = WorkloadKind::pipe;

  PipeSettings pipe;
  PageCacheSettings page_cache;
  PercpuSettings percpu;

  bool operator==(const Settings&) const = default;
};

}  // namespace pipetop
