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
  return {snapshot.slot, std::min<size_t>(snapshot.filled, RING_SLOTS)};
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
  frame.at_ns = snapshot.at_ns;
  frame.slots = snapshot.slots;
  frame.head = snapshot.head;
  frame.tail = snapshot.tail;
  frame.used =
      std::min(snapshot.head - snapshot.tail, snapshot.slots);  // torn by a resize at worst
  frame.readers = snapshot.readers;
  frame.writers = snapshot.writers;
  frame.torn = snapshot.torn != 0;
  auto reading = Reading<RingFrame>::of(std::move(frame));
  if (snapshot.slots > RING_SLOTS) {
    reading.reason = fmt::format("{} slots are more than the {} that can be shown", snapshot.slots,
                                 int{RING_SLOTS});
    return reading;
  }
  reading.value->slot.resize(snapshot.slots);
  uint32_t index = snapshot.tail;
  for (const ring_slot& slot : filled(snapshot))
    reading.value->slot[index++ & (snapshot.slots - 1)] = slot_of(slot);
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
