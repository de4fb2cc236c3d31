#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "tui/draw/text.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/pages.h"

namespace pipetop::tui {
namespace {

constexpr int kSignCols = 2;

struct MessageLine {
  std::string_view text;
  Style style = Style::plain;
  bool first = false;  // of its message
};

struct MessagePage {
  Rect box;
  std::vector<MessageLine> lines;
  int scroll_end() const { return std::max(0, static_cast<int>(lines.size()) - (box.rows - 2)); }
};

Style style_of_message(Severity severity) {
  if (severity == Severity::info) return Style::plain;
  return severity == Severity::warning ? Style::warning : Style::error;
}

MessagePage page_of(int rows, int cols, std::span<const Message> messages) {
  MessagePage page;
  const int box_cols = std::min(100, cols - 4);
  for (const Message& m : messages) {
    if (!page.lines.empty()) page.lines.push_back({});
    bool first = true;
    for (const std::string_view line : broken(m.text, box_cols - 4 - kSignCols)) {
      page.lines.push_back({line, style_of_message(m.severity), first});
      first = false;
    }
  }
  if (page.lines.empty()) page.lines.push_back({"no messages", Style::dim});
  const int box_rows = std::min(static_cast<int>(page.lines.size()) + 2, rows - 2);
  page.box = {(rows - box_rows) / 2, (cols - box_cols) / 2, box_rows, box_cols};
  return page;
}

}  // namespace

void draw_messages(Canvas& canvas, std::span<const Message> messages, int scroll) {
  const MessagePage page = page_of(canvas.rows(), canvas.cols(), messages);
  const bool more = page.scroll_end() > 0;
  const Area area =
      draw_dialog(canvas, page.box, "messages", more ? "j k scroll, q closes" : "q closes");
  scroll = std::clamp(scroll, 0, page.scroll_end());
  for (int row = 0; row < area.rows(); ++row) {
    const auto index = static_cast<size_t>(row + scroll);
    if (index >= page.lines.size()) break;
    const MessageLine& line = page.lines[index];
    if (line.first && line.style != Style::plain) area.put(row, 0, "!", {line.style, kReverse});
    area.put_fitted(row, kSignCols, area.cols() - kSignCols, line.text, line.style);
  }
}

int messages_scroll_end(int rows, int cols, std::span<const Message> messages) {
  return page_of(rows, cols, messages).scroll_end();
}

}  // namespace pipetop::tui
