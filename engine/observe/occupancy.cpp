#include "engine/observe/occupancy.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/base/error.h"
#include "engine/model/settings.h"

namespace pipetop::observe {
namespace {

// Share of the samples of the most regular CPU.
constexpr uint64_t kSteadyPercent = 95;

// What each CPU counted between two readings; a CPU without an earlier reading
// started at 0.
std::vector<OccupancyCounts> difference(std::vector<OccupancyCounts> now,
                                        const std::vector<OccupancyCounts>& before) {
  for (size_t cpu = 0; cpu < std::min(now.size(), before.size()); ++cpu) {
    now[cpu].used_sum -= before[cpu].used_sum;
    for (size_t i = 0; i < now[cpu].bins.size(); ++i) now[cpu].bins[i] -= before[cpu].bins[i];
  }
  return now;
}

}  // namespace

uint64_t OccupancyCounts::samples() const {
  return std::accumulate(bins.begin(), bins.end(), uint64_t{0});
}

void OccupancyCounts::add(uint32_t used, uint32_t slots) {
  if (slots == 0 || used > slots) return;
  size_t bin = used == slots ? kOccupancyBins - 1 : 0;
  if (used > 0 && used < slots) bin = 1 + uint64_t{used} * (kOccupancyBins - 2) / slots;
  ++bins[bin];
  used_sum += used * kShareOne / slots;
}

void OccupancyCounts::add(const OccupancyCounts& other) {
  used_sum += other.used_sum;
  for (size_t i = 0; i < bins.size(); ++i) bins[i] += other.bins[i];
}

std::vector<uint32_t> steady_cpus(const std::vector<OccupancyCounts>& now,
                                  const std::vector<OccupancyCounts>& before) {
  std::vector<uint64_t> samples;
  for (const OccupancyCounts& counts : difference(now, before)) samples.push_back(counts.samples());
  const uint64_t most = samples.empty() ? 0 : std::ranges::max(samples);
  std::vector<uint32_t> steady;
  for (uint32_t cpu = 0; cpu < samples.size(); ++cpu)
    if (samples[cpu] * 100 >= most * kSteadyPercent) steady.push_back(cpu);
  return steady;
}

OccupancyCounts steady_samples(const std::vector<OccupancyCounts>& now,
                               const std::vector<OccupancyCounts>& before) {
  const std::vector<OccupancyCounts> by_cpu = difference(now, before);
  OccupancyCounts sum;
  for (const uint32_t cpu : steady_cpus(by_cpu, {})) sum.add(by_cpu[cpu]);
  return sum;
}

Reading<Occupancy> occupancy_of(const OccupancyCounts& counts, const std::string& source) {
  const uint64_t samples = counts.samples();
  if (samples == 0) return Reading<Occupancy>::warming("waiting for the first sample");
  const double one = 1.0 / double(samples);
  Occupancy occupancy;
  occupancy.source = source;
  occupancy.samples = samples;
  occupancy.mean_share = double(counts.used_sum) * one / double(OccupancyCounts::kShareOne);
  for (size_t i = 0; i < counts.bins.size(); ++i)
    occupancy.histogram[i] = double(counts.bins[i]) * one;
  occupancy.empty_share = occupancy.histogram.front();
  occupancy.full_share = occupancy.histogram.back();
  return Reading<Occupancy>::of(std::move(occupancy));
}

void FionreadOccupancy::poll(uint64_t now_ns) {
  if (now_ns < next_ns_) return;
  next_ns_ = now_ns + kIntervalNs;
  int bytes = 0;
  const int capacity = fcntl(pipe_fd_, F_GETPIPE_SZ);
  if (capacity <= 0 || ioctl(pipe_fd_, FIONREAD, &bytes) != 0) {
    refused_ = SystemError("FIONREAD", errno).what();
    return;
  }
  const auto slots = static_cast<uint32_t>(uint64_t(capacity) / kPageBytes);
  const auto used = static_cast<uint32_t>((uint64_t(bytes) + kPageBytes - 1) / kPageBytes);
  counts_.add(std::min(used, slots), slots);
}

Reading<Occupancy> FionreadOccupancy::reading() const {
  const OccupancyCounts since = steady_samples({counts_}, {before_});
  if (since.samples() == 0 && !refused_.empty())
    return Reading<Occupancy>::unavailable(refused_ + "; give an open pipe");
  return occupancy_of(since, "FIONREAD 10 Hz");
}

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
