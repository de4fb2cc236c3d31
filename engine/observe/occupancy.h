// How full the ring is over time, from evenly spread samples.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"

namespace pipetop::observe {

// Counts of ring samples.
struct OccupancyCounts {
  static constexpr uint64_t kShareOne = 1 << 16;

  uint64_t used_sum = 0;  // of used / slots, in kShareOne
  std::array<uint64_t, kOccupancyBins> bins{};

  uint64_t samples() const;
  void add(uint32_t used, uint32_t slots);
  void add(const OccupancyCounts& other);
};

// The CPUs with unbiased samples, by what each counted between two readings. A
// virtual CPU may stop its clock while it sleeps; it then samples the ring only
// while busy, which is a biased sample. It is left out if another CPU kept time.
std::vector<uint32_t> steady_cpus(const std::vector<OccupancyCounts>& now,
                                  const std::vector<OccupancyCounts>& before);

// What they counted, summed.
OccupancyCounts steady_samples(const std::vector<OccupancyCounts>& now,
                               const std::vector<OccupancyCounts>& before);

// `source` says who took the samples: "sampler 999 Hz".
Reading<Occupancy> occupancy_of(const OccupancyCounts& counts, const std::string& source);

// Occupancy without BPF. Every sample takes the pipe's mutex and disturbs the
// measurement, so they are few; the number of bytes gives only a rough number of
// slots.
class FionreadOccupancy {
 public:
  explicit FionreadOccupancy(int pipe_fd) : pipe_fd_(pipe_fd) {}

  void poll(uint64_t now_ns);
  void restart() { before_ = counts_; }
  Reading<Occupancy> reading() const;
  const OccupancyCounts& counts() const { return counts_; }  // cumulative, not reset by restart()

 private:
  static constexpr uint64_t kIntervalNs = 100'000'000;

  int pipe_fd_;
  uint64_t next_ns_ = 0;
  OccupancyCounts counts_, before_;  // now; at the restart
  std::string refused_;
};

}  // namespace pipetop::observe
