// How full the ring was, stretch by stretch: what a picture that scrolls is made
// of. It goes on across changes and resizes, for its bins are shares of the ring.
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

  // Whether the present column has lasted long enough to be closed by add().
  bool due(uint64_t now_ns) const { return now_ns >= begun_ns_ + kColumnNs; }

  // Closes the column with what each CPU has counted since the last call; the
  // counts are cumulative. Only looks of CPUs that kept time then are taken. A
  // stretch in which nobody asked for long makes no column: its looks are of no
  // known instant.
  void add(uint64_t now_ns, std::vector<OccupancyCounts> by_cpu);

  // From now on others count: what comes next is not compared with the last.
  void change_source() { begun_ns_ = 0; }

  // Null before the first column.
  std::shared_ptr<const OccupancyHistory> history() const { return history_; }

 private:
  static constexpr uint64_t kLongestNs = 5 * kColumnNs;

  uint64_t begun_ns_ = 0;  // 0: there is nothing to compare with
  std::vector<OccupancyCounts> before_;
  std::shared_ptr<const OccupancyHistory> history_;
};

// Counts as a column can hold them: those of very many looks are scaled down,
// and none becomes 0 by that.
OccupancyColumn column_of(uint64_t end_ns, const OccupancyCounts& counts);

}  // namespace pipetop::observe
