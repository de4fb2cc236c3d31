#include "tui/widgets/ring.h"

#include <algorithm>
#include <cmath>

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
std::vector<Item> facts_of(const Snapshot& s, bool settled) {
  const RingReadings& ring = s.ring;
  std::vector<Item> items = {{{}, grouped_text(ring.slots), "slots", Style::value},
                             {{}, bytes_text(static_cast<double>(ring.bytes)), {}, Style::value}};
  if (settled)
    items.push_back(
        {"on average", whole_percent_text(ring.occupancy->mean_share), "used", Style::value});
  else if (ring.frame.has_value())
    add_use(items, s);
  return items;
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

// The strip with its markers and its legend, and the inspected slot in detail: in their places.
void draw_slots(const Area& area, const RingPanel& panel, const SlotsPlace& place) {
  StripStyle style = place.plan.strip_style;
  style.dim = is_old(place.frame, panel.now_ns);
  bool huge = std::ranges::any_of(place.frame.slot, &Slot::huge);
  const Area above = area.part(place.plan.markers), strip = area.part(place.plan.strip);
  if (panel.settled) {
    const UsualSlot usual = usual_slot(panel.ring.kinds, panel.huge);
    huge = usual.huge;
    put_what_is_grey(above);
    draw_settled_strip(strip, place.frame.slots, style, *panel.ring.occupancy, usual);
  } else {
    draw_markers(above, place.frame, style);
    draw_strip(strip, place.frame, style);
  }
  draw_kinds(area.part(place.plan.legend), panel.ring.kinds, style, place.frame, huge);
  if (style.selected) draw_slot_detail(area.part(place.plan.detail), place.frame, *style.selected);
}

// A failed snapshot leaves everything in place; without snapshots, the chart gets
// the room below the reason.
void draw_without_slots(const Area& area, const RingPanel& panel, int above) {
  const RingReadings& ring = panel.ring;
  if (has_slots(ring)) {
    const RingLayout plan =
        ring_layout(area.rows(), area.cols(), ring.slots, panel.state, panel.pace, above);
    const int text_rows = plan.picture.empty() ? 1 : plan.picture.row - above;
    wrap(area.from_row(above, text_rows), absent_slots(ring), Style::dim);
    return panel.picture(area.part(plan.picture));
  }
  const int last = area.rows() - (has_verdict_row(area.rows()) ? 1 : 0);
  const Area text = area.from_row(above, std::max(1, area.rows() - 1 - above));
  int row = above;
  if (ring.frame.has_value()) {
    row += wrap(text, absent_slots(ring), Style::dim);
  } else {
    const std::string_view reason = ring.frame.reason;
    row +=
        draw_absence(text, "slots", ring.frame.status, panel.remedy_said ? why_of(reason) : reason);
  }
  if (last - row >= 5) ++row;  // air
  panel.picture(area.from_row(row, last - row));
}

// The reason, dimmed, while there is none.
void draw_verdict(const Area& area, const Reading<Verdict>& verdict) {
  if (!verdict.has_value()) {
    const std::string reason = verdict.reason.empty() ? "…" : verdict.reason;
    area.put(0, 0, whole_clauses("no verdict: " + reason, area.cols()), Style::dim);
    return;
  }
  const bool stale = verdict.status == ReadingStatus::stale;
  const std::string name = std::string(name_of(verdict->kind)) + ": ";
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

void draw_ring(const Area& area, const RingPanel& panel) {
  int above = 0;
  for (const std::vector<Item>& items : panel.facts) put_items(area.from_row(above++, 1), items);
  const auto place = place_slots(area.rect(), panel.ring, panel.state, panel.pace, above);
  if (!place) return draw_without_slots(area, panel, above);
  draw_slots(area, panel, *place);
  panel.picture(area.part(place->plan.picture));
}

void draw_ring(const Area& area, const Snapshot& s, const RingState& state, RingSaid said) {
  if (area.empty()) return;
  const bool settled = state.settled && drawable_frame(s.ring) && s.ring.occupancy.has_value() &&
                       s.ring.kinds.has_value();
  draw_ring(area, {.ring = s.ring,
                   .state = state,
                   .now_ns = s.now_ns,
                   .pace = pace_of(s),
                   .settled = settled,
                   .huge = s.effective.pipe.huge.value.value_or(false),
                   .facts = {facts_of(s, settled)},
                   .picture = [&](const Area& rest) { draw_picture(rest, s, state.picture); },
                   .remedy_said = said.remedy_said});
  if (has_verdict_row(area.rows()) && said.verdict == VerdictAt::ring)
    draw_verdict(area.from_row(area.rows() - 1), s.verdict);
}

}  // namespace pipetop::tui
