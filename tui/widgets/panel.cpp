#include "tui/widgets/panel.h"

#include "tui/draw/text_width.h"

namespace pipetop::tui {
namespace {

void draw_rule(const Area& area, Ink ink) {
  for (int c = 0; c < area.cols(); ++c) area.set(0, c, area.glyphs().horizontal, ink);
}

void draw_box(const Area& area, Ink ink) {
  const Glyphs& g = area.glyphs();
  const int bottom = area.rows() - 1, right = area.cols() - 1;
  draw_rule(area, ink);
  draw_rule(area.from_row(bottom), ink);
  for (int r = 1; r < bottom; ++r) {
    area.set(r, 0, g.vertical, ink);
    area.set(r, right, g.vertical, ink);
  }
  area.set(0, 0, g.top_left, ink);
  area.set(0, right, g.top_right, ink);
  area.set(bottom, 0, g.bottom_left, ink);
  area.set(bottom, right, g.bottom_right, ink);
}

void draw_title(const Area& area, std::span<const TitlePart> parts) {
  int col = area.put(0, 0, " ", {});
  const int room = area.cols() - 1;
  const std::string_view between = title_columns(parts) <= room - 1 ? " · " : " ";
  bool first = true;
  for (const TitlePart& part : parts) {
    if (part.text.empty()) continue;
    if (!first) col = area.put(0, col, between, Style::dim);
    first = false;
    col = area.put_fitted(0, col, room - col, part.text, part.ink);
  }
  area.put(0, col, " ", {});
}

}  // namespace

int title_columns(std::span<const TitlePart> parts) {
  int columns = 0;
  for (const TitlePart& part : parts) {
    if (!part.text.empty()) columns += columns_of(part.text) + (columns > 0 ? 3 : 0);
  }
  return columns;
}

Area draw_panel(Canvas& canvas, const Layout& layout, const Rect& rect,
                std::span<const TitlePart> title, bool focused) {
  const Area area(canvas, rect);
  const Ink ink = focused ? Style::focus : Style::frame;
  if (layout.boxed) {
    draw_box(area, ink);
  } else {
    draw_rule(area, ink);
  }
  draw_title(area.part({0, 1, 1, rect.cols - 2}), title);
  return {canvas, inside(layout, rect)};
}

}  // namespace pipetop::tui
