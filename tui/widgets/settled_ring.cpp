// A ring that turns too fast for an eye: what holds over time, instead of one instant.
#include <algorithm>

#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/ring.h"

namespace pipetop::tui {

bool settles(const RingReadings& ring, const RingState& state) {
  return state.settled && ring.occupancy.has_value() && ring.kinds.has_value();
}

UsualSlot usual_slot(const Snapshot& s) {
  const auto& kinds = *s.ring.kinds;
  const auto most = std::max_element(kinds.begin() + 1, kinds.end());
  const auto kind = static_cast<SlotKind>(most - kinds.begin());
  return {kind, kind != SlotKind::copy && s.effective.pipe.huge.value.value_or(false)};
}

void draw_settled_strip(const Area& area, uint32_t slots, const StripStyle& view,
                        const Occupancy& occupancy, const UsualSlot& usual) {
  const StripScale& scale = view.scale;
  if (slots == 0 || scale.cells_a_line == 0) return;
  const int cells = cell_of(scale, slots - 1) + scale.cells_a_slot;
  for (int cell = 0; cell < cells; ++cell) {
    const auto place = static_cast<uint32_t>(cell / scale.cells_a_slot * scale.slots_a_cell);
    const double share = used_share(occupancy, slots, place);
    const bool used = share >= 0.01;
    const bool mostly = share >= 0.5;
    const Style style = mostly ? style_of(usual.kind) : used ? Style::dim : Style::frame;
    const Ink ink(style, mostly ? kBold : kNone);
    const char32_t glyph = glyph_of(used ? usual.kind : SlotKind::empty, usual.huge, area.glyphs());
    const int row = cell / scale.cells_a_line * view.line_rows();
    const int col = cell % scale.cells_a_line;
    for (int i = 0; i < view.thickness; ++i) area.set(row + i, col, glyph, ink);
    if (view.underline && usual.huge && used)
      area.set(row + view.thickness, col, area.glyphs().under_huge, ink);
  }
}

// Nothing in it is of one instant.
void draw_settled(const Area& area, const Snapshot& s, const RingLayout& plan) {
  const RingReadings& ring = s.ring;
  const Occupancy& o = *ring.occupancy;
  const Item items[] = {
      {{}, grouped_text(ring.slots), "slots", Style::value},
      {{}, bytes_text(static_cast<double>(ring.bytes)), {}, Style::value},
      {"on average", whole_percent_text(o.mean_share), "used", Style::value},
  };
  put_items(area.from_row(0, 1), items);
  const Area above = area.part(plan.markers);
  for (const std::string_view text :
       {"grey: used less than half of the time; Space shows one instant",
        "grey: used less than half the time", "grey: less than half"}) {
    if (columns_of(text) > above.cols()) continue;
    above.put(0, 0, text, Style::dim);
    break;
  }
  draw_settled_strip(area.part(plan.strip), ring.slots, plan.strip_style, o, usual_slot(s));
}

}  // namespace pipetop::tui
