#include "tui/watch/ring_memory.h"

#include <algorithm>

namespace pipetop::tui {
namespace {

constexpr uint64_t kRemembers_ns = 5'000'000'000;
constexpr uint64_t kHolds_ns = 500'000'000;

// The bin of the occupancy's histogram: empty and full have their own.
size_t bin_of(uint32_t used, uint32_t slots) {
  if (used == 0) return 0;
  if (used >= slots) return kOccupancyBins - 1;
  return 1 + static_cast<size_t>(used) * (kOccupancyBins - 2) / slots;
}

}  // namespace

void RingMemory::look_at(const RingFrame& frame) {
  if (!samples_.empty() && samples_.back().at_ns == frame.at_ns) return;
  Sample look{frame.at_ns,
              bin_of(frame.used, frame.slots),
              static_cast<double>(frame.used) / frame.slots,
              {},
              0};
  for (uint32_t i = 0; i < std::min(frame.used, frame.slots); ++i) {
    const uint32_t index = (frame.tail + i) % frame.slots;
    ++look.kinds[static_cast<size_t>(kind_at(frame, index))];
    look.huge += frame.slot[index].huge;
  }
  samples_.push_back(look);
}

void RingMemory::sum_up(uint64_t now_ns) {
  summed_up_ns_ = now_ns;
  occupancy_ = {};
  occupancy_.samples = samples_.size();
  KindShares kinds{};
  double used = 0, huge = 0;
  for (const Sample& look : samples_) {
    const double part = 1 / static_cast<double>(samples_.size());
    occupancy_.histogram[look.bin] += part;
    occupancy_.mean_share += look.used_share * part;
    for (size_t i = 0; i < kinds.size(); ++i) kinds[i] += look.kinds[i], used += look.kinds[i];
    huge += look.huge;
  }
  occupancy_.empty_share = occupancy_.histogram.front();
  occupancy_.full_share = occupancy_.histogram.back();
  usually_huge_ = used > 0 && huge > used / 2;
  if (used <= 0) {
    kinds_ = Reading<KindShares>::warming("no slot was used yet");
    return;
  }
  for (double& share : kinds) share /= used;
  kinds_ = Reading<KindShares>::of(kinds);
}

void RingMemory::update(const Pipe& live, uint64_t now_ns) {
  const uint32_t slots = live.ring ? live.ring->slots : 0;
  const bool resized = slots != slots_;
  if (resized) samples_.clear();
  slots_ = slots;
  frame_ = live.frame;
  whole_.replace_torn(frame_, slots_);
  if (const RingFrame* whole = frame()) {
    tempo_.update(*whole);
    look_at(*whole);
  }
  while (!samples_.empty() && samples_.front().at_ns + kRemembers_ns < now_ns) samples_.pop_front();
  if (resized || now_ns >= summed_up_ns_ + kHolds_ns) sum_up(now_ns);
}

}  // namespace pipetop::tui
