#include "tui/widgets/ring_state.h"

#include <algorithm>
#include <cmath>

#include "tui/draw/numbers.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kMoment_ns = 400'000'000;
constexpr uint64_t kRecent_ns = 300'000'000;

constexpr uint64_t kRemembers_ns = 5'000'000'000;
constexpr uint64_t kHolds_ns = 500'000'000;

// The bin of the occupancy's histogram: empty and full have their own.
size_t bin_of(uint32_t used, uint32_t slots) {
  if (used == 0) return 0;
  if (used >= slots) return kOccupancyBins - 1;
  return 1 + static_cast<size_t>(used) * (kOccupancyBins - 2) / slots;
}

constexpr int kDetailRows = 4, kMostDetailRows = 6;
constexpr int kThickest = 3, kMostLines = 6;

// The minimum for the chart before anything else grows.
int least_picture(RingPicture picture, int rows, bool many_slots) {
  if (picture == RingPicture::heat_map) return rows < 6 ? 1 : kLeastHeatRows;
  if (picture == RingPicture::histogram || rows < 11) return rows >= 9 ? 3 : 1;
  return rows >= 18 ? 7 : kLeastHeatRows + (many_slots ? 0 : 1);
}

// Sets the strip's lines or thickness; returns the rows beyond one line and its
// underline.
int grow_strip(StripStyle& view, uint32_t slots, int cols, int rows_left) {
  const int rows = rows_left + view.line_rows();
  view.scale = strip_scale(slots, cols, std::clamp(rows / view.line_rows(), 1, kMostLines));
  if (view.scale.lines == 1) view.thickness = std::clamp(1 + rows_left, 1, kThickest);
  return view.rows() - (1 + (view.underline ? 1 : 0));
}

// Slots are a power of two, so unsigned indices wrap around correctly.
uint32_t wrapped(const RingFrame& frame, uint32_t index) { return index % frame.slots; }

uint32_t slots_a_line(const RingFrame& frame, const StripScale& scale) {
  if (scale.lines <= 1) return std::max(frame.slots / 4, 1u);
  return static_cast<uint32_t>(scale.cells_a_line * scale.slots_a_cell);
}

