// How full the ring was over time, for a scrolling chart. It continues across
// changes and resizes, because its bins are shares of the ring.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/model/ring_view.h"
#include "engine/observe/occupancy.h"

namespace pipetop::observe {

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
