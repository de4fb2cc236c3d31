// The settings of the clients: from the requested to possible ones, which is arithmetic over
// the knobs, and from these to the effective ones, by what pipes, files and slots show.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/host/zero_copy_probe.h"
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

struct PageCacheFacts {
  uint64_t pipe_bytes = 0;   // of the first client's pipe
  uint64_t chunk_bytes = 0;  // that fit into each pipe
  int resize_error = 0;
  bool settled = false;
  std::string preparing;
  ZeroCopyProbe probe;  // of splice from a file
  // From the slots filled since everything is in effect; takes precedence over the probe.
  Reading<std::array<double, kSlotKinds>> kinds;
};

Effective make_page_cache_effective(const Settings& requested, const PageCachePlan& plan,
                                    const PageCacheFacts& facts);

// The current segment's rate divided by (number of clients x the rate of one client), where the
// latter comes from an earlier segment with otherwise equal settings (`in_force`).
Reading<double> efficiency_of(const Throughput& throughput, const Settings& in_force);

}  // namespace pipetop
