#include "tui/watch/table_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/state/pipe_words.h"

namespace pipetop::tui {
namespace {

constexpr int kLegendRows = 20;  // from which on there is room for a legend

bool is_end(TableColumn what) { return what == TableColumn::writer || what == TableColumn::reader; }

// Where text that isn't a number begins in its column.
int text_col(TableColumn what, bool in_words) {
  if (is_end(what)) return in_words ? 0 : 2;
  return what == TableColumn::pipe ? 2 : 1;
}

char32_t bracket_glyph(Bracket bracket, const Glyphs& g) {
  if (bracket == Bracket::first) return g.top_left;
  return bracket == Bracket::middle ? g.branch : bracket == Bracket::last ? g.last_branch : U' ';
}

void draw_mark(const Area& area, const TableRow& at) {
  if (at.bracket != Bracket::none)
    area.set(0, area.cols() - 1, bracket_glyph(at.bracket, area.glyphs()), Style::frame);
  if (at.mark == RowMark::none) return;
  const bool added = at.mark == RowMark::added;
  area.set(0, 0, added ? U'+' : U'-', added ? Style::good : Style::warning);
}

// An anonymous pipe, a FIFO, or one whose both ends a process holds.
void draw_link(const Area& area, const Pipe& pipe) {
  const bool fifo = !pipe.path.empty();
  area.put(0, 1, fifo ? "F" : pipe.own ? "o" : "→", fifo ? Style::mark : Style::dim);
}

void draw_end(const Area& area, const TableRow& at, Role end, bool in_words) {
  const PipeRow& row = *at.row;
  int col = end == Role::writer ? at.depth * 2 : 0;
  const Stage* stage = stage_at(row, end);
  if (stage && !in_words) {
    const StateSign look = sign_of(stage->state, row.pipe.id, end);
    area.put(0, col, look.sign, look.style);
  }
  if (!in_words) col += 2;
  const int room = area.cols() - col;
  area.put_fitted(0, col, room, end_text(row.pipe, row.stages, end, room),
                  stage ? style_of(end) : Style::dim);
}

void draw_cell(const Area& area, const TableRow& at, TableColumn what, bool in_words,
               uint64_t now_ns) {
  switch (what) {
    case TableColumn::mark:
      return draw_mark(area, at);
    case TableColumn::link:
      return draw_link(area, at.row->pipe);
    case TableColumn::writer:
    case TableColumn::reader:
      return draw_end(area, at, what == TableColumn::writer ? Role::writer : Role::reader,
                      in_words);
    default: {
      const PipeColumn& column = pipe_column(what);
      const PipeCell cell = column.cell(*at.row, now_ns);
      const int col = text_col(what, in_words);
      if (column.rank)
        area.put_right(0, cell.text, cell.ink);
      else
        area.put_fitted(0, col, area.cols() - col, cell.text, cell.ink);
    }
  }
}

void draw_headings(const Area& line, const std::vector<PlacedColumn>& columns,
                   const TableState& table, bool in_words) {
  for (const PlacedColumn& column : columns) {
    const PipeColumn& row = pipe_column(column.what);
    const Area area = line.part({0, column.col, 1, column.cols});
    const bool sorted =
        row.sort && (*row.sort == table.choice.sort ||
                     (column.what == TableColumn::level && table.choice.sort == PipeSort::size));
    std::string text(row.heading);
    if (column.what == TableColumn::level && table.choice.sort == PipeSort::size) text = "size";
    if (sorted) text.insert(0, line.glyphs().set == GlyphSet::unicode ? "▾" : "*");
    const Ink ink = sorted ? Style::value : Style::dim;
    const int col = text_col(column.what, in_words);
    if (row.rank)
      area.put_right(0, text, ink);
    else
      area.put(0, sorted && col > 0 ? col - 1 : col, text, ink);
  }
}

// In words nothing is left to explain of what the processes do.
void draw_legend(const Area& line, bool in_words, bool has_news) {
  Pen pen(line, 0, 1);
  std::vector<std::string_view> others = {"F fifo", "o internal", "~ estimated"};
  if (has_news) others.insert(others.begin(), {"+ new", "- closed"});
  if (!in_words)
    for (const SignMeaning& sign : state_signs()) {
      if (pen.room() < columns_of(sign.meaning) + 3) return;
      pen.text(sign.sign, sign.style).text(" ").text(sign.meaning, Style::dim).skip(2);
    }
  for (const std::string_view more : others) {
    if (pen.room() < columns_of(more) + 1) return;
    pen.text(more, Style::dim).skip(2);
  }
}

std::string nothing_text(const TableState& table) {
  if (!table.rows.has_passed()) return "Scanning all pipes of this machine ...";
  if (table.rows.hidden() > 0)
    return fmt::format("no active pipes{}; i shows {} idle or internal ones",
                       table.choice.filter.empty() ? "" : " match", table.rows.hidden());
  if (!table.choice.filter.empty())
    return fmt::format("no pipe matches \"{}\"; Esc drops the filter", table.choice.filter);
  return "no pipes";
}

bool has_legend(int rows) { return rows >= kLegendRows; }

}  // namespace

int table_rows_in(int rows) { return std::max(0, rows - 1 - (has_legend(rows) ? 1 : 0)); }

std::vector<PlacedColumn> table_columns(int cols, bool tree) {
  std::vector<PlacedColumn> columns;
  int room = cols - (tree ? 1 : 0);
  for (const PipeColumn& row : pipe_columns()) {
    const bool wanted = cols >= row.least_cols && cols <= row.most_cols;
    if (!wanted || row.cols > room) continue;
    columns.push_back({row.what, 0, row.cols + (tree && row.what == TableColumn::mark ? 1 : 0)});
    room -= row.cols;
  }
  std::ranges::sort(columns, {}, &PlacedColumn::what);
  int col = 0;
  for (PlacedColumn& column : columns) {
    if (column.what == TableColumn::writer) column.cols += room / 2;
    if (column.what == TableColumn::reader) column.cols += room - room / 2;
    column.col = col;
    col += column.cols;
  }
  return columns;
}

void draw_table(const Area& area, const TableState& table, uint64_t now_ns) {
  if (area.empty()) return;
  const auto columns = table_columns(area.cols(), table.choice.tree);
  const bool in_words =
      std::ranges::find(columns, TableColumn::writer_state, &PlacedColumn::what) != columns.end();
  draw_headings(area.from_row(0, 1), columns, table, in_words);
  const auto& rows = table.rows.rows();
  if (rows.empty()) wrap(area.part({2, 1, 3, area.cols() - 2}), nothing_text(table), Style::dim);
  const int visible = table_rows_in(area.rows());
  bool has_news = false;
  for (int line = 0; line < visible; ++line) {
    const auto index = static_cast<size_t>(table.scroll + line);
    if (index >= rows.size()) break;
    const Area place = area.from_row(1 + line, 1);
    for (const PlacedColumn& column : columns)
      draw_cell(place.part({0, column.col, 1, column.cols}), rows[index], column.what, in_words,
                now_ns);
    has_news |= rows[index].mark != RowMark::none;
    if (rows[index].mark == RowMark::ended) place.set_ink(0, Style::dim);
    if (table.selected && static_cast<int>(index) == table.at)
      place.set_ink(0, {Style::plain, kReverse});
  }
  if (has_legend(area.rows())) draw_legend(area.from_row(area.rows() - 1, 1), in_words, has_news);
}

}  // namespace pipetop::tui
