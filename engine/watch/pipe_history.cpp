#include "engine/watch/pipe_history.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

constexpr uint64_t kRecent_ns = kSecond;
// Many writers come in bursts, a tenth of a second apart.
constexpr uint64_t kLeastRate_ns = 300 * kMs;
constexpr uint64_t kSample_ns = 90 * kMs;
constexpr uint64_t kPoint_ns = 100 * kMs;
constexpr uint64_t kHistory_ns = 120 * kSecond;

void shorten(Series<RatePoint>& points, uint64_t now_ns) {
  while (!points.empty() && points.front().at_ns + kHistory_ns < now_ns) points.pop_front();
}

}  // namespace

void RecentRate::add(uint64_t at_ns, double total) {
  if (!points_.empty() && at_ns <= points_.back().at_ns) return;
  points_.push_back({at_ns, total});
  size_t old = 0;
  while (old + 2 < points_.size() && points_[old + 1].at_ns + kRecent_ns <= at_ns) ++old;
  points_.erase(points_.begin(), points_.begin() + static_cast<ptrdiff_t>(old));
}

std::optional<double> RecentRate::per_s() const {
  if (points_.empty() || points_.back().at_ns < points_.front().at_ns + kLeastRate_ns) return {};
  const double seconds = double(points_.back().at_ns - points_.front().at_ns) / double(kSecond);
  return (points_.back().total - points_.front().total) / seconds;
}

void RingSampleLog::add(uint64_t at_ns, uint64_t window_ns, const RingFill& fill) {
  samples_.push_back({at_ns, static_cast<float>(fill.used), fill.empty, fill.full});
  const auto first = std::ranges::find_if(
      samples_, [&](const Sample& sample) { return sample.at_ns + window_ns >= at_ns; });
  samples_.erase(samples_.begin(), first);
}

std::optional<RingLevel> RingSampleLog::shares() const {
  if (samples_.empty()) return {};
  RingLevel shares;
  for (const Sample& sample : samples_) {
    shares.mean_share += double(sample.used);
    shares.empty_share += sample.empty;
    shares.full_share += sample.full;
  }
  shares.samples = samples_.size();
  const auto samples = static_cast<double>(shares.samples);
  shares.mean_share /= samples;
  shares.empty_share /= samples;
  shares.full_share /= samples;
  return shares;
}

void PipeHistory::add_sample(const ScannedPipe& pipe, uint64_t window_ns, bool writer_waits) {
  if (pipe.at_ns <= sampled_ns_) return;
  sampled_ns_ = pipe.at_ns;
  const std::optional<RingFill> fill = fill_of(pipe, writer_waits);
  fill_ = fill ? std::optional(fill->used) : std::nullopt;
  if (pipe.ring) estimate(pipe);
  if (fill && pipe.at_ns >= counted_sample_ns_ + kSample_ns) {
    counted_sample_ns_ = pipe.at_ns;
    samples_.add(pipe.at_ns, window_ns, *fill);
  }
  add_point(pipe.at_ns);
}

void PipeHistory::estimate(const ScannedPipe& pipe) {
  if (!first_head_) {
    first_head_ = pipe.ring->head;
    if (made_after_ns_) {
      RingCounts made;
      made.slots = pipe.ring->slots;
      first_head_ = made.head;
      estimate_.add(pipe.at_ns - 1, made);
    }
  }
  estimate_.add(pipe.at_ns, *pipe.ring);
  head_ = pipe.ring->head;
  if (exact() && !uncounted_from_) uncounted_from_ = head_;
  // A resize renumbers the ring: what moved in this interval is not known.
  if (const uint32_t before = std::exchange(slots_, pipe.ring->slots);
      before != 0 && before != slots_) {
    if (!exact()) {
      recent_.clear();
      point_total_.reset();
    }
    if (uncounted_from_) uncounted_from_ = head_;
  }
  moved_ = moved_ || pipe.ring->head != *first_head_;
  const std::optional<double> total = estimate_.total_bytes();
  if (!total && exact()) return;
  if (!total && moved_) {  // how much, nobody knows
    total_.reset();
    return recent_.clear();
  }
  if (!total) return advance(pipe.at_ns, 0);  // whatever a slot of it would hold
  const double bytes = std::max(0.0, *total - estimated_.value_or(0));
  estimated_ = total;
  if (!exact()) advance(pipe.at_ns, bytes);
}

void PipeHistory::advance(uint64_t at_ns, double bytes) {
  total_ = total_.value_or(0) + bytes;
  recent_.add(at_ns, *total_);
}

void PipeHistory::count(uint64_t at_ns, uint64_t bytes, bool all) {
  if (!counted_) {
    recent_.clear();
    total_ = all ? double(bytes) : std::max(total_.value_or(0), double(bytes));
    counted_ = bytes;
    if (all) uncounted_from_ = 0;  // else where the next sample finds it
  }
  advance(at_ns, double(bytes - std::min(bytes, std::exchange(*counted_, bytes))));
}

void PipeHistory::stop_counting() {
  if (!counted_) return;
  counted_.reset();
  uncounted_from_.reset();
  recent_.clear();
}

void PipeHistory::add(uint64_t at_ns, std::optional<uint64_t> bytes) {
  if (exact()) return;
  if (!bytes) return recent_.clear();
  advance(at_ns, double(*bytes));
}

Reading<double> PipeHistory::bytes_per_s() const {
  if (is_uncounted())
    return Reading<double>::warming("data moves, but no system call has returned a count yet");
  if (const auto rate = recent_.per_s()) return Reading<double>::of(*rate);
  return Reading<double>::warming(total_ ? "too few samples yet" : "no data yet");
}

std::optional<uint64_t> PipeHistory::total_bytes() const {
  if (!total_ || is_uncounted()) return {};
  return static_cast<uint64_t>(std::llround(*total_));
}

Reading<RingLevel> PipeHistory::shares() const {
  if (const auto shares = samples_.shares()) return Reading<RingLevel>::of(*shares);
  return Reading<RingLevel>::warming("no sample yet");
}

void PipeHistory::track() {
  if (!history_) history_ = std::make_unique<PipeCurves>();
}

void PipeHistory::add_point(uint64_t at_ns) {
  if (!history_ || at_ns < point_ns_ + kPoint_ns) return;
  auto& [rates, fill] = *history_;
  if (total_ && point_total_)
    rates.push_back(
        {at_ns, (*total_ - *point_total_) * double(kSecond) / double(at_ns - point_ns_)});
  if (fill_) fill.push_back({at_ns, *fill_});
  point_total_ = total_;
  point_ns_ = at_ns;
  shorten(rates, at_ns);
  shorten(fill, at_ns);
}

namespace {

// A write of so much is not split, and waits until there is room for all of it.
constexpr uint64_t kPipeBuf = 4096;

}  // namespace

std::optional<RingFill> fill_of(const ScannedPipe& pipe, bool writer_waits) {
  if (pipe.ring && pipe.ring->slots > 0) {
    const RingCounts& ring = *pipe.ring;
    return RingFill{std::min(1.0, double(ring.used()) / double(ring.slots)), ring.used() == 0,
                    ring.used() >= ring.slots};
  }
  if (!pipe.queued || pipe.capacity.value_or(0) == 0) return {};
  const bool full = writer_waits || *pipe.queued + kPipeBuf > *pipe.capacity;
  const double used = std::min(1.0, double(*pipe.queued) / double(*pipe.capacity));
  return RingFill{full ? 1 : used, !full && *pipe.queued == 0, full};
}

}  // namespace pipetop
