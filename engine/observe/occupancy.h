// How full the ring is, from evenly spread samples: since a restart, and over time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/ring_view.h"

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

// How full the ring was over time, for a scrolling chart. It continues across
// changes and resizes, because its bins are shares of the ring.
class OccupancyRecorder {
 public:
  static constexpr uint64_t kColumnNs = 200'000'000;
  static constexpr size_t kColumns = 640;  // a little over 2 minutes

  // Whether the current column has lasted long enough for add() to close it.
  bool due(uint64_t now_ns) const { return now_ns >= begun_ns_ + kColumnNs; }

  // Closes the column with what each CPU has counted since the last call; the
  // counts are cumulative. Uses only CPUs that kept time. A long interval without a
  // call makes no column: the times of its samples are unknown.
  void add(uint64_t now_ns, std::vector<OccupancyCounts> by_cpu);

  // The counters were replaced: the next counts are not compared with the last.
  void change_source() { begun_ns_ = 0; }

  // Null before the first column.
  std::shared_ptr<const OccupancyHistory> history() const { return history_; }

 private:
  static constexpr uint64_t kLongestNs = 5 * kColumnNs;

  uint64_t begun_ns_ = 0;  // 0: there is nothing to compare with
  std::vector<OccupancyCounts> before_;
  std::shared_ptr<const OccupancyHistory> history_;
};

// Counts scaled down to fit into a column, if there are very many; none becomes 0.
OccupancyColumn column_of(uint64_t end_ns, const OccupancyCounts& counts);

}  // namespace pipetop::observe
