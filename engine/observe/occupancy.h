// How full the ring is over time, from looks at it that are spread evenly.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"

namespace pipetop::observe {

// Counts of looks.
struct OccupancyCounts {
  static constexpr uint64_t kShareOne = 1 << 16;

  uint64_t used_sum = 0;  // of used / slots, in kShareOne
  std::array<uint64_t, kOccupancyBins> bins{};

  uint64_t looks() const;
  void add(uint32_t used, uint32_t slots);
  void add(const OccupancyCounts& other);
};

// The CPUs that can be believed, by what each counted between two readings. A
// virtual CPU may stop its clock while it sleeps; what it sees of the ring is
// then only its own busy moments, which are no fair sample. It is left out as
// soon as another CPU has kept time.
std::vector<uint32_t> steady_cpus(const std::vector<OccupancyCounts>& now,
                                  const std::vector<OccupancyCounts>& before);

// What they counted, summed.
OccupancyCounts steady_looks(const std::vector<OccupancyCounts>& now,
                             const std::vector<OccupancyCounts>& before);

// `source` says who looked: "sampler 999 Hz".
Reading<Occupancy> occupancy_of(const OccupancyCounts& counts, const std::string& source);

// Occupancy without BPF. Every look takes the pipe's mutex and disturbs what it
// measures, so they are few; bytes tell the slots only roughly.
class FionreadOccupancy {
 public:
  explicit FionreadOccupancy(int pipe_fd) : pipe_fd_(pipe_fd) {}

  void poll(uint64_t now_ns);
  void restart() { before_ = counts_; }
  Reading<Occupancy> reading() const;
  const OccupancyCounts& counts() const { return counts_; }  // cumulative, restart or not

 private:
  static constexpr uint64_t kIntervalNs = 100'000'000;

  int pipe_fd_;
  uint64_t next_ns_ = 0;
  OccupancyCounts counts_, before_;  // now; at the restart
  std::string refused_;
};

}  // namespace pipetop::observe
