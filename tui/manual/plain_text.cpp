#include <fmt/format.h>

#include <algorithm>

#include "tui/draw/text.h"
#include "tui/manual/writers.h"

namespace pipetop::tui {
namespace {

using Kind = Block::Kind;

constexpr int kColumns = 80;
constexpr int kIndent = 2;
constexpr int kWidestTerm = 20;  // a wider term has its own line

// Indents every line.
std::string indented(std::string_view text, size_t spaces, std::string_view first) {
  std::string result(first);
  for (const char c : text) {
    if (result.ends_with('\n') && c != '\n') result.append(spaces, ' ');
    result += c;
  }
  return result + '\n';
}

int text_column(std::span<const Row> rows) {
  int widest = 0;
  for (const Row& row : rows) widest = std::max(widest, columns_of(row.term));
  return widest > kWidestTerm ? 3 * kIndent : widest + 2 * kIndent;
}

std::string row_text(const Row& row, int column) {
  std::string text = fmt::format("{:{}}{}", "", kIndent, row.term);
  const int end = columns_of(text);
  if (row.text.empty()) return text + '\n';
  text += end + 2 > column ? fmt::format("\n{:{}}", "", column)
                           : fmt::format("{:{}}", "", column - end);
  std::string lines;
  for (const std::string_view line : broken(row.text, kColumns - column))
    lines += fmt::format("{}{}", lines.empty() ? "" : "\n", line);
  return text + indented(lines, size_t(column), "");
}

std::string rows_text(std::span<const Row> rows) {
  const int column = text_column(rows);
  std::string text;
  for (const Row& row : rows) text += row_text(row, column);
  return text;
}

std::string block_text(const Block& block) {
  switch (block.kind) {
    case Kind::title: {
      std::string title = block.text;
      std::ranges::transform(title, title.begin(), [](unsigned char c) { return toupper(c); });
      return title + '\n';
    }
    case Kind::code:
      return indented(block.text, 4, "    ");
    case Kind::item:
      return indented(block.text, 2, "- ");
    case Kind::rows:
      return rows_text(block.rows);
    case Kind::section:
    case Kind::paragraph:
      break;
  }
  return block.text + '\n';
}

}  // namespace

std::string plain_text(std::span<const Block> blocks) {
  std::string text;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const bool list = i > 0 && blocks[i].kind == Kind::item && blocks[i - 1].kind == Kind::item;
    if (i > 0 && !list) text += '\n';
    text += block_text(blocks[i]);
  }
  return text;
}

}  // namespace pipetop::tui
