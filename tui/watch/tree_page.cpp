#include "tui/watch/tree_page.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/numbers.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/pipes.h"

namespace pipetop::tui {
namespace {

constexpr int kFigureCols = 8, kTimeCols = 10, kRunsCols = 7, kGap = 2;
constexpr int kNameCol = 3 * kFigureCols + kTimeCols + kRunsCols + kGap;
constexpr int kWideRow = 90;  // from which on the bottleneck is behind the name

void put_figure(const Area& line, int& col, int cols, const std::string& text, Ink ink) {
  line.part({0, col, 1, cols}).put_right(0, text, ink);
  col += cols;
}

void draw_heading(const Area& line) {
  int col = 0;
  for (const char* heading : {"share", "for", "CPU"})
    put_figure(line, col, kFigureCols, heading, Style::dim);
  put_figure(line, col, kTimeCols, "CPU time", Style::dim);
  put_figure(line, col, kRunsCols, "runs", Style::dim);
  line.put(0, kNameCol, "process", Style::dim);
}

void draw_row(const Area& line, const TreeRow& row, const ProcessTreeView& tree) {
  const Style style = row.live > 0 ? Style::value : Style::dim;
  int col = 0;
  put_figure(line, col, kFigureCols, whole_percent_text(time_share(row, tree)), style);
  put_figure(line, col, kFigureCols, seconds_text(row.ran_ns), style);
  put_figure(line, col, kFigureCols, row.live > 0 ? whole_percent_text(row.cpus) : "", style);
  put_figure(line, col, kTimeCols, seconds_text(row.cpu_ns), style);
  put_figure(line, col, kRunsCols,
             row.live > 0 && row.runs > 1 ? fmt::format("{}/{}", row.live, row.runs)
                                          : fmt::format("{}", row.runs),
             style);
  col = kNameCol + 2 * int(row.depth);
  const std::string after = line.cols() >= kWideRow ? bottleneck_text(row, tree) : "";
  const int rest = after.empty() ? 0 : columns_of(after) + kGap;
  const Ink name = row.live == 0 ? Style::dim : row.is_pipeline ? Style::title : Style::plain;
  col = line.put_fitted(0, col, std::max(8, line.cols() - col - rest), row.name, name);
  if (!after.empty()) line.put(0, col + kGap, after, Style::warning);
}

}  // namespace

void draw_tree(Canvas& canvas, const Rect& rect, const ProcessTreeView& tree, int scroll) {
  Area(canvas, rect).fill(U' ', {});
  const std::vector<TitlePart> title = {
      {"tree", Style::title},
      {fmt::format("over {}", seconds_text(tree.length_ns)), Style::plain},
      {"j k scroll, T closes", Style::dim}};
  const Area area = draw_panel(canvas, Border::rule, rect, title, true);
  draw_heading(area.from_row(0, 1));
  const int visible = area.rows() - 1;
  scroll = std::clamp(scroll, 0, tree_scroll_end(rect, tree));
  for (int i = 0; i < visible && size_t(scroll + i) < tree.rows.size(); ++i)
    draw_row(area.from_row(1 + i, 1), tree.rows[size_t(scroll + i)], tree);
}

int tree_scroll_end(const Rect& rect, const ProcessTreeView& tree) {
  return std::max(0, int(tree.rows.size()) - (inside(Border::rule, rect).rows - 1));
}

}  // namespace pipetop::tui
