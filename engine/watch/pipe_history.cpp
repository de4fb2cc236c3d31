#include "engine/watch/pipe_history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

constexpr uint64_t kPatience_ns = 1'000'000'000;
constexpr double kAgree = 0.05;
constexpr size_t kSlotSizes = 20;  // samples: a second or two

// Free-running indices only go back when the ring is renumbered.
bool went_back(uint32_t before, uint32_t now) { return static_cast<int32_t>(now - before) < 0; }

bool is_renumbered(const RingCounts& before, const RingCounts& now) {
  return now.slots != before.slots || went_back(before.head, now.head) ||
         went_back(before.tail, now.tail);
}

bool differ(double a, double b, double more) {
  return std::abs(a - b) > kAgree * std::max(a, b) + more;
}

double mean_slot(uint64_t bytes, uint64_t slots) {
  return slots != 0 ? double(bytes) / double(slots) : 0;
}

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

// What slots hold changes with the writer and the reader. Those at the end of an interval stand for
// all of it; if they are only a part of it, those at its beginning do, too. A mean over a longer
// time would give many small slots the size of a few large ones before.
std::optional<double> RateEstimate::known_by_slots(const RingCounts& ring, uint32_t moved) const {
  uint64_t slots = ring.past_slots, bytes = ring.past_bytes;
  if (moved > ring.past_slots) {
    slots += last_->past_slots;
    bytes += last_->past_bytes;
  }
  if (slots != 0) return mean_slot(bytes, slots);
  return slot_sizes_.empty() ? std::nullopt : std::optional(slot_sizes_.back());
}

// True if both were counted for the same processes.
bool RateEstimate::has_sides_of(const RingCounts& ring) const {
  return begin_.sides && ring.sides && begin_.sides->holders == ring.sides->holders;
}

// Pages that splice moves count for neither side. A slot holds a byte at least; some may have been
// written between the looks at the ring and at the sides.
bool RateEstimate::may_agree(const RingCounts& ring) const {
  return has_sides_of(ring) && ring.sides->read >= begin_.sides->read &&
         double(ring.sides->written) >=
             double(begin_.sides->written) + (1 - kAgree) * double(passed_.slots);
}

// What one side wrote is what the other one read, and what is in between: it went through here.
// They are looked at one after the other, so it is their rates that are compared. Bytes that agree
// will do, too: where both have ended, a rate is of how long ago they were looked at before.
std::optional<double> RateEstimate::agreed(uint64_t at_ns, const RingCounts& ring) const {
  if (passed_.slots == 0 || !may_agree(ring)) return {};
  const auto rate = [](uint64_t bytes, uint64_t from_ns, uint64_t to_ns) {
    return double(static_cast<int64_t>(bytes)) / double(std::max(to_ns, from_ns + 1) - from_ns);
  };
  const SideBytes &then = *begin_.sides, &now = *ring.sides;
  const double written = rate(now.written - then.written, then.written_ns, now.written_ns);
  const double read = rate(now.read - then.read, then.read_ns, now.read_ns) +
                      rate(ring.queued_bytes - begin_.queued, begin_.at_ns, at_ns);
  // What is queued may have been read by the time that the readers were looked at.
  const double queued = rate(std::max(ring.queued_bytes, begin_.queued), begin_.at_ns, at_ns);
  const auto [put, taken] = by_sides(ring);
  if (differ(written, read, queued) && differ(put, taken, 0)) return {};
  // A long call counts when it returns: what the slots held lies between the two then.
  if (passed_.unknown != 0 || passed_.by_slots > std::max(put, taken)) return put;
  return std::max(passed_.by_slots, std::min(put, taken));
}

// What the sides had moved when the ring was looked at, if these bytes were all. They are looked at
// a little later, and what they move in between would be missing from the next stretch.
std::optional<SideBytes> RateEstimate::sides_after(uint64_t at_ns, const RingCounts& ring,
                                                   double bytes) const {
  if (!may_agree(ring)) return ring.sides;
  SideBytes sides = *ring.sides;
  const auto put = static_cast<uint64_t>(bytes);
  const uint64_t taken = begin_.queued + put - std::min(begin_.queued + put, ring.queued_bytes);
  sides.written = std::min(sides.written, begin_.sides->written + put);
  sides.read = std::min(sides.read, begin_.sides->read + taken);
  sides.written_ns = sides.read_ns = at_ns;
  return sides;
}

RateEstimate::Through RateEstimate::by_sides(const RingCounts& ring) const {
  const SideBytes &then = *begin_.sides, &now = *ring.sides;
  return {double(now.written - then.written),
          double(now.read - then.read) + double(ring.queued_bytes) - double(begin_.queued)};
}

