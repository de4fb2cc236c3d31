#include <algorithm>
#include <array>
#include <vector>

#include "tui/draw/charts.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/ring.h"

namespace pipetop::tui {
namespace {

constexpr int kInner = kOccupancyBins - 2;  // without "empty" and "full"

// Rescales the histogram to the columns: empty and full keep their own.
std::vector<double> columns(const Occupancy& o, int cols) {
  int inner = kInner;
  while (inner > 2 && inner + 2 > cols) inner /= 2;
  const int repeat = std::max(1, cols / (inner + 2));
  std::vector<double> result;
  const auto push = [&](double share) { result.insert(result.end(), size_t(repeat), share); };
  push(o.histogram.front());
  for (int i = 0; i < inner; ++i) {
    const int group = kInner / inner;
    double share = 0;
    for (int k = 0; k < group; ++k) share += o.histogram[static_cast<size_t>(1 + i * group + k)];
    push(share);
  }
  push(o.histogram.back());
  const double most = *std::ranges::max_element(result);
  if (most > 0) {
    for (double& share : result) share /= most;
  }
  return result;
}

// "full 25 %"
Pen& put_share(Pen& pen, std::string_view word, double share) {
  return pen.text(word, Style::dim)
      .text(" ", Style::dim)
      .text(whole_percent_text(share), Style::value);
}
int share_columns(double share) { return 5 + columns_of(whole_percent_text(share)); }

void draw_line(const Area& area, const Occupancy& o) {
  Pen pen(area, 0);
  put_share(pen, "empty", o.empty_share).skip(1);
  const int room = pen.room() - share_columns(o.full_share) - 1;
  const std::vector<double> heights = columns(o, std::min(kOccupancyBins, room));
  const auto cols = static_cast<int>(heights.size());
  draw_columns(area.part({0, pen.col(), 1, cols}), heights, Style::graph);
  put_share(pen.skip(cols + 1), "full", o.full_share).skip(2);
  if (pen.room() >= columns_of(o.source)) pen.text(o.source, Style::dim);
}

// Labels, chart, and the source.
void draw_tall(const Area& area, const Occupancy& o) {
  const bool caption = area.rows() >= 4;
  const Area chart = area.part({0, 0, area.rows() - (caption ? 2 : 1), area.cols()});
  const std::vector<double> heights = columns(o, chart.cols());
  draw_columns(chart, heights, Style::graph);
  const Area labels = area.part({chart.rows(), 0, 1, static_cast<int>(heights.size())});
  Pen left(labels, 0), middle(labels, 0, labels.cols() / 2 - 5),
      right(labels, 0, labels.cols() - share_columns(o.full_share));
  put_share(left, "empty", o.empty_share);
  put_share(middle, "mean", o.mean_share);
  put_share(right, "full", o.full_share);
  if (!caption) return;
  const std::string how = fmt::format("{} · {} samples", o.source, grouped_text(o.samples));
  area.put_fitted(area.rows() - 1, 0, area.cols(), how, Style::dim);
}

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

// The mean, to two digits: that of the newest column would change with every column.
uint64_t usual_samples(const OccupancyHistory& history) {
  uint64_t sum = 0, unit = 1;
  for (const OccupancyColumn& column : history.columns) sum += column.samples;
  const uint64_t mean = sum / history.columns.size();
  while (mean >= unit * 100) unit *= 10;
  return (mean + unit / 2) / unit * unit;
}

void draw_legend(const Area& area, const OccupancyHistory& history) {
  constexpr std::array<std::string_view, 5> kWords = {"", "some", "5 %", "20 %", "50 % of samples"};
  Pen pen(area, 0);
  for (size_t level = 1; level < kShades.size(); ++level) {
    if (pen.room() < static_cast<int>(kWords[level].size()) + 3) return;
    area.set(0, pen.col(), area.glyphs().shade[level], kShades[level]);
    pen.skip(2).text(kWords[level], Style::dim).skip(2);
  }
  const std::string each = fmt::format("{} samples per column", usual_samples(history));
  if (pen.room() >= static_cast<int>(each.size())) pen.text(each, Style::dim);
}

}  // namespace

void fold_bins(std::span<const double, kOccupancyBins> bins, std::span<double> rows) {
  std::ranges::fill(rows, 0.0);
  rows.front() = bins.front();
  rows.back() = bins.back();
  const auto inner = static_cast<double>(rows.size() - 2);
  for (int k = 0; k < kInner; ++k) {
    const double share = bins[static_cast<size_t>(k) + 1];
    const double begin = k * inner / kInner, end = (k + 1) * inner / kInner;
    const auto row = static_cast<size_t>(begin + 1e-9);
    const double over = std::max(0.0, end - static_cast<double>(row + 1)) / (end - begin);
    rows[1 + row] += share * (1 - over);
    if (over > 1e-9) rows[2 + row] += share * over;
  }
}

void draw_occupancy_bars(const Area& area, const Reading<Occupancy>& occupancy) {
  constexpr int kNumberCols = 11;  // " mean 42 %"
  const int rows = std::min(area.rows(), kMostOccupancyRows);
  if (!occupancy.has_value() || rows < 3 || area.cols() <= kNumberCols) return;
  std::array<double, kMostOccupancyRows> folded;
  const std::span<double> shares(folded.data(), static_cast<size_t>(rows));
  fold_bins(occupancy->histogram, shares);
  const double most = std::max(std::ranges::max(shares), 1e-9);
  const Area bars = area.part({0, 0, rows, area.cols() - kNumberCols});
  for (int row = 0; row < rows; ++row) {
    const double share = shares[static_cast<size_t>(rows - 1 - row)] / most;
    area.set(row, 0, area.glyphs().filling[1], Style::frame);
    draw_bar(bars.from_row(row, 1), share, Style::graph);
  }
  const auto number = [&](int row, std::string_view word, double share) {
    area.from_row(row, 1).put_right(0, fmt::format("{} {:>4}", word, whole_percent_text(share)),
                                    Style::value);
  };
  number(0, "full", occupancy->full_share);
  number(rows / 2, "mean", occupancy->mean_share);
  number(rows - 1, "empty", occupancy->empty_share);
}

void draw_occupancy(const Area& area, const Reading<Occupancy>& occupancy) {
  if (area.empty()) return;
  if (!occupancy.has_value()) {
    draw_absence(area, "occupancy", occupancy.status, occupancy.reason);
  } else if (area.rows() >= 3) {
    draw_tall(area, *occupancy);
  } else {
    draw_line(area, *occupancy);
    if (area.rows() >= 2)
      area.put_fitted(1, 0, area.cols(), grouped_text(occupancy->samples) + " samples", Style::dim);
  }
}

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
  area.put(0, 0, "full", Style::dim);
  area.put(rows - 1, 0, "empty", Style::dim);
  area.part({rows, 0, 1, kLabelCols - 1}).put_right(0, span_text(axis), Style::dim);
  draw_marks(area.part({rows, kLabelCols, 1, map.cols()}), marks, axis, 1);
  if (legend) draw_legend(area.from_row(rows + 1, 1), history);
  return rows;
}

}  // namespace pipetop::tui
