#include "tui/widgets/ring.h"

#include <algorithm>
#include <cmath>

#include "engine/workload/pipe/verdict.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kOld_ns = 500'000'000;  // the age of a stale frame
constexpr int kMostHistogramRows = 14;

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

// Nothing that is said of a settled ring is of one instant.
void draw_summary(const Area& area, const Snapshot& s, bool settled = false) {
  const RingReadings& ring = s.ring;
  std::vector<Item> items = {{{}, grouped_text(ring.slots), "slots", Style::value},
                             {{}, bytes_text(static_cast<double>(ring.bytes)), {}, Style::value}};
  if (settled)
    items.push_back(
        {"on average", whole_percent_text(ring.occupancy->mean_share), "used", Style::value});
  else if (ring.frame.has_value())
    add_use(items, s);
  put_items(area.from_row(0, 1), items);
}

void put_sign(Pen& pen, const Area& area, char32_t sign, Style style, std::string_view word) {
  if (pen.room() < static_cast<int>(word.size()) + 2) return;
  area.set(0, pen.col(), sign, style);
  pen.skip(2).text(word, Style::dim).skip(2);
}

// The signs of the kinds with their shares, which is also the legend.
void draw_kinds(const Area& area, const Reading<KindShares>& kinds, const StripStyle& view,
                const RingFrame& frame, bool huge) {
  if (!kinds.has_value()) {
    draw_absence(area, "kinds", kinds.status, kinds.reason);
    return;
  }
  Pen pen(area, 0);
  if (std::ranges::any_of(frame.slot, &Slot::rewritten))
    put_sign(pen, area, rewritten_glyph(area.glyphs()), Style::error, "rewritten");
  for (int i = 1; i < kSlotKinds; ++i) {
    const auto kind = static_cast<SlotKind>(i);
    const double share = (*kinds)[static_cast<size_t>(i)];
    if (share < 0.0005) continue;
    const std::string_view name = name_of(kind);
    if (pen.room() < static_cast<int>(name.size()) + 9) break;
    area.set(0, pen.col(), glyph_of(kind, false, area.glyphs()), style_of(kind));
    pen.skip(2).text(name, Style::dim).skip(1);
    pen.text(fmt::format("{:.0f} %", share * 100), Style::value).skip(2);
  }
  if (view.trail) {
    put_sign(pen, area, U'+', Style::good, "filled");
    put_sign(pen, area, U'-', Style::warning, "freed");
  }
  if (!huge) return;
  if (area.glyphs().set == GlyphSet::ascii) {
    if (pen.room() >= 13) pen.text("CAPITALS ", Style::plain).text("huge", Style::dim);
  } else {
    put_sign(pen, area, U'▔', Style::user_page, "huge");
  }
}

// Above the strip of a settled ring.
void put_what_is_grey(const Area& area) {
  for (const std::string_view text :
       {"grey: used less than half of the time; Space shows one instant",
        "grey: used less than half the time", "grey: less than half"}) {
    if (columns_of(text) > area.cols()) continue;
    area.put(0, 0, text, Style::dim);
    return;
  }
}

int draw_map(const Area& area, const Snapshot& s) {
  const TimeSpan span = pace_of(s) == Pace::slow_motion ? TimeSpan::finest : TimeSpan::minute;
  return draw_heat_map(area, *s.ring.history, s.throughput.marks, s.now_ns, span);
}

// The map with the histogram rotated beside it.
void draw_both(const Area& area, const Snapshot& s) {
  const int beside = std::clamp(area.cols() / 3, 18, 34);
  const Area map = area.part({0, 0, area.rows(), area.cols() - beside - 1});
  const int rows = draw_map(map, s);
  const Area bars = area.part({0, map.cols() + 1, area.rows(), beside});
  draw_occupancy_bars(bars.from_row(0, rows), s.ring.occupancy);
  if (s.ring.occupancy.has_value())
    bars.part({rows, 0, 1, beside}).put_right(0, s.ring.occupancy->source, Style::dim);
}

void draw_picture(const Area& area, const Snapshot& s, RingPicture picture) {
  const bool map = s.ring.history && area.rows() >= kLeastHeatRows;
  // Why there is none, above.
  const bool said = s.ring.occupancy.status == ReadingStatus::unavailable &&
                    s.ring.occupancy.reason == s.ring.frame.reason;
  if (!map || picture == RingPicture::histogram) {
    if (!said) draw_occupancy(area.from_row(0, kMostHistogramRows), s.ring.occupancy);
  } else if (picture == RingPicture::both && s.ring.occupancy.has_value()) {
    draw_both(area, s);
  } else {
    draw_map(area, s);
  }
}

void draw_pieces(const Area& area, const Snapshot& s, const RingState& state, RingLayout plan) {
  const RingReadings& ring = s.ring;
  const RingFrame& frame = *drawable_frame(ring);
  plan.strip_style.dim = is_old(frame, s.now_ns);
  const bool settled = state.settled && ring.occupancy.has_value() && ring.kinds.has_value();
  draw_summary(area, s, settled);
  draw_slots(area, plan,
             {.frame = frame,
              .kinds = ring.kinds,
              .settled = settled ? &*ring.occupancy : nullptr,
              .huge = s.effective.pipe.huge.value.value_or(false)});
  draw_picture(area.part(plan.picture), s, state.picture);
}