// Counted on around the ring.
std::optional<uint32_t> target(const RingFrame& frame, uint32_t at, Key pressed, uint32_t line) {
  switch (pressed) {
    case key::right:
      return at + 1;
    case key::left:
      return at + frame.slots - 1;
    case key::down:
    case key::page_down:
      return at + line;
    case key::up:
    case key::page_up:
      return at + frame.slots - wrapped(frame, line);
    case key::home:
      return frame.tail;
    case key::end:
      return frame.tail + std::max(frame.used, 1u) - 1;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool SlotTrail::recent(const std::vector<uint64_t>& at_ns, uint32_t index) const {
  return index < last_.slots && at_ns[index] != 0 && at_ns[index] + kMoment_ns > last_.at_ns;
}

// Free-running indices from `from` to `to`; more than a full turn is every slot.
void SlotTrail::mark(std::vector<uint64_t>& at_ns, uint32_t from, uint32_t to) {
  const uint32_t count = std::min(to - from, last_.slots);
  for (uint32_t i = 0; i < count; ++i) at_ns[(from + i) % last_.slots] = last_.at_ns;
}

void SlotTrail::update(const RingFrame& frame) {
  if (frame.torn || frame.slots == 0 || frame.at_ns == last_.at_ns) return;
  const Ends before = last_;
  last_ = {frame.at_ns, frame.slots, frame.head, frame.tail};
  // A resize restarts the indices at 0, and may keep the number of slots.
  const bool goes_on = before.slots == frame.slots && frame.head - before.head < 1u << 31 &&
                       frame.tail - before.tail < 1u << 31;
  if (!goes_on) {
    filled_ns_.assign(frame.slots, 0);
    freed_ns_.assign(frame.slots, 0);
    return;
  }
  mark(filled_ns_, before.head, frame.head);
  mark(freed_ns_, before.tail, frame.tail);
}

void RingTempo::update(const RingFrame& frame) {
  constexpr uint64_t kTenth_ns = 100'000'000, kLeast_ns = 40'000'000;
  if (frame.torn || frame.slots == 0) return;
  // A ring that was made anew begins at 0 again.
  constexpr uint32_t kBackwards = 1u << 31;
  const bool goes_on =
      slots_ == frame.slots && frame.at_ns >= at_ns_ && frame.head - head_ < kBackwards;
  if (goes_on && frame.at_ns < at_ns_ + kLeast_ns) return;
  if (goes_on) {
    const double turns = static_cast<double>(frame.head - head_) / frame.slots;
    const double at_ten_hz = static_cast<double>(frame.at_ns - at_ns_) / kTenth_ns;
    fast_ = turns > at_ten_hz * (fast_ ? 0.5 : 1);
    turn(turns, static_cast<double>(frame.at_ns - at_ns_) / 1e9);
  }
  at_ns_ = frame.at_ns;
  slots_ = frame.slots;
  head_ = frame.head;
}

// The scale changes only when the wheels would crawl, or blur.
void RingTempo::turn(double turns, double seconds) {
  const double shown_per_s = turns / slowed_ / seconds;
  if (shown_per_s > 1.5 || shown_per_s < 0.05)
    slowed_ = std::pow(10, std::max(0.0, std::ceil(std::log10(std::max(turns / seconds, 1e-9)))));
  turns_ = std::fmod(turns_ + turns / slowed_, 1);
}

void RingMemory::add_sample(const RingFrame& frame) {
  if (!samples_.empty() && samples_.back().at_ns == frame.at_ns) return;
  Sample sample{frame.at_ns,
                bin_of(frame.used, frame.slots),
                static_cast<double>(frame.used) / frame.slots,
                {},
                0};
  for (uint32_t i = 0; i < std::min(frame.used, frame.slots); ++i) {
    const uint32_t index = (frame.tail + i) % frame.slots;
    ++sample.kinds[static_cast<size_t>(kind_at(frame, index))];
    sample.huge += frame.slot[index].huge;
  }
  samples_.push_back(sample);
}

void RingMemory::sum_up(uint64_t now_ns) {
  summed_up_ns_ = now_ns;
  Occupancy occupancy;
  occupancy.samples = samples_.size();
  std::array<double, kSlotKinds> kinds{};
  double used = 0, huge = 0;
  for (const Sample& sample : samples_) {
    const double part = 1 / static_cast<double>(samples_.size());
    occupancy.histogram[sample.bin] += part;
    occupancy.mean_share += sample.used_share * part;
    for (size_t i = 0; i < kinds.size(); ++i) kinds[i] += sample.kinds[i], used += sample.kinds[i];
    huge += sample.huge;
  }
  occupancy.empty_share = occupancy.histogram.front();
  occupancy.full_share = occupancy.histogram.back();
  occupancy.source = fmt::format("frames of the last {} s", kRemembers_ns / 1'000'000'000);
  readings_.occupancy = samples_.empty() ? Reading<Occupancy>::warming("no sample yet")
                                         : Reading<Occupancy>::of(std::move(occupancy));
  usually_huge_ = used > 0 && huge > used / 2;
  for (double& share : kinds) share /= std::max(used, 1.0);
  readings_.kinds = used <= 0
                        ? Reading<std::array<double, kSlotKinds>>::warming("no slot was used yet")
                        : Reading<std::array<double, kSlotKinds>>::of(kinds);
}

void RingMemory::update(const Pipe& live, uint64_t now_ns) {
  const uint32_t slots = live.ring ? live.ring->slots : 0;
  const bool resized = slots != readings_.slots;
  if (resized) samples_.clear();
  readings_.slots = slots;
  readings_.bytes = live.capacity.value_or(0);
  readings_.frame = live.frame;
  whole_.replace_torn(readings_);
  if (const RingFrame* whole = drawable_frame(readings_)) {
    tempo_.update(*whole);
    add_sample(*whole);
  }
  while (!samples_.empty() && samples_.front().at_ns + kRemembers_ns < now_ns) samples_.pop_front();
  if (resized || now_ns >= summed_up_ns_ + kHolds_ns) sum_up(now_ns);
}

void RingState::follow(const Snapshot& shown, bool held) {
  const RingFrame* frame = drawable_frame(shown.ring);
  if (pace_of(shown) == Pace::normal)
    trail.clear();
  else if (frame)
    trail.update(*frame);
  if (frame) tempo.update(*frame);
  settled = tempo.fast() && !held && !inspected && pace_of(shown) == Pace::normal;
}

double used_share(const Occupancy& o, uint32_t slots, uint32_t place) {
  constexpr int kInner = kOccupancyBins - 2;
  if (slots == 0) return 0;
  double share = o.histogram.back();
  // The inner bins are equal parts of the ring; the one that the place lies in counts in part.
  const double at = static_cast<double>(place) / slots * kInner;
  for (int i = kInner - 1; i >= 0 && i + 1 > at; --i)
    share += o.histogram[static_cast<size_t>(i) + 1] * std::min(1.0, i + 1 - at);
  return std::clamp(share, 0.0, 1.0);
}

void WholeFrames::replace_torn(RingReadings& ring) {
  Reading<RingFrame>& frame = ring.frame;
  if (!frame.has_value()) return;
  const RingFrame& now = *frame.value;
  if (!now.torn) {
    last_ = now;
    return;
  }
  if (last_.slots == 0 || last_.slots != ring.slots) return;
  if (now.at_ns > last_.at_ns + kRecent_ns) {
    frame.status = ReadingStatus::stale;
    frame.reason = "torn: both ends moved while it was read";
  }
  frame.value = last_;
}

uint32_t index_of(const RingFrame& frame, StripOrder order, uint32_t place) {
  return (order == StripOrder::from_tail ? frame.tail + place : place) % frame.slots;
}

uint32_t place_of(const RingFrame& frame, StripOrder order, uint32_t index) {
  if (order == StripOrder::by_index) return index % frame.slots;
  return (index + frame.slots - frame.tail % frame.slots) % frame.slots;
}

bool is_used(const RingFrame& frame, uint32_t index) {
  return place_of(frame, StripOrder::from_tail, index) < frame.used;
}

SlotKind kind_at(const RingFrame& frame, uint32_t index) {
  if (!is_used(frame, index)) return SlotKind::empty;
  const SlotKind kind = frame.slot[index].kind;
  return kind == SlotKind::empty ? SlotKind::other : kind;
}

StripScale strip_scale(uint32_t slots, int cols, int max_lines) {
  StripScale scale;
  const int n = static_cast<int>(slots);
  if (n <= 0 || cols <= 0) return scale;
  if (n <= cols) {
    scale.cells_a_slot = std::min(cols / n, 8);
    scale.cells_a_line = scale.cells_a_slot * n;
    return scale;
  }
  const int room = cols * std::max(max_lines, 1);
  while (n > scale.slots_a_cell * room) scale.slots_a_cell *= 2;
  const int cells = (n + scale.slots_a_cell - 1) / scale.slots_a_cell;
  scale.lines = (cells + cols - 1) / cols;
  // Lines of equal length, and of multiples of eight if that fits.
  const int equal = (cells + scale.lines - 1) / scale.lines;
  const int eights = (equal + 7) / 8 * 8;
  scale.cells_a_line = eights <= cols ? eights : equal;
  return scale;
}

int cell_of(const StripScale& scale, uint32_t n) {
  return static_cast<int>(n) * scale.cells_a_slot / scale.slots_a_cell;
}

bool has_slots(const RingReadings& ring) {
  return ring.frame.has_value() && ring.frame->slots > 0 &&
         ring.frame->slot.size() >= ring.frame->slots;
}

const RingFrame* drawable_frame(const RingReadings& ring) {
  if (!has_slots(ring)) return nullptr;
  const RingFrame& f = *ring.frame;
  const bool current = ring.slots == 0 || f.slots == ring.slots;
  return !f.torn && current ? &f : nullptr;
}

std::string absent_slots(const RingReadings& ring) {
  if (!ring.frame.has_value()) return ring.frame.reason;
  const RingFrame& f = *ring.frame;
  if (ring.slots != 0 && f.slots != ring.slots)
    return fmt::format("resized from {} slots: waiting for the next sample", grouped_text(f.slots));
  if (f.torn) return "torn: both ends moved while it was read, so it shows no real state";
  std::string text = fmt::format("tail {}  head {}", f.tail % std::max(f.slots, 1u),
                                 f.head % std::max(f.slots, 1u));
  if (!ring.frame.reason.empty()) text += "; " + ring.frame.reason;
  return text;
}

RingLayout ring_layout(int rows, int cols, uint32_t slots, const RingState& state, Pace pace,
                       int above) {
  rows -= above - 1;
  RingLayout plan;
  plan.strip_style.selected = state.inspected;
  const bool slow = pace == Pace::slow_motion, inspecting = state.inspected.has_value();
  plan.strip_style.order = slow ? StripOrder::by_index : StripOrder::from_tail;
  if (slow) plan.strip_style.trail = &state.trail;

  int left = std::max(0, rows - 2);  // the summary, and a line of slots
  const bool many_slots = static_cast<int>(slots) > cols;
  int detail = inspecting ? std::min(kDetailRows, left) : 0;
  int picture = inspecting ? 0 : std::min(left, least_picture(state.picture, rows, many_slots));
  left -= detail + picture;
  const auto take = [&](bool wanted) { return wanted && left > 0 && left-- > 0; };
  take(has_verdict_row(rows));
  const bool legend = take(!inspecting);
  // In full flow the ends that turn; else what is in huge pages comes first.
  bool markers = !slow && take(!inspecting);
  plan.strip_style.underline = take(true);
  markers = markers || take(true);
  left -= grow_strip(plan.strip_style, slots, cols, left);
  const int more_detail = inspecting ? std::min(left, kMostDetailRows - kDetailRows) : 0;
  detail += more_detail;
  picture += left - more_detail;

  int row = above;
  const auto place = [&](int piece_rows) {
    row += piece_rows;
    return Rect{row - piece_rows, 0, piece_rows, cols};
  };
  plan.markers = place(markers);
  plan.strip = place(rows >= 2 ? plan.strip_style.rows() : 0);
  plan.legend = place(legend);
  plan.detail = place(detail);
  if (picture >= 7) ++row, --picture;  // air
  plan.picture = place(picture);
  return plan;
}

std::optional<SlotsPlace> place_slots(const Rect& inside, const RingReadings& ring,
                                      const RingState& state, Pace pace, int above) {
  const RingFrame* frame = drawable_frame(ring);
  if (!frame) return std::nullopt;
  return SlotsPlace{*frame, inside,
                    ring_layout(inside.rows, inside.cols, frame->slots, state, pace, above)};
}

std::optional<uint32_t> slot_at(const SlotsPlace& place, int row, int col) {
  const StripStyle& view = place.plan.strip_style;
  const StripScale& scale = view.scale;
  row -= place.inside.row + place.plan.strip.row;
  col -= place.inside.col + place.plan.strip.col;
  if (!Rect{0, 0, place.plan.strip.rows, scale.cells_a_line}.contains(row, col))
    return std::nullopt;
  const int cell = row / view.line_rows() * scale.cells_a_line + col;
  const auto n = static_cast<uint32_t>(cell / scale.cells_a_slot * scale.slots_a_cell);
  if (n >= place.frame.slots) return std::nullopt;
  return index_of(place.frame, view.order, n);
}

std::optional<uint32_t> slot_after(const RingFrame& frame, const StripScale& scale, uint32_t at,
                                   Key key) {
  const auto to = target(frame, wrapped(frame, at), key, slots_a_line(frame, scale));
  return to ? std::optional(wrapped(frame, *to)) : std::nullopt;
}

std::string toggle_inspection(RingState& state, const RingReadings& ring) {
  const RingFrame* frame = drawable_frame(ring);
  if (state.inspected) {
    state.inspected.reset();
    return {};
  }
  if (!frame) return "no slot to inspect: " + absent_slots(ring);
  state.inspected = frame->tail % frame->slots;
  return "arrows move between slots, Space freezes, Esc leaves";
}

bool press_slots(RingState& state, const std::optional<SlotsPlace>& place, Key key) {
  if (state.inspected && key == key::escape) {
    state.inspected.reset();
    return true;
  }
  if (!place) return false;
  const uint32_t tail = place->frame.tail % place->frame.slots;
  const auto to =
      slot_after(place->frame, place->plan.strip_style.scale, state.inspected.value_or(tail), key);
  if (to) state.inspected = state.inspected ? *to : tail;
  return to.has_value();
}

}  // namespace pipetop::tui
