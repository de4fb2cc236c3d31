#include "tui/widgets/heat_map.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tui/draw/numbers.h"
#include "tui/draw/pen.h"
#include "tui/widgets/occupancy.h"

namespace pipetop::tui {
namespace {

constexpr int kLabelCols = 6;       // "empty "
constexpr int kLegendRows = 8;      // minimum width for a legend
constexpr double kFewSamples = 20;  // fewer samples in a cell mean little

constexpr std::array<double, 5> kLeastShare = {0, 0, 0.05, 0.2, 0.5};  // of each level
constexpr std::array<Style, 5> kShades = {Style::plain, Style::heat_1, Style::heat_2, Style::heat_3,
                                          Style::heat_4};

// The samples of one cell's time, in fractions if a column spans two cells.
struct Samples {
  double all = 0;
  std::array<double, kOccupancyBins> in{};
};

std::vector<Samples> samples_by_cell(const OccupancyHistory& history, const TimeAxis& axis) {
  std::vector<Samples> cells(static_cast<size_t>(axis.bins));
  const auto start = static_cast<uint64_t>(std::max<int64_t>(0, axis.start_ns()));
  const auto& columns = history.columns;
  auto column = std::ranges::lower_bound(columns, start, {}, &OccupancyColumn::end_ns);
  for (; column != columns.end(); ++column) {
    const auto end = static_cast<int64_t>(column->end_ns);
    // Columns differ slightly in length; the time of a missing one stays blank.
    const auto usual = static_cast<int64_t>(history.column_ns);
    int64_t begin = end - usual;
    if (column != columns.begin()) {
      const auto before = static_cast<int64_t>(std::prev(column)->end_ns);
      if (before > end - 5 * usual) begin = before;
    }
    if (begin >= end) continue;
    axis.spread(begin, end, [&](size_t cell, double overlap) {
      const double part = overlap / static_cast<double>(end - begin);
      cells[cell].all += column->samples * part;
      for (size_t i = 0; i < column->count.size(); ++i)
        cells[cell].in[i] += column->count[i] * part;
    });
  }
  return cells;
}

void draw_cell(const Area& map, int col, const Samples& samples, std::span<double> rows) {
  if (samples.all <= 0) return;
  fold_bins(samples.in, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto level = static_cast<size_t>(heat_level(rows[i] / samples.all));
    if (level == 0) continue;
    const Ink ink = samples.all < kFewSamples ? Style::dim : kShades[level];
    map.set(map.rows() - 1 - static_cast<int>(i), col, map.glyphs().shade[level], ink);
  }
}

void draw_labels(const Area& area, int map_rows) {
  area.put(0, 0, "full", Style::dim);
  area.put(map_rows - 1, 0, "empty", Style::dim);
}

void draw_legend(const Area& area, const OccupancyHistory& history) {
  constexpr std::array<std::string_view, 5> kWords = {"", "some", "5 %", "20 %", "50 % of samples"};
  Pen pen(area, 0);
  for (size_t level = 1; level < kShades.size(); ++level) {
    if (pen.room() < static_cast<int>(kWords[level].size()) + 3) return;
    area.set(0, pen.col(), area.glyphs().shade[level], kShades[level]);
    pen.skip(2).text(kWords[level], Style::dim).skip(2);
  }
  const std::string each = fmt::format("{} samples per column", history.columns.back().samples);
  if (pen.room() >= static_cast<int>(each.size())) pen.text(each, Style::dim);
}

}  // namespace

int heat_level(double share) {
  if (share <= 0) return 0;
  const auto above = std::upper_bound(kLeastShare.begin() + 1, kLeastShare.end(), share);
  return static_cast<int>(above - kLeastShare.begin()) - 1;
}

int draw_heat_map(const Area& area, const OccupancyHistory& history,
                  std::span<const ChangeMark> marks, uint64_t now_ns, TimeSpan span) {
  if (area.rows() < kLeastHeatRows || area.cols() < 2 * kLabelCols || history.columns.empty())
    return 0;
  const bool legend = area.rows() >= kLegendRows;
  const int rows = std::min(area.rows() - (legend ? 2 : 1), kMostOccupancyRows);
  const Area map = area.part({0, kLabelCols, rows, area.cols() - kLabelCols});
  const TimeAxis axis = time_axis(now_ns, map.cols(), span);
  const std::vector<Samples> cells = samples_by_cell(history, axis);
  std::array<double, kMostOccupancyRows> folded;
  for (int col = 0; col < map.cols(); ++col)
    draw_cell(map, col, cells[static_cast<size_t>(col)], {folded.data(), size_t(rows)});
  draw_labels(area, rows);
  area.part({rows, 0, 1, kLabelCols - 1}).put_right(0, span_text(axis), Style::dim);
  draw_marks(area.part({rows, kLabelCols, 1, map.cols()}), marks, axis, 1);
  if (legend) draw_legend(area.from_row(rows + 1, 1), history);
  return rows;
}

}  // namespace pipetop::tui
