#include "tui/draw/text.h"

#include <algorithm>

#include "engine/base/text.h"

namespace pipetop::tui {
namespace {

// "KiB/call" is one word, "k calls/s" is two.
int gap_after_value(const Item& item) { return item.after.starts_with('/') ? 0 : 1; }

int value_columns(const Item& item) { return std::max(columns_of(item.value), item.width); }

void put_item(const Area& area, int row, int col, const Item& item) {
  Pen pen(area, row, col);
  if (!item.before.empty()) pen.text(item.before, Style::dim).skip(1);
  pen.skip(value_columns(item) - columns_of(item.value)).text(item.value, item.ink);
  if (!item.after.empty()) pen.skip(gap_after_value(item)).text(item.after, Style::dim);
}

// The longest prefix of `text` that fits, broken at a blank if there is one.
size_t line_length(std::string_view text, int cols) {
  const size_t fits = beginning(text, cols).size();
  if (fits == text.size()) return fits;
  const size_t blank = text.rfind(' ', fits);
  return blank > 0 && blank != text.npos ? blank : std::max<size_t>(fits, 1);
}

// Char of the XML 1.0 grammar.
bool is_allowed_in_xml(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  return c != 0xFFFE && c != 0xFFFF;
}

constexpr int kGap = 2;  // between items

}  // namespace

std::string whole_clauses(std::string_view text, int columns) {
  const std::string_view fits = beginning(text, columns);
  const std::string_view marked = text.substr(0, fits.size() + 2);
  const size_t clause = std::max(marked.rfind("; ") + 1, marked.rfind(", ") + 1);
  if (fits.size() == text.size() || clause < 2) return whole_words(text, columns);
  return std::string(text.substr(0, clause - 1));
}

int Item::columns() const {
  int columns = columns_of(before) + value_columns(*this) + columns_of(after);
  if (!before.empty()) ++columns;
  if (!after.empty()) columns += gap_after_value(*this);
  return columns;
}

int line_columns(std::span<const Item> items) {
  int cols = 0;
  for (const Item& item : items) cols += (cols > 0 ? kGap : 0) + item.columns();
  return cols;
}

int put_items(const Area& area, std::span<const Item> items) {
  int row = 0, col = 0;
  for (const Item& item : items) {
    const int columns = item.columns();
    if (col > 0 && col + kGap + columns > area.cols()) {
      ++row;
      col = 0;
    }
    if (row >= area.rows()) return area.rows();
    if (col > 0) col += kGap;
    if (col + columns > area.cols()) continue;
    put_item(area, row, col, item);
    col += columns;
  }
  return col > 0 ? row + 1 : row;
}

std::vector<std::string_view> broken(std::string_view text, int cols) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, line_length(text, std::max(cols, 1))));
    text.remove_prefix(lines.back().size());
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return lines;
}

int wrap(const Area& area, std::string_view text, Ink ink) {
  const auto lines = broken(text, area.cols());
  const int rows = std::min(static_cast<int>(lines.size()), area.rows());
  for (int row = 0; row < rows; ++row) {
    const std::string_view line = lines[static_cast<size_t>(row)];
    const auto rest = text.substr(static_cast<size_t>(line.data() - text.data()));
    const std::string cut = row + 1 == area.rows() ? whole_words(rest, area.cols()) : "";
    const std::string_view shown = row + 1 < area.rows() ? line : cut.empty() ? rest : cut;
    area.put_fitted(row, 0, area.cols(), shown, ink);
  }
  return rows;
}

bool contains(std::string_view text, std::string_view part) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto same = [&](char a, char b) { return lower(a) == lower(b); };
  return part.empty() ||
         std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

std::string xml_text(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const char32_t c = take_code_point(text);
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '"')
      escaped += "&quot;";
    else
      append_utf8(escaped, is_allowed_in_xml(c) ? c : kReplacement);
  }
  return escaped;
}

}  // namespace pipetop::tui
