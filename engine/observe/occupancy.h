// How full the ring is over time, from looks at it that are spread evenly.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/snapshot.h"

namespace pipetop::observe {

// Counts of looks; they can be added, and subtracted from later ones.
struct OccupancyCounts {
  static constexpr uint64_t kShareOne = 1 << 16;

  uint64_t looks = 0;
  uint64_t used_sum = 0;  // of used / slots, in kShareOne
  std::array<uint64_t, kOccupancyBins> bins{};

  void add(uint32_t used, uint32_t slots);
  OccupancyCounts since(const OccupancyCounts& earlier) const;
};

// `source` says who looked: "sampler 999 Hz".
Reading<Occupancy> occupancy_of(const OccupancyCounts& counts, const std::string& source);

// Occupancy without BPF. Every look takes the pipe's mutex and disturbs what it
// measures, so they are few; bytes tell the slots only roughly.
class FionreadOccupancy {
 public:
  explicit FionreadOccupancy(int pipe_fd) : pipe_fd_(pipe_fd) {}

  void poll(uint64_t now_ns);
  void restart() { counts_ = {}; }
  Reading<Occupancy> reading() const;

 private:
  static constexpr uint64_t kIntervalNs = 100'000'000;

  int pipe_fd_;
  uint64_t next_ns_ = 0;
  OccupancyCounts counts_;
  std::string refused_;
};

}  // namespace pipetop::observe
