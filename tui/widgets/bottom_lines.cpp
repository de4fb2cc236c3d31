#include "tui/widgets/bottom_lines.h"

#include <algorithm>

#include "tui/draw/pen.h"

namespace pipetop::tui {
namespace {

Style severity_style(Severity severity) {
  if (severity == Severity::info) return Style::dim;
  return severity == Severity::warning ? Style::warning : Style::error;
}

void draw_item(const Area& area, const KeyItem& item) {
  int col = area.put(item.place.row, item.place.col, item.keys, Style::key);
  const bool on = item.lamp == Lamp::on, bad = item.lamp == Lamp::differs;
  const Style style = bad ? Style::warning : on ? Style::lit : Style::plain;
  col = area.put(item.place.row, col + 1, item.text, item.lamp == Lamp::off ? Style::dim : style);
  if (item.lamp == Lamp::none) return;
  area.put(item.place.row, col + 1, bad ? "!" : on ? "●" : "○", bad || on ? style : Style::dim);
}

}  // namespace

void draw_message(Canvas& canvas, Rect rect, const Message& m) {
  constexpr int kMostRows = 3;
  if (m.text.empty()) return;
  const bool news = m.severity == Severity::info;
  const int col = news ? 1 : 3;  // after the sign
  const int cols = rect.cols - col - 1;
  const int wanted = std::min(static_cast<int>(broken(m.text, cols).size()), kMostRows);
  const int more = news ? 0 : std::max(0, wanted - rect.rows);
  const Area area(canvas, {rect.row - more, rect.col, rect.rows + more, rect.cols});
  if (more > 0) area.fill(U' ', {});
  const Style style = severity_style(m.severity);
  if (!news) area.put(0, 1, "!", {style, kReverse});
  wrap(area.part({0, col, area.rows(), cols}), m.text, style);
}

void draw_keys(const Area& area, const std::vector<KeyItem>& items) {
  for (const KeyItem& item : items) {
    if (!item.place.empty()) draw_item(area, item);
  }
}

}  // namespace pipetop::tui
