#include "tui/tests/fake_ring.h"

#include <algorithm>
#include <cmath>

#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kColumn_ns = 200'000'000;
constexpr size_t kColumns = 640;
constexpr uint64_t kOperation_ns = 125'000'000;
constexpr uint64_t kBefore_ns = 50'000'000'000;  // that it has been watched at the start

Occupancy invented_occupancy(bool bpf, uint64_t samples) {
  Occupancy o;
  o.source = bpf ? "switches, 999 Hz" : "FIONREAD 10 Hz";
  o.samples = samples;
  for (size_t i = 1; i + 1 < kOccupancyBins; ++i)
    o.histogram[i] = 0.35 / 32 * (1 + 0.8 * std::sin(static_cast<double>(i) / 4));
  o.histogram.front() = 0.40;
  o.histogram.back() = 0.25;
  o.empty_share = 0.40, o.full_share = 0.25, o.mean_share = 0.42;
  return o;
}

Slot invented_slot(const Settings& s, uint32_t index, bool newest) {
  Slot slot;
  const bool copy = s.pipe.write_with == WriteWith::write;
  const bool file = s.pipe.write_with == WriteWith::splice;
  slot.kind = copy ? SlotKind::copy : file ? SlotKind::page_cache : SlotKind::user_page;
  slot.huge = !copy && s.pipe.pages != Pages::k4;
  slot.consecutive = slot.huge && index % 16 != 0;
  slot.length = newest ? 2048 : 4096;
  slot.flags = s.pipe.gift && !copy ? 0x04 : copy && newest ? 0x10 : 0;
  return slot;
}

}  // namespace

double FakeRing::level(uint64_t at_ns) const {
  return 0.5 + 0.5 * std::sin(static_cast<double>(at_ns) / 4e9);
}

void FakeRing::add_columns(uint64_t now_ns, bool slow) {
  auto next = std::make_shared<OccupancyHistory>();
  if (history_) *next = *history_;
  next->column_ns = kColumn_ns;
  uint64_t end = next->columns.empty() ? begin_ns_ : next->columns.back().end_ns;
  if (now_ns < end + kColumn_ns) return;
  std::normal_distribution<double> spread(0, 0.12);
  for (end += kColumn_ns; end <= now_ns; end += kColumn_ns) {
    OccupancyColumn column{end, 200, {}};
    for (uint32_t look = 0; look < column.samples; ++look) {
      const double share = slow ? slow_share_ : level(end) * 1.2 - 0.1 + spread(random_);
      const double bin = 1 + share * (kOccupancyBins - 2);
      ++column
            .count[static_cast<size_t>(share <= 0 ? 0 : std::min(bin, double(kOccupancyBins - 1)))];
    }
    next->columns.push_back(column);
  }
  while (next->columns.size() > kColumns) next->columns.pop_front();
  history_ = std::move(next);
}

// Both make a step now and then; for a while the writer makes more of them.
void FakeRing::move_slowly(RingFrame& f, uint64_t now_ns) {
  for (; operation_ns_ + kOperation_ns <= now_ns; operation_ns_ += kOperation_ns) {
    const uint32_t used = head_ - tail_;
    if (used >= f.slots) filling_ = false;
    if (used == 0) filling_ = true;
    if (filling_ || random_() % 3 == 0) head_ += used < f.slots;
    if (!filling_ || random_() % 3 == 0) tail_ += head_ != tail_;
  }
  f.head = head_;
  f.tail = tail_;
  slow_share_ = static_cast<double>(std::min(head_ - tail_, f.slots)) / f.slots;
}

RingFrame FakeRing::frame(const RingReadings& ring, const Settings& settings, uint64_t now_ns) {
  RingFrame f;
  f.at_ns = now_ns;
  f.slots = ring.slots;
  f.readers = f.writers = 1;
  if (settings.pipe.slow_motion) {
    if (head_ - tail_ > f.slots || now_ns > operation_ns_ + 10'000'000'000)
      head_ = tail_ = 0, operation_ns_ = now_ns;
    move_slowly(f, now_ns);
  } else {
    f.tail = tail_ += static_cast<uint32_t>(random_() % 1000);
    f.head = f.tail + static_cast<uint32_t>(level(now_ns) * f.slots);
    f.torn = random_() % 3 == 0;
  }
  f.used = f.head - f.tail;
  f.slot.resize(f.slots);
  for (uint32_t i = 0; i < f.used; ++i)
    f.slot[(f.tail + i) % f.slots] = invented_slot(settings, i, i + 1 == f.used);
  return f;
}

void FakeRing::fill(RingReadings& ring, const Settings& settings, FakeMood mood, uint64_t now_ns) {
  if (begin_ns_ == 0) begin_ns_ = now_ns - std::min(now_ns, kBefore_ns);
  const uint64_t wanted = wanted_pipe_bytes(settings.pipe);
  ring.bytes = wanted == kAutoPipeSize ? 65536 : wanted;
  ring.slots = static_cast<uint32_t>(ring.bytes / kPageBytes);
  using Kinds = Reading<std::array<double, kSlotKinds>>;
  if (mood == FakeMood::no_bpf) {
    ring.frame =
        Reading<RingFrame>::unavailable("needs root; sudo pipetop, or see pipetop help privileges");
    ring.kinds = Kinds::unavailable("no frames");
  } else if (mood == FakeMood::warming) {
    ring.frame = Reading<RingFrame>::warming("first frame");
  } else if (ring.slots > 4096) {
    RingFrame ends;
    ends.at_ns = now_ns;
    ends.slots = ring.slots;
    ends.head = ends.used = ring.slots / 3;
    ring.frame = Reading<RingFrame>::of(std::move(ends));
    ring.frame.reason = "more slots than the 4096 that can be shown";
  } else {
    ring.frame = Reading<RingFrame>::of(frame(ring, settings, now_ns));
    ring.kinds = Kinds::of(settings.pipe.write_with == WriteWith::write
                               ? std::array<double, kSlotKinds>{0, 1, 0, 0, 0, 0}
                           : settings.pipe.write_with == WriteWith::splice
                               ? std::array<double, kSlotKinds>{0, .02, 0, .98, 0, 0}
                               : std::array<double, kSlotKinds>{0, .02, .98, 0, 0, 0});
  }
  ring.occupancy = Reading<Occupancy>::of(
      invented_occupancy(mood != FakeMood::no_bpf, (now_ns - begin_ns_) / 1'000'000));
  if (mood == FakeMood::warming) return;
  add_columns(now_ns, settings.pipe.slow_motion);
  ring.history = history_;
}

}  // namespace pipetop::tui
