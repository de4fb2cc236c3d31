#include "engine/observe/occupancy_history.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace pipetop::observe {

OccupancyColumn column_of(uint64_t end_ns, const OccupancyCounts& counts) {
  constexpr uint64_t kMost = std::numeric_limits<uint16_t>::max();
  const uint64_t samples = counts.samples();
  const uint64_t most = std::max(samples, kMost);  // the number of samples that is scaled to kMost
  OccupancyColumn column;
  column.end_ns = end_ns;
  for (size_t i = 0; i < counts.bins.size(); ++i)
    column.count[i] = static_cast<uint16_t>((counts.bins[i] * kMost + most - 1) / most);
  column.samples = std::accumulate(column.count.begin(), column.count.end(), uint32_t{0});
  return column;
}

void OccupancyRecorder::add(uint64_t now_ns, std::vector<OccupancyCounts> by_cpu) {
  const bool known = begun_ns_ != 0 && now_ns <= begun_ns_ + kLongestNs;
  if (known) {
    auto next = std::make_shared<OccupancyHistory>();
    next->column_ns = kColumnNs;
    next->columns.reserve(kColumns);
    if (history_) {
      const auto& old = history_->columns;
      next->columns.assign(old.begin() + (old.size() == kColumns ? 1 : 0), old.end());
    }
    next->columns.push_back(column_of(now_ns, steady_samples(by_cpu, before_)));
    history_ = std::move(next);
  }
  begun_ns_ = now_ns;
  before_ = std::move(by_cpu);
}

}  // namespace pipetop::observe
