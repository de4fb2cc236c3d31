#include "engine/watch/rate_estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pipetop {
namespace {

constexpr uint64_t kPatience_ns = 1'000'000'000;
constexpr double kAgree = 0.05;

// Free-running indices only go back when the ring is renumbered.
bool went_back(uint32_t before, uint32_t now) { return static_cast<int32_t>(now - before) < 0; }

bool is_renumbered(const RingCounts& before, const RingCounts& now) {
  return now.slots != before.slots || went_back(before.head, now.head) ||
         went_back(before.tail, now.tail);
}

double mean_slot(uint64_t bytes, uint64_t slots) {
  return slots != 0 ? double(bytes) / double(slots) : 0;
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
  return slots != 0 ? std::optional(mean_slot(bytes, slots)) : slot_bytes_;
}

// True if both were counted for the same processes.
bool RateEstimate::has_sides_of(const RingCounts& ring) const {
  return begin_.sides && ring.sides && begin_.sides->holders == ring.sides->holders;
}

// Pages that splice moves count for neither side. A slot holds a byte at least.
bool RateEstimate::may_agree(const RingCounts& ring) const {
  return has_sides_of(ring) && ring.sides->written >= begin_.sides->written + passed_.slots &&
         ring.sides->read >= begin_.sides->read;
}

// What one side wrote is what the other one read, and what is in between: it went through here.
// They are looked at one after the other, so it is their rates that are compared.
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
  if (std::abs(written - read) > kAgree * std::max(written, read) + queued) return {};
  return double(now.written - then.written);  // what is counted too early is not counted again
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

void RateEstimate::settle(uint64_t at_ns, const RingCounts& ring, double bytes) {
  bytes_ += bytes;
  settled_ = true;
  earlier_ = passed_ = {};
  begin_ = {at_ns, ring.queued_bytes, ring.sides};
}

// The slots that can be seen are a sample, and a bad one where many small slots come between a few
// large ones: a writer of single bytes fills a slot while its reader is away, and thousands
// otherwise. So the sides are asked, and waited for until they agree. They can be missing for a
// while: a process may write to another pipe, too.
void RateEstimate::decide(uint64_t at_ns, const RingCounts& ring, uint32_t moved) {
  const bool all_seen = earlier_.slots == 0 && passed_.slots == moved && moved <= ring.past_slots;
  const bool may_wait = at_ns < moves_since_ns_ + kPatience_ns;
  const bool stands = moved == 0 && !ring.sides;
  if (const auto through = agreed(at_ns, ring)) {
    agreed_slot_bytes_ = *through / double(passed_.slots);
    disagree_ = false;
    settle(at_ns, ring, *through + double(earlier_.slots) * *agreed_slot_bytes_);
  } else if (all_seen) {
    const auto sides = sides_after(at_ns, ring, passed_.by_slots);
    settle(at_ns, ring, passed_.by_slots);
    begin_.sides = sides;
  } else if (may_wait && !stands && !has_sides_of(ring) && (ring.sides || agreed_slot_bytes_)) {
    earlier_.slots += passed_.slots;
    earlier_.by_slots += passed_.by_slots;
    earlier_.unknown += passed_.unknown;
    passed_ = {};
    begin_ = {at_ns, ring.queued_bytes, ring.sides};
  } else if (!(may_wait && (stands || may_agree(ring))) && passed_.unknown == 0) {
    agreed_slot_bytes_.reset();
    disagree_ = true;
    settle(at_ns, ring, earlier_.by_slots + passed_.by_slots);
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
double RateEstimate::most_passed() const {
  if (!has_sides_of(*last_)) return std::numeric_limits<double>::infinity();
  const auto more = [](uint64_t now, uint64_t then) { return now - std::min(now, then); };
  const SideBytes &then = *begin_.sides, &now = *last_->sides;
  return double(
      std::max(more(now.written, then.written), more(now.read, then.read) + last_->queued_bytes));
}

// What is not settled yet counts as before.
void RateEstimate::report() {
  const uint64_t slots = earlier_.slots + passed_.slots;
  if (!settled_ && (slots != 0 || !slot_bytes_)) return reported_.reset();
  double rest = 0;
  if (agreed_slot_bytes_)
    rest = double(earlier_.slots) * *agreed_slot_bytes_ +
           std::min(double(passed_.slots) * *agreed_slot_bytes_, most_passed());
  if (disagree_) rest = earlier_.by_slots + passed_.by_slots;
  reported_ = std::max(reported_.value_or(0), bytes_ + rest);
}

void RateEstimate::add(uint64_t at_ns, const RingCounts& ring) {
  if (ring.past_slots != 0) slot_bytes_ = mean_slot(ring.past_bytes, ring.past_slots);
  if (!last_) {
    begin_ = {at_ns, ring.queued_bytes, ring.sides};
  } else if (is_renumbered(*last_, ring)) {
    const bool knew = settled_ || earlier_.by_slots + passed_.by_slots > 0;
    settle(at_ns, ring, earlier_.by_slots + passed_.by_slots);
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

}  // namespace pipetop
