#include "engine/observe/occupancy.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "engine/error.h"

namespace pipetop::observe {
namespace {

// Of the looks of the most regular CPU.
constexpr uint64_t kSteadyPercent = 95;

void subtract(OccupancyCounts& counts, const OccupancyCounts& earlier) {
  counts.used_sum -= earlier.used_sum;
  for (size_t i = 0; i < counts.bins.size(); ++i) counts.bins[i] -= earlier.bins[i];
}

}  // namespace

uint64_t OccupancyCounts::looks() const {
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

OccupancyCounts steady_looks(const std::vector<OccupancyCounts>& now,
                             const std::vector<OccupancyCounts>& before) {
  std::vector<OccupancyCounts> by_cpu = now;
  uint64_t most = 0;
  for (size_t cpu = 0; cpu < by_cpu.size(); ++cpu) {
    if (cpu < before.size()) subtract(by_cpu[cpu], before[cpu]);
    most = std::max(most, by_cpu[cpu].looks());
  }
  OccupancyCounts sum;
  for (const OccupancyCounts& counts : by_cpu)
    if (counts.looks() * 100 >= most * kSteadyPercent) sum.add(counts);
  return sum;
}

Reading<Occupancy> occupancy_of(const OccupancyCounts& counts, const std::string& source) {
  const uint64_t looks = counts.looks();
  if (looks == 0) return Reading<Occupancy>::warming("waiting for the first look");
  const double one = 1.0 / double(looks);
  Occupancy occupancy;
  occupancy.source = source;
  occupancy.samples = looks;
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
  if (counts_.looks() == 0 && !refused_.empty())
    return Reading<Occupancy>::unavailable(refused_ + "; give an open pipe");
  return occupancy_of(counts_, "FIONREAD 10 Hz");
}

}  // namespace pipetop::observe
