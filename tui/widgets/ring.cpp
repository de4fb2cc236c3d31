#include "tui/widgets/ring.h"

#include <algorithm>
#include <vector>

#include "tui/dashboard/pen.h"
#include "tui/widgets/numbers.h"
#include "tui/widgets/occupancy.h"
#include "tui/widgets/slot_strip.h"

namespace pipetop::tui {
namespace {

// Rows for each piece, decided by how many there are.
struct Plan {
  bool markers = false, underline = false, legend = false;
  int thickness = 1, max_lines = 1;
};

Plan plan_of(int rows) {
  Plan plan;
  plan.legend = rows >= 4;
  plan.underline = rows >= 5;
  plan.markers = rows >= 6;
  plan.thickness = rows >= 14 ? 3 : rows >= 9 ? 2 : 1;
  plan.max_lines = std::max(1, (rows - 6) / 2);
  return plan;
}

void draw_summary(const Area& area, const RingView& ring) {
  std::vector<Item> items = {{{}, grouped_text(ring.slots), "slots", Style::value},
                             {{}, bytes_text(static_cast<double>(ring.bytes)), {}, Style::value}};
  if (ring.frame.has_value()) {
    const RingFrame& f = *ring.frame;
    const double share = f.slots ? static_cast<double>(f.used) / f.slots : 0;
    items.push_back({{}, grouped_text(f.used), "used", Style::value});
    items.push_back({{}, fmt::format("{:.0f} %", share * 100), {}, Style::value});
    if (f.torn) items.insert(items.begin() + 2, {{}, "torn", {}, Style::warning});
    if (ring.frame.status == ReadingStatus::stale) items.push_back({{}, "stale", {}, Style::dim});
  }
  flow(area.from_row(0, 1), items);
}

// Where the ring begins and ends, above the strip: tail at the left, head over
// the first empty slot.
void draw_markers(const Area& area, const RingFrame& f, const StripScale& scale) {
  if (f.torn) {
    area.put(0, 0, "torn: it moved while it was read", Style::dim);
    return;
  }
  const uint32_t head = f.head % f.slots;
  const int tail_end = area.put(0, 0, fmt::format("▾tail {}", f.tail % f.slots), Style::dim);
  const std::string plain = fmt::format("head {}", head);
  const int columns = static_cast<int>(plain.size()) + 1;
  const int cell = std::min(cell_of(scale, f.used), area.cols() - 1);
  if (scale.lines > 1) {
    area.put(0, tail_end + 2, plain, Style::dim);
  } else if (cell - columns >= tail_end) {
    area.put(0, cell - columns + 1, plain + "▾", Style::dim);
  } else if (cell > tail_end) {
    area.put(0, cell, "▾" + plain, Style::dim);
  } else {
    area.put(0, tail_end + 1, plain, Style::dim);
  }
}

// What the slots were since the last change.
void draw_legend(const Area& area, const RingView& ring) {
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
  const bool huge = ring.frame.has_value() && std::ranges::any_of(ring.frame->slot, &Slot::huge);
  if (!huge || pen.room() < 6) return;
  const bool letters = area.glyphs().set == GlyphSet::ascii;
  if (letters) {
    pen.text("CAPITALS ", Style::plain).text("huge", Style::dim);
  } else {
    pen.text("▔ ", Style::user_page).text("huge", Style::dim);
  }
}

void draw_scale(const Area& area, int row, const StripScale& scale) {
  if (scale.slots_a_cell > 1)
    area.part({row, 0, 1, area.cols()})
        .put_right(0, fmt::format("a cell: {} slots", scale.slots_a_cell), Style::dim);
}

// Returns the rows used.
int draw_slots(const Area& area, const RingFrame& frame, const Plan& plan) {
  if (frame.slots == 0 || frame.slot.size() < frame.slots) return 0;
  const StripScale scale = strip_scale(frame.slots, area.cols(), plan.max_lines);
  int row = 0;
  if (plan.markers) {
    draw_markers(area, frame, scale);
    draw_scale(area, 0, scale);
    row = 1;
  }
  const bool underline = plan.underline && scale.lines == 1;
  const int thickness = scale.lines == 1 ? plan.thickness : 1;
  draw_strip(area.from_row(row), frame, scale, thickness, underline);
  return row + scale.lines * (thickness + (underline ? 1 : 0));
}

}  // namespace

TitlePart integrity_title(const Reading<Integrity>& integrity) {
  if (!integrity.has_value()) return {};
  const Integrity& i = *integrity;
  const bool stale = integrity.status == ReadingStatus::stale;
  std::string text = grouped_text(i.verified) + " pages verified";
  if (i.misplaced + i.torn + i.unstamped == 0)
    return {std::move(text), stale ? Style::dim : Style::good};
  text = fmt::format("{} misplaced, {} torn, {} unstamped of {}", grouped_text(i.misplaced),
                     grouped_text(i.torn), grouped_text(i.unstamped), text);
  return {std::move(text), Style::error};
}

void draw_ring(const Area& area, const RingView& ring) {
  if (area.empty()) return;
  const Plan plan = plan_of(area.rows());
  draw_summary(area, ring);
  int row = 1;
  if (ring.frame.has_value()) {
    row += draw_slots(area.from_row(1), *ring.frame, plan);
    if (plan.legend) draw_legend(area.from_row(row++), ring);
  } else {
    const int room = std::max(1, area.rows() - 2);
    row += draw_absence(area.from_row(1, room), "slots", ring.frame.status, ring.frame.reason);
  }
  const bool air = area.rows() - row >= 5;
  const Area rest = area.from_row(row + (air ? 1 : 0));
  draw_occupancy(rest.from_row(0, 14), ring.occupancy);
}

}  // namespace pipetop::tui
