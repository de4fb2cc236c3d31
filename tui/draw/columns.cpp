#include "tui/draw/columns.h"

#include <algorithm>
#include <cmath>

namespace pipetop::tui {

void draw_columns(const Area& area, std::span<const double> heights, Ink ink) {
  const Glyphs& g = area.glyphs();
  const int top = area.rows() * 8;
  for (size_t i = 0; i < heights.size() && static_cast<int>(i) < area.cols(); ++i) {
    const int col = static_cast<int>(i);
    int eighths = std::clamp(static_cast<int>(std::lround(heights[i] * top)), 0, top);
    if (heights[i] > 0) eighths = std::max(eighths, 1);
    if (eighths == 0) area.set(area.rows() - 1, col, g.rising[1], Style::frame);
    for (int row = area.rows() - 1; eighths > 0; --row, eighths -= 8)
      area.set(row, col, g.rising[static_cast<size_t>(std::min(eighths, 8))], ink);
  }
}

void draw_bar(const Area& area, double share_of_full, Ink ink) {
  const int eighths = static_cast<int>(std::lround(share_of_full * area.cols() * 8));
  for (int col = 0; col * 8 < eighths && col < area.cols(); ++col) {
    const int level = std::min(8, eighths - col * 8);
    area.set(0, col, area.glyphs().filling[static_cast<size_t>(level)], ink);
  }
}

}  // namespace pipetop::tui
