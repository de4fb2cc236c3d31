#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "engine/observe/ring_reader.h"

namespace pipetop::observe {
namespace {

static_assert(int(SlotKind::empty) == RING_EMPTY && int(SlotKind::copy) == RING_COPY);
static_assert(int(SlotKind::user_page) == RING_USER_PAGE);
static_assert(int(SlotKind::page_cache) == RING_PAGE_CACHE);
static_assert(int(SlotKind::zero_page) == RING_ZERO_PAGE && int(SlotKind::other) == RING_OTHER);
static_assert(kSlotKinds == RING_KINDS);

std::span<const ring_slot> filled(const ring_snapshot& snapshot) {
  return {snapshot.slot, std::min<size_t>({snapshot.filled, snapshot.ring.slots, RING_SLOTS})};
}

SlotKind kind_of(const ring_slot& slot) {
  return slot.kind < RING_KINDS ? static_cast<SlotKind>(slot.kind) : SlotKind::other;
}

Slot slot_of(const ring_slot& slot) {
  // Its page was released during the copy; the other fields are stale.
  if (slot.kind == RING_EMPTY) return {};
  return {kind_of(slot), slot.huge != 0, slot.consecutive != 0,
          slot.offset,   slot.length,    slot.flags};
}

}  // namespace

Reading<RingFrame> frame_of(const ring_snapshot& snapshot) {
  RingFrame frame;
  frame.at_ns = snapshot.ring.at_ns;
  frame.slots = snapshot.ring.slots;
  frame.head = snapshot.ring.head;
  frame.tail = snapshot.ring.tail;
  frame.used = std::min(snapshot.ring.head - snapshot.ring.tail,
                        snapshot.ring.slots);  // torn by a resize at worst
  frame.readers = snapshot.ring.readers;
  frame.writers = snapshot.ring.writers;
  frame.torn = snapshot.ring.torn != 0;
  auto reading = Reading<RingFrame>::of(std::move(frame));
  if (snapshot.ring.slots > RING_SLOTS) {
    reading.reason = fmt::format("{} slots are more than the {} that can be shown",
                                 snapshot.ring.slots, int{RING_SLOTS});
    return reading;
  }
  reading.value->slot.resize(snapshot.ring.slots);
  uint32_t index = snapshot.ring.tail;
  for (const ring_slot& slot : filled(snapshot))
    reading.value->slot[index++ & (snapshot.ring.slots - 1)] = slot_of(slot);
  return reading;
}

void KindCounts::add(const ring_snapshot& snapshot) {
  for (const ring_slot& slot : filled(snapshot))
    if (slot.kind != RING_EMPTY) ++by_kind[static_cast<size_t>(kind_of(slot))];
}

Reading<std::array<double, kSlotKinds>> KindCounts::shares() const {
  using Shares = std::array<double, kSlotKinds>;
  const uint64_t sum = std::accumulate(by_kind.begin(), by_kind.end(), uint64_t{0});
  if (sum == 0) return Reading<Shares>::warming("no occupied slot seen yet");
  Shares shares{};
  for (size_t i = 0; i < shares.size(); ++i) shares[i] = double(by_kind[i]) / double(sum);
  return Reading<Shares>::of(shares);
}

}  // namespace pipetop::observe