// A failed snapshot leaves everything in place; without snapshots, the chart gets
// the room below the reason.
void draw_without_slots(const Area& area, const Snapshot& s, const RingState& state,
                        bool remedy_said) {
  draw_summary(area, s);
  if (has_slots(s.ring)) {
    const RingLayout plan = ring_layout(area.rows(), area.cols(), s.ring.slots, state, pace_of(s));
    const int text_rows = plan.picture.empty() ? 1 : plan.picture.row - 1;
    wrap(area.from_row(1, text_rows), absent_slots(s.ring), Style::dim);
    return draw_picture(area.part(plan.picture), s, state.picture);
  }
  const int last = area.rows() - (has_verdict_row(area.rows()) ? 1 : 0);
  const Area text = area.from_row(1, std::max(1, area.rows() - 2));
  int row = 1;
  if (s.ring.frame.has_value()) {
    row += wrap(text, absent_slots(s.ring), Style::dim);
  } else {
    const std::string_view reason = s.ring.frame.reason;
    row += draw_absence(text, "slots", s.ring.frame.status, remedy_said ? why_of(reason) : reason);
  }
  if (last - row >= 5) ++row;  // air
  draw_picture(area.from_row(row, last - row), s, state.picture);
}

// The reason, dimmed, while there is none.
void draw_verdict(const Area& area, const Reading<Verdict>& verdict) {
  if (!verdict.has_value()) {
    const std::string reason = verdict.reason.empty() ? "…" : verdict.reason;
    area.put(0, 0, whole_clauses("no verdict: " + reason, area.cols()), Style::dim);
    return;
  }
  const bool stale = verdict.status == ReadingStatus::stale;
  const std::string name = std::string(to_text(verdict->bound)) + ": ";
  const int col = area.put_fitted(0, 0, area.cols(), name, stale ? Style::dim : Style::title);
  area.put(0, col, whole_clauses(verdict->because, area.cols() - col),
           stale ? Style::dim : Style::plain);
}

}  // namespace

TitlePart integrity_title(const Reading<Integrity>& integrity, Payload payload) {
  if (payload != Payload::stamped) return {};
  if (integrity.status == ReadingStatus::unavailable)
    return {integrity.reason.substr(0, integrity.reason.find("; ")), Style::warning};
  if (!integrity.has_value()) return {"no page verified yet", Style::dim};
  const Integrity& i = *integrity;
  const bool stale = integrity.status == ReadingStatus::stale;
  if (i.damages()) return {damage_text(*i.wrong_share), Style::error};
  const uint64_t wrong = i.misplaced + i.torn + i.unstamped;
  if (wrong == 0)
    return {grouped_text(i.verified) + " pages verified", stale ? Style::dim : Style::good};
  const std::string text =
      wrong == 1 ? "1 page was wrong" : grouped_text(wrong) + " pages were wrong";
  // By settings of before.
  if (i.wrong_share.has_value()) return {text + ", none now", Style::dim};
  return {text, Style::error};
}

std::vector<TitlePart> ring_title(const Snapshot& s) {
  const bool several = s.parts.size() > 1;
  return {{several ? "ring of " + s.parts.front().name : "ring", Style::title},
          integrity_title(s.integrity, s.requested.pipe.payload)};
}

void draw_slots(const Area& area, const RingLayout& plan, const SlotsShown& shown) {
  const StripStyle& style = plan.strip_style;
  bool huge = std::ranges::any_of(shown.frame.slot, &Slot::huge);
  const Area above = area.part(plan.markers), strip = area.part(plan.strip);
  if (shown.settled) {
    const UsualSlot usual = usual_slot(shown.kinds, shown.huge);
    huge = usual.huge;
    put_what_is_grey(above);
    draw_settled_strip(strip, shown.frame.slots, style, *shown.settled, usual);
  } else {
    draw_markers(above, shown.frame, style);
    draw_strip(strip, shown.frame, style);
  }
  draw_kinds(area.part(plan.legend), shown.kinds, style, shown.frame, huge);
  if (style.selected) draw_slot_detail(area.part(plan.detail), shown.frame, *style.selected);
}

void draw_ring(const Area& area, const Snapshot& s, const RingState& state, RingSaid said) {
  if (area.empty()) return;
  if (const RingFrame* frame = drawable_frame(s.ring)) {
    draw_pieces(area, s, state,
                ring_layout(area.rows(), area.cols(), frame->slots, state, pace_of(s)));
  } else {
    draw_without_slots(area, s, state, said.remedy_said);
  }
  if (has_verdict_row(area.rows()) && said.verdict == VerdictAt::ring)
    draw_verdict(area.from_row(area.rows() - 1), s.verdict);
}

}  // namespace pipetop::tui
