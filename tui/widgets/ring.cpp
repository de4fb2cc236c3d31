#include "tui/widgets/ring.h"

#include <algorithm>

#include "engine/workload/pipe/verdict.h"
#include "tui/draw/numbers.h"
#include "tui/draw/pen.h"
#include "tui/widgets/heat_map.h"
#include "tui/widgets/integrity_title.h"
#include "tui/widgets/occupancy.h"
#include "tui/widgets/ring_markers.h"
#include "tui/widgets/slot_detail.h"
#include "tui/widgets/verdict_line.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kOld_ns = 500'000'000;  // a frame that is no longer of this moment
constexpr int kMostHistogramRows = 14;

// Whether there is a look at every slot, true or not.
bool has_slots(const RingView& ring) {
  return ring.frame.has_value() && ring.frame->slots > 0 &&
         ring.frame->slot.size() >= ring.frame->slots;
}

bool is_old(const RingFrame& frame, uint64_t now_ns) { return now_ns > frame.at_ns + kOld_ns; }

void add_use(std::vector<Item>& items, const Snapshot& s) {
  const RingFrame& f = *s.ring.frame;
  if (f.torn) {
    items.push_back({{}, "torn", {}, Style::warning});
    return;
  }
  if (s.ring.slots != 0 && f.slots != s.ring.slots) return;
  const double share = f.slots ? static_cast<double>(f.used) / f.slots : 0;
  items.push_back({{}, grouped_text(f.used), "used", Style::value});
  items.push_back({{}, fmt::format("{:.0f} %", share * 100), {}, Style::value});
  if (is_old(f, s.now_ns)) {
    const bool torn = s.ring.frame.status == ReadingStatus::stale;
    const double age_s = static_cast<double>(s.now_ns - f.at_ns) / 1e9;
    items.push_back({torn ? "torn; seen" : "seen", fmt::format("{:.1f} s", age_s), "ago",
                     torn ? Style::warning : Style::dim});
  }
}

void draw_summary(const Area& area, const Snapshot& s) {
  const RingView& ring = s.ring;
  std::vector<Item> items = {{{}, grouped_text(ring.slots), "slots", Style::value},
                             {{}, bytes_text(static_cast<double>(ring.bytes)), {}, Style::value}};
  if (ring.frame.has_value()) add_use(items, s);
  flow(area.from_row(0, 1), items);
}

void put_sign(Pen& pen, const Area& area, char32_t sign, Style style, std::string_view word) {
  if (pen.room() < static_cast<int>(word.size()) + 2) return;
  area.set(0, pen.col(), sign, style);
  pen.skip(2).text(word, Style::dim).skip(2);
}

// What the slots were since the last change, and what the signs say.
void draw_legend(const Area& area, const RingView& ring, const StripLook& look) {
  if (!ring.kinds.has_value()) {
    draw_absence(area.from_row(0, 1), "kinds", ring.kinds.status, ring.kinds.reason);
    return;
  }
  Pen pen(area, 0);
  for (int i = 1; i < kSlotKinds; ++i) {
    const auto kind = static_cast<SlotKind>(i);
    const double share = (*ring.kinds)[static_cast<size_t>(i)];
    if (share < 0.0005) continue;
    const std::string_view name = name_of(kind);
    if (pen.room() < static_cast<int>(name.size()) + 9) break;
    area.set(0, pen.col(), glyph_of(kind, false, area.glyphs()), style_of(kind));
    pen.skip(2).text(name, Style::dim).skip(1);
    pen.print(Style::value, "{:.0f} %", share * 100).skip(2);
  }
  if (look.trail) {
    put_sign(pen, area, U'+', Style::good, "filled");
    put_sign(pen, area, U'-', Style::warning, "freed");
  }
  if (std::ranges::none_of(ring.frame->slot, &Slot::huge)) return;
  if (area.glyphs().set == GlyphSet::ascii) {
    if (pen.room() >= 13) pen.text("CAPITALS ", Style::plain).text("huge", Style::dim);
  } else {
    put_sign(pen, area, U'▔', Style::user_page, "huge");
  }
}

// The map with the histogram turned to stand beside it.
void draw_both(const Area& area, const Snapshot& s) {
  const int beside = std::clamp(area.cols() / 3, 18, 34);
  const Area map = area.part({0, 0, area.rows(), area.cols() - beside - 1});
  const TimeSpan span = pace_of(s) == Pace::slow_motion ? TimeSpan::finest : TimeSpan::minute;
  const int rows = draw_heat_map(map, *s.ring.history, s.throughput.marks, s.now_ns, span);
  const Area bars = area.part({0, map.cols() + 1, area.rows(), beside});
  draw_occupancy_bars(bars.from_row(0, rows), s.ring.occupancy);
  if (s.ring.occupancy.has_value())
    bars.part({rows, 0, 1, beside}).put_right(0, s.ring.occupancy->source, Style::dim);
}

