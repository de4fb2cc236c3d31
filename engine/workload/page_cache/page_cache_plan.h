// From the requested clients to possible ones: arithmetic over the knobs,
// independent of the machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/process/placement.h"

namespace pipetop {

inline constexpr uint64_t kLeastFileBytes = 1ull << 20;
inline constexpr uint64_t kMostFileBytes = 64ull << 30;
inline constexpr uint64_t kMostChunkBytes = 1ull << 20;
inline constexpr uint32_t kMaxClients = 64;
inline constexpr uint32_t kMaxGang = 256;

struct PageCachePlan {
  Settings settings;      // what will be tried
  std::vector<int> cpus;  // of each client
  std::vector<Mismatch> mismatches;
};

// `granted` is `requested` with the files that fit; `refusal` says why they differ.
PageCachePlan plan_page_cache(const Settings& requested, const Settings& granted,
                              const std::string& refusal, std::span<const Cpu> allowed);

// The number of files: one, or one per client.
inline uint32_t files_of(const PageCacheSettings& s) {
  return s.files == Files::own ? s.clients : 1;
}

// The size of the ring for a chunk: the kernel rounds up to a power of two pages.
uint64_t ring_bytes_for(uint64_t chunk_bytes);

// Adds the knob to `mismatches` if its value differs, unless it is there already.
void note_difference(std::string_view name, const Settings& requested, const Settings& in_force,
                     const std::string& reason, std::vector<Mismatch>& mismatches);

}  // namespace pipetop
