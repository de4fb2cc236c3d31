// A human-readable table: columns are as wide as their widest cell on the screen.
#pragma once

#include <string>
#include <vector>

namespace pipetop::tui {

struct TextColumn {
  std::string heading;
  char align = '<';  // or '>' or '^'
  int least = 0, most = 1 << 20;
};

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}

  // The last cell of a short row extends over the missing columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // One line for the headings, if there are any, and one per row.
  std::string text() const;

 private:
  using Cells = std::vector<std::string>;
  int width_of(size_t column) const;
  std::string line(const Cells& cells, const std::vector<int>& widths) const;

  std::vector<TextColumn> columns_;
  std::vector<Cells> rows_;
};

}  // namespace pipetop::tui