void draw_picture(const Area& area, const Snapshot& s, RingPicture picture) {
  const bool map = s.ring.history && area.rows() >= kLeastHeatRows;
  if (!map || picture == RingPicture::histogram) {
    draw_occupancy(area.from_row(0, kMostHistogramRows), s.ring.occupancy);
  } else if (picture == RingPicture::both && s.ring.occupancy.has_value()) {
    draw_both(area, s);
  } else {
    const TimeSpan span = pace_of(s) == Pace::slow_motion ? TimeSpan::finest : TimeSpan::minute;
    draw_heat_map(area, *s.ring.history, s.throughput.marks, s.now_ns, span);
  }
}

void draw_pieces(const Area& area, const Snapshot& s, const ViewState& state, RingPlan plan) {
  const RingFrame& frame = *drawable_frame(s.ring);
  plan.look.dim = is_old(frame, s.now_ns);
  draw_summary(area, s);
  if (plan.markers >= 0) draw_markers(area.from_row(plan.markers, 1), frame, plan.look);
  if (plan.strip >= 0) draw_strip(area.from_row(plan.strip), frame, plan.look);
  if (plan.legend >= 0) draw_legend(area.from_row(plan.legend, 1), s.ring, plan.look);
  if (plan.detail >= 0)
    draw_slot_detail(area.from_row(plan.detail, plan.detail_rows), frame, *state.ring.inspected);
  if (plan.picture >= 0)
    draw_picture(area.from_row(plan.picture, plan.picture_rows), s, state.ring.picture);
}

// A look that failed leaves everything in its place; where there are no looks,
// the picture has what the words leave.
void draw_without_slots(const Area& area, const Snapshot& s, const ViewState& state) {
  draw_summary(area, s);
  if (has_slots(s.ring)) {
    const RingPlan plan = ring_plan(area.rows(), area.cols(), s.ring.slots, state.ring, pace_of(s));
    wrap(area.from_row(1, std::max(1, plan.picture - 1)), absent_slots(s.ring), Style::dim);
    if (plan.picture >= 0)
      draw_picture(area.from_row(plan.picture, plan.picture_rows), s, state.ring.picture);
    return;
  }
  const int last = area.rows() - (has_verdict_row(area.rows()) ? 1 : 0);
  const Area words = area.from_row(1, std::max(1, area.rows() - 2));
  int row = 1;
  if (s.ring.frame.has_value()) {
    row += wrap(words, absent_slots(s.ring), Style::dim);
  } else {
    const std::string_view reason = s.ring.frame.reason;
    row += draw_absence(words, "slots", s.ring.frame.status,
                        state.writers_list_says(reason) ? why_of(reason) : reason);
  }
  if (last - row >= 5) ++row;  // air
  draw_picture(area.from_row(row, last - row), s, state.ring.picture);
}

RingPlan plan_for(int rows, int cols, const Snapshot& s, const ViewState& state) {
  return ring_plan(rows, cols, s.ring.frame->slots, state.ring, pace_of(s));
}

}  // namespace

const RingFrame* drawable_frame(const RingView& ring) {
  if (!has_slots(ring)) return nullptr;
  const RingFrame& f = *ring.frame;
  const bool current = ring.slots == 0 || f.slots == ring.slots;
  return !f.torn && current ? &f : nullptr;
}

std::string absent_slots(const RingView& ring) {
  if (!ring.frame.has_value()) return ring.frame.reason;
  const RingFrame& f = *ring.frame;
  if (ring.slots != 0 && f.slots != ring.slots)
    return fmt::format("resized from {} slots: waiting for the next look", grouped_text(f.slots));
  if (f.torn) return "torn: both ends moved while it was read, so it is true of no instant";
  std::string text = fmt::format("tail {}  head {}", f.tail % std::max(f.slots, 1u),
                                 f.head % std::max(f.slots, 1u));
  if (!ring.frame.reason.empty()) text += "; " + ring.frame.reason;
  return text;
}

std::vector<TitlePart> ring_title(const Snapshot& s, int panel_cols, int rows) {
  const bool several = s.parts.size() > 1;
  std::vector<TitlePart> parts = {
      {several ? "ring of " + s.parts.front().name : "ring", Style::title},
      integrity_title(s.integrity, s.requested.pipe.payload)};
  if (has_verdict_row(rows) || !s.verdict.has_value()) return parts;
  parts.push_back({std::string(to_text(s.verdict->bound)), Style::plain});
  if (title_columns(parts) > title_room(panel_cols)) parts.pop_back();
  return parts;
}

void draw_ring(const Area& area, const Snapshot& s, const ViewState& state) {
  if (area.empty()) return;
  if (drawable_frame(s.ring)) {
    draw_pieces(area, s, state, plan_for(area.rows(), area.cols(), s, state));
  } else {
    draw_without_slots(area, s, state);
  }
  if (has_verdict_row(area.rows())) draw_verdict(area.from_row(area.rows() - 1), s.verdict);
}

std::optional<uint32_t> slot_at(int rows, int cols, const Snapshot& s, const ViewState& state,
                                int row, int col) {
  const RingFrame* frame = drawable_frame(s.ring);
  if (!frame) return std::nullopt;
  const RingPlan plan = plan_for(rows, cols, s, state);
  if (plan.strip < 0) return std::nullopt;
  return slot_under(*frame, plan.look, row - plan.strip, col);
}

}  // namespace pipetop::tui
