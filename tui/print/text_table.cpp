#include "tui/print/text_table.h"

#include <algorithm>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

std::string fitted(std::string_view text, char align, int width) {
  const std::string_view shown = beginning(text, width);
  const int blanks = width - columns_of(shown);
  const int before = align == '>' ? blanks : align == '^' ? blanks / 2 : 0;
  return std::string(size_t(before), ' ') + std::string(shown) +
         std::string(size_t(blanks - before), ' ');
}

}  // namespace

int TextTable::width_of(size_t column) const {
  int width = std::max(columns_[column].least, columns_of(columns_[column].heading));
  for (const Cells& cells : rows_)
    if (column + 1 < cells.size() || (column < cells.size() && cells.size() == columns_.size()))
      width = std::max(width, columns_of(cells[column]));
  return std::min(width, columns_[column].most);
}

std::string TextTable::line(const Cells& cells, const std::vector<int>& widths) const {
  std::string text;
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool runs_on = i + 1 == cells.size() && cells.size() < columns_.size();
    text += (i == 0 ? "" : "  ") +
            (runs_on ? cells[i] : fitted(cells[i], columns_[i].align, widths[i]));
  }
  return text.erase(text.find_last_not_of(' ') + 1) + "\n";
}

std::string TextTable::text() const {
  std::vector<int> widths;
  Cells headings;
  for (size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(width_of(i));
    headings.push_back(columns_[i].heading);
  }
  const bool has_headings = std::ranges::any_of(headings, [](const auto& h) { return !h.empty(); });
  std::string text = has_headings ? line(headings, widths) : "";
  for (const Cells& cells : rows_) text += line(cells, widths);
  return text;
}

}  // namespace pipetop::tui