// As far as they agree.
EstimateRange RateEstimate::range_by_sides(const RingCounts& ring, double bytes) const {
  const auto [put, taken] = by_sides(ring);
  return {std::min({put, taken, bytes}) / bytes, std::max({put, taken, bytes}) / bytes};
}

EstimateRange RateEstimate::range_by_slots() const {
  if (slot_sizes_.empty()) return {};
  const auto [least, most] = std::ranges::minmax(slot_sizes_);
  const double mean =
      std::accumulate(slot_sizes_.begin(), slot_sizes_.end(), 0.0) / double(slot_sizes_.size());
  return {least / mean, most / mean};
}

std::optional<EstimateRange> RateEstimate::range() const {
  if (!settled_ || bytes_ <= 0) return {};
  return EstimateRange{least_ / bytes_, most_ / bytes_};
}

void RateEstimate::settle(uint64_t at_ns, const RingCounts& ring, double bytes,
                          const EstimateRange& range, const std::optional<SideBytes>& sides) {
  bytes_ += bytes;
  least_ += range.low * bytes;
  most_ += range.high * bytes;
  settled_ = true;
  earlier_ = passed_ = {};
  begin_ = {at_ns, ring.queued_bytes, sides};
}

// The slots that can be seen are a sample, and a bad one where many small slots come between a few
// large ones: a writer of single bytes fills a slot while its reader is away, and thousands
// otherwise. Even where all that passed are seen, older ones are among them. So the sides are
// asked first, and, unless all were seen, waited for until they agree: one long write counts when
// it returns, and would be more than passed in that time. They can be missing for a while: a
// process may write to another pipe, too.
void RateEstimate::decide(uint64_t at_ns, const RingCounts& ring, uint32_t moved) {
  const bool all_seen = earlier_.slots == 0 && passed_.slots == moved && moved <= ring.past_slots;
  const bool may_wait = at_ns < moves_since_ns_ + kPatience_ns;
  const bool stands = moved == 0 && !ring.sides;
  if (const auto through = agreed(at_ns, ring)) {
    agreed_slot_bytes_ = *through / double(passed_.slots);
    disagree_ = false;
    const bool has_more = *through < double(ring.sides->written - begin_.sides->written);
    settle(at_ns, ring, *through + double(earlier_.slots) * *agreed_slot_bytes_,
           range_by_sides(ring, *through),
           has_more ? sides_after(at_ns, ring, *through) : ring.sides);
  } else if (all_seen) {
    settle(at_ns, ring, passed_.by_slots, {}, sides_after(at_ns, ring, passed_.by_slots));
  } else if (may_wait && !stands && !has_sides_of(ring) && (ring.sides || agreed_slot_bytes_)) {
    earlier_.slots += passed_.slots;
    earlier_.by_slots += passed_.by_slots;
    earlier_.unknown += passed_.unknown;
    passed_ = {};
    begin_ = {at_ns, ring.queued_bytes, ring.sides};
  } else if (!(may_wait && (stands || may_agree(ring))) && passed_.unknown == 0) {
    agreed_slot_bytes_.reset();
    disagree_ = true;
    settle(at_ns, ring, earlier_.by_slots + passed_by_slots(ring), range_by_slots(), ring.sides);
  }
}

void RateEstimate::pass(const RingCounts& ring, uint32_t moved) {
  passed_.slots += moved;
  passed_.unknown += std::exchange(earlier_.unknown, 0);
  if (const auto bytes = known_by_slots(ring, moved)) {
    passed_.by_slots += (double(passed_.unknown) + moved) * *bytes;
    passed_.unknown = 0;
  } else {
    passed_.unknown += moved;
  }
}

// No more than either side says that it moved: slots are not always as full as they were. Pages
// that splice moves count for neither, until the sides have disagreed for a while.
double RateEstimate::most_passed(const RingCounts& ring) const {
  if (!has_sides_of(ring)) return std::numeric_limits<double>::infinity();
  const auto more = [](uint64_t now, uint64_t then) { return now - std::min(now, then); };
  const SideBytes &then = *begin_.sides, &now = *ring.sides;
  return double(
      std::max(more(now.written, then.written), more(now.read, then.read) + ring.queued_bytes));
}

double RateEstimate::passed_by_slots(const RingCounts& ring) const {
  return may_agree(ring) ? std::min(passed_.by_slots, most_passed(ring)) : passed_.by_slots;
}

