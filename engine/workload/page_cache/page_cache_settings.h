// The settings of the clients: their knobs, keys and presets; from the requested to possible ones,
// which is arithmetic over the knobs; and from these to the effective ones, by what pipes, files
// and slots show.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/workload/workload.h"

namespace pipetop {

inline constexpr uint64_t kLeastFileBytes = 1ull << 20;
inline constexpr uint64_t kMostFileBytes = 64ull << 30;
inline constexpr uint64_t kMostChunkBytes = 1ull << 20;
inline constexpr uint32_t kMaxClients = 64;
inline constexpr uint32_t kMaxGang = 256;

std::span<const Knob> page_cache_knobs();
std::span<const HotKey> page_cache_hot_keys();
std::span<const Preset> page_cache_presets();

// The CPU of each client: one of each core first, then the other threads; starts over when none is
// left.
std::vector<int> cpus_for(uint32_t clients, std::span<const Cpu> allowed);

// The settings that will be tried, and their mismatches. `granted` is `requested` with the files
// that fit; `refusal` says why they differ.
Effective plan_page_cache(const Settings& requested, const Settings& granted,
                          const std::string& refusal, std::span<const Cpu> allowed);

// The number of files: one, or one per client.
inline uint32_t files_of(const PageCacheSettings& s) {
  return s.files == Files::own ? s.clients : 1;
}

struct PageCacheFacts {
  uint64_t chunk_bytes = 0;  // that fit into each pipe
  int resize_error = 0;
  ZeroCopyProbe probe;  // of splice from a file
  Seen seen;
};

Effective make_page_cache_effective(const Settings& requested, const Effective& plan,
                                    const PageCacheFacts& facts);

// The current segment's rate divided by (number of clients x the rate of one client), where the
// latter comes from an earlier segment with otherwise equal settings (`in_force`).
Reading<double> efficiency_of(const Throughput& throughput, const Settings& in_force);

}  // namespace pipetop
