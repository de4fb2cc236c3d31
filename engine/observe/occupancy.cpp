#include "engine/observe/occupancy.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "bpf/occupancy.h"
#include "engine/base/error.h"
#include "engine/model/settings.h"

namespace pipetop::observe {
namespace {

static_assert(OCCUPANCY_BINS == kOccupancyBins);
static_assert(OCCUPANCY_SHARE_ONE == OccupancyCounts::kShareOne);

// Time in motion that no sample tells of may be this much at most.
constexpr double kMostUnseen = 0.1;

// Subtracts counters that several CPUs were writing while they were read.
uint64_t difference(uint64_t now, uint64_t before) {
  return static_cast<int64_t>(now - before) > 0 ? now - before : 0;
}

void subtract(OccupancyCounts::Time& now, const OccupancyCounts::Time& before) {
  for (size_t i = 0; i < now.ns.size(); ++i) now.ns[i] = difference(now.ns[i], before.ns[i]);
  now.share_ns = difference(now.share_ns, before.share_ns);
}

void subtract(OccupancyCounts::Motion& now, const OccupancyCounts::Motion& before) {
  now.ns = difference(now.ns, before.ns);
  subtract(now.sampled, before.sampled);
}

// Shares of the time; samples stand for all the time in motion.
struct Shares {
  std::array<double, kOccupancyBins> histogram{};
  double mean = 0;

  void add(const OccupancyCounts::Time& time, double weight) {
    for (size_t i = 0; i < histogram.size(); ++i) histogram[i] += double(time.ns[i]) * weight;
    constexpr double kUnit = (1 << OCCUPANCY_SHARE_SHIFT) / double(OccupancyCounts::kShareOne);
    mean += double(time.share_ns) * kUnit * weight;
  }
};

std::optional<Shares> shares_of(const OccupancyCounts& counts) {
  auto seen = double(counts.still.total_ns());
  double unseen = 0;
  for (const auto* motion : {&counts.one, &counts.both})
    (motion->sampled.total_ns() > 0 ? seen : unseen) += double(motion->ns);
  if (seen <= 0 || unseen > kMostUnseen * (seen + unseen)) return {};
  Shares shares;
  shares.add(counts.still, 1 / seen);
  for (const auto* motion : {&counts.one, &counts.both})
    if (const auto sampled = double(motion->sampled.total_ns()); sampled > 0)
      shares.add(motion->sampled, double(motion->ns) / (sampled * seen));
  return shares;
}

}  // namespace

uint64_t OccupancyCounts::Time::total_ns() const {
  return std::accumulate(ns.begin(), ns.end(), uint64_t{0});
}

void OccupancyCounts::Time::add(uint64_t share, uint64_t ns_of_it) {
  size_t bin = share >= kShareOne ? kOccupancyBins - 1 : 0;
  if (share > 0 && share < kShareOne)
    bin = 1 + (share * (kOccupancyBins - 2) >> OCCUPANCY_SHARE_BITS);
  ns[bin] += ns_of_it;
  share_ns += share * ns_of_it >> OCCUPANCY_SHARE_SHIFT;
}

void OccupancyCounts::add(uint32_t used, uint32_t slots, uint64_t ns) {
  if (slots == 0 || used > slots) return;
  const uint64_t share = (uint64_t{used} << OCCUPANCY_SHARE_BITS) / slots;
  const bool inside = used > 0 && used < slots;
  still.add(inside ? std::clamp<uint64_t>(share, 1, kShareOne - 1) : used > 0 ? kShareOne : 0, ns);
  ++points;
}

OccupancyCounts OccupancyCounts::since(const OccupancyCounts& before) const {
  OccupancyCounts counts = *this;
  subtract(counts.still, before.still);
  subtract(counts.one, before.one);
  subtract(counts.both, before.both);
  counts.points = difference(points, before.points);
  return counts;
}

Reading<Occupancy> occupancy_of(const OccupancyCounts& counts, const std::string& source) {
  const auto shares = shares_of(counts);
  if (!shares)
    return Reading<Occupancy>::warming(counts.both.ns > 0
                                           ? "no sample yet while writer and reader both ran"
                                           : "waiting for the first sample");
  Occupancy occupancy;
  occupancy.source = source;
  occupancy.samples = counts.points;
  occupancy.mean_share = shares->mean;
  occupancy.histogram = shares->histogram;
  occupancy.empty_share = occupancy.histogram.front();
  occupancy.full_share = occupancy.histogram.back();
  return Reading<Occupancy>::of(std::move(occupancy));
}

void FionreadOccupancy::poll(uint64_t now_ns) {
  if (now_ns < next_ns_) return;
  next_ns_ = now_ns + kInterval_ns;
  int bytes = 0;
  const int capacity = fcntl(pipe_fd_, F_GETPIPE_SZ);
  if (capacity <= 0 || ioctl(pipe_fd_, FIONREAD, &bytes) != 0) {
    refused_ = SystemError("FIONREAD", errno).what();
    return;
  }
  const auto slots = static_cast<uint32_t>(uint64_t(capacity) / kPageBytes);
  const auto used = static_cast<uint32_t>((uint64_t(bytes) + kPageBytes - 1) / kPageBytes);
  counts_.add(std::min(used, slots), slots, kInterval_ns);
}

Reading<Occupancy> FionreadOccupancy::reading(const OccupancyCounts& before) const {
  const OccupancyCounts since = counts_.since(before);
  if (since.points == 0 && !refused_.empty())
    return Reading<Occupancy>::unavailable(refused_ + "; give an open pipe");
  return occupancy_of(since, "FIONREAD 10 Hz");
}

OccupancyColumn column_of(uint64_t end_ns, const OccupancyCounts& counts) {
  OccupancyColumn column;
  column.end_ns = end_ns;
  const auto shares = shares_of(counts);
  if (!shares) return column;
  constexpr uint64_t kMost = std::numeric_limits<uint16_t>::max();
  // A ring in which nothing moved needs no point.
  const auto samples = double(std::clamp<uint64_t>(counts.points, 1, kMost));
  for (size_t i = 0; i < column.count.size(); ++i)
    column.count[i] = static_cast<uint16_t>(std::ceil(shares->histogram[i] * samples - 1e-6));
  column.samples = std::accumulate(column.count.begin(), column.count.end(), uint32_t{0});
  return column;
}

OccupancyCounts OccupancyRecorder::add(uint64_t now_ns, const OccupancyCounts& counts) {
  const OccupancyCounts column = counts.since(before_);
  const bool known = begun_ns_ != 0 && now_ns <= begun_ns_ + kLongest_ns;
  if (known) {
    auto next = history_ ? std::make_shared<OccupancyHistory>(*history_)
                         : std::make_shared<OccupancyHistory>(OccupancyHistory{kColumn_ns, {}});
    next->columns.push_back(column_of(now_ns, column));
    if (next->columns.size() > kColumns) next->columns.pop_front();
    history_ = std::move(next);
  }
  begun_ns_ = now_ns;
  before_ = counts;
  ends_.push_back({now_ns, counts});
  if (ends_.size() > kEnds) ends_.pop_front();
  return column;
}

const OccupancyCounts* OccupancyRecorder::counts_at(uint64_t from_ns) const {
  const OccupancyCounts* found = nullptr;
  for (const End& end : ends_)
    if (end.at_ns <= from_ns) found = &end.counts;
  return found;
}

}  // namespace pipetop::observe