// What is not settled yet counts as before.
void RateEstimate::report() {
  const uint64_t slots = earlier_.slots + passed_.slots;
  if (!settled_ && (slots != 0 || slot_sizes_.empty())) return reported_.reset();
  double rest = 0;
  if (agreed_slot_bytes_)
    rest = double(earlier_.slots) * *agreed_slot_bytes_ +
           std::min(double(passed_.slots) * *agreed_slot_bytes_, most_passed(*last_));
  if (disagree_) rest = earlier_.by_slots + passed_by_slots(*last_);
  reported_ = std::max(reported_.value_or(0), bytes_ + rest);
}

void RateEstimate::add(uint64_t at_ns, const RingCounts& ring) {
  if (ring.past_slots != 0) {
    if (slot_sizes_.size() == kSlotSizes) slot_sizes_.erase(slot_sizes_.begin());
    slot_sizes_.push_back(mean_slot(ring.past_bytes, ring.past_slots));
  }
  if (!last_) {
    begin_ = {at_ns, ring.queued_bytes, ring.sides};
  } else if (is_renumbered(*last_, ring)) {
    const bool knew = settled_ || earlier_.by_slots + passed_.by_slots > 0;
    settle(at_ns, ring, earlier_.by_slots + passed_.by_slots, range_by_slots(), ring.sides);
    settled_ = knew;
  } else {
    const uint32_t moved = ring.head - last_->head;
    if (earlier_.slots + passed_.slots == 0) moves_since_ns_ = at_ns;
    if (moved != 0) pass(ring, moved);
    if (earlier_.slots + passed_.slots != 0)
      decide(at_ns, ring, moved);
    else if (ring.sides)
      begin_ = {at_ns, ring.queued_bytes, ring.sides};  // meanwhile they did something else
  }
  last_ = ring;
  report();
}

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
  samples_.push_back({at_ns, static_cast<float>(fill.used), fill.empty, fill.full, fill.peer_full});
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

double RingSampleLog::peer_full_share() const {
  const auto full = std::ranges::count_if(samples_, &Sample::peer_full);
  return samples_.empty() ? 0 : double(full) / double(samples_.size());
}

void PipeHistory::add_sample(const ScannedPipe& pipe, uint64_t window_ns, bool writer_waits) {
  if (pipe.at_ns <= sampled_ns_) return;
  sampled_ns_ = pipe.at_ns;
  const std::optional<RingFill> fill = fill_of(pipe, writer_waits);
  fill_ = fill ? std::optional(fill->used) : std::nullopt;
  if (pipe.ring) estimate(pipe);
  if (pipe.socket) take_count(pipe);
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

// Of a connection that was there before, from the first sample on.
void PipeHistory::take_count(const ScannedPipe& pipe) {
  is_unix_ = !pipe.socket->tcp;
  if (!pipe.socket->bytes) return;
  const uint64_t before = by_kernel_.value_or(made_after_ns_ ? 0 : *pipe.socket->bytes);
  by_kernel_ = *pipe.socket->bytes;
  advance(pipe.at_ns, double(*by_kernel_ - std::min(before, *by_kernel_)));
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
  if (exact() || by_kernel_) return;
  if (!bytes) {
    if (total_ == 0) total_.reset();  // nothing was seen to move, but who knows now
    return recent_.clear();
  }
  advance(at_ns, double(*bytes));
}

Reading<double> PipeHistory::bytes_per_s() const {
  if (is_uncounted())
    return Reading<double>::warming("data moves, but no system call has returned a count yet");
  if (is_unix_ && !exact())
    return Reading<double>::unavailable(
        "the kernel doesn't count the bytes of unix sockets; x counts them, --exact too");
  if (const auto rate = recent_.per_s()) return Reading<double>::of(*rate);
  return Reading<double>::warming(total_ ? "too few samples yet" : "no data yet");
}

std::optional<uint64_t> PipeHistory::total_bytes() const {
  if (!total_ || is_uncounted()) return {};
  return static_cast<uint64_t>(std::llround(*total_));
}

std::optional<EstimateRange> PipeHistory::range() const {
  if (exact() || !total_) return {};
  return estimate_.range();
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
  if (pipe.socket) {
    const SocketLink& socket = *pipe.socket;
    const double used = socket.memory == 0 ? 0 : double(socket.used) / double(socket.memory);
    const bool full = writer_waits || socket.full;
    return RingFill{std::min(1.0, used), socket.empty, full, socket.peer_full};
  }
  if (!pipe.queued || pipe.capacity.value_or(0) == 0) return {};
  const bool full = writer_waits || *pipe.queued + kPipeBuf > *pipe.capacity;
  const double used = std::min(1.0, double(*pipe.queued) / double(*pipe.capacity));
  return RingFill{full ? 1 : used, !full && *pipe.queued == 0, full};
}

}  // namespace pipetop
