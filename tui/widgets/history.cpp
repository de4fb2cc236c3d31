#include "tui/widgets/history.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "engine/registry/terms.h"
#include "tui/draw/charts.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kWindow = 60'000 * kMillisecond;  // roughly what a chart shows

int64_t bin_width(int bins, TimeSpan span) {
  if (span == TimeSpan::finest) return 200 * kMillisecond;
  constexpr std::array<int64_t, 7> kWidths = {100, 200, 250, 500, 1000, 2000, 5000};
  for (const int64_t ms : kWidths) {
    if (ms * kMillisecond * bins >= kWindow * 3 / 4) return ms * kMillisecond;
  }
  return kWidths.back() * kMillisecond;
}

constexpr int64_t kLongestInterval = 1'000 * kMillisecond;  // of one point; above: a gap
constexpr int kAxisCols = 5;

// Eight dots per cell: two columns of four.
void draw_braille(const Area& area, const Bins& bins, double top) {
  constexpr std::array<std::array<uint8_t, 5>, 2> kFill = {
      {{0x00, 0x40, 0x44, 0x46, 0x47}, {0x00, 0x80, 0xA0, 0xB0, 0xB8}}};
  const int dots = area.rows() * 4;
  for (int col = 0; col < area.cols(); ++col) {
    std::array<int, 2> height{};
    for (size_t side = 0; side < 2; ++side) {
      const double value = bins.values[static_cast<size_t>(col) * 2 + side];
      if (value < 0) continue;
      height[side] = std::clamp(static_cast<int>(std::lround(value / top * dots)), 1, dots);
    }
    for (int row = 0; row < area.rows(); ++row) {
      const int below = (area.rows() - 1 - row) * 4;
      const auto level = [&](size_t side) {
        return kFill[side][static_cast<size_t>(std::clamp(height[side] - below, 0, 4))];
      };
      const uint8_t pattern = level(0) | level(1);
      if (pattern != 0) area.set(row, col, 0x2800 + pattern, Style::graph);
    }
  }
}

void draw_axis(const Area& area, double top) {
  area.put_right(0, fmt::format("{:g}", top), Style::dim);
  if (area.rows() >= 8) area.put_right(area.rows() / 2, fmt::format("{:g}", top / 2), Style::dim);
  if (area.rows() >= 2) area.put_right(area.rows() - 1, "0", Style::dim);
}

// On top of the curve, so that a rate above its roof is visible, too.
void draw_roof(const Area& area, double height, const std::string& label) {
  if (!(height >= 0 && height <= 1)) return;
  const int row = std::clamp(static_cast<int>((1 - height) * area.rows()), 0, area.rows() - 1);
  const int begin = area.put(row, 1, label, Style::mark) + 1;
  for (int col = begin; col < area.cols(); col += 2)
    area.set(row, col, area.glyphs().horizontal, Style::mark);
}

}  // namespace

TimeAxis time_axis(uint64_t now_ns, int bins, TimeSpan span) {
  TimeAxis axis;
  if (bins <= 0) return axis;
  axis.bins = bins;
  axis.width_ns = bin_width(bins, span);
  axis.end_ns = (static_cast<int64_t>(now_ns) / axis.width_ns + 1) * axis.width_ns;
  return axis;
}

std::string span_text(const TimeAxis& axis) {
  return fmt::format("{:.0f} s", static_cast<double>(axis.end_ns - axis.start_ns()) / 1e9);
}

void draw_marks(const Area& area, std::span<const ChangeMark> marks, const TimeAxis& axis,
                int bins_a_cell) {
  const int64_t start = axis.start_ns();
  for (const ChangeMark& mark : marks) {
    const auto at = static_cast<int64_t>(mark.at_ns);
    if (at < start || at >= axis.end_ns) continue;
    const auto bin = static_cast<int>((at - start) / axis.width_ns);
    area.put(0, bin / bins_a_cell, mark.key.empty() ? "▴" : mark.key, Style::mark);
  }
}

Bins bin_history(std::span<const RatePoint> history, uint64_t now_ns, int bins) {
  Bins result{time_axis(now_ns, bins), std::vector<double>(static_cast<size_t>(std::max(bins, 0)))};
  const TimeAxis& axis = result.axis;
  std::vector<double> weights(result.values.size());
  const auto start = static_cast<uint64_t>(std::max<int64_t>(0, axis.start_ns()));
  auto point = std::ranges::lower_bound(history, start, {}, &RatePoint::at_ns);
  for (; point != history.end() && axis.bins > 0; ++point) {
    const auto end = static_cast<int64_t>(point->at_ns);
    const int64_t before =
        point == history.begin() ? 0 : static_cast<int64_t>(std::prev(point)->at_ns);
    const bool gap = end - before > kLongestInterval;
    axis.spread(gap ? end - 100 * kMillisecond : before, end, [&](size_t bin, double overlap) {
      result.values[bin] += point->rate * overlap;
      weights[bin] += overlap;
    });
  }
  for (size_t i = 0; i < weights.size(); ++i)
    result.values[i] = weights[i] > 0 ? result.values[i] / weights[i] : -1;
  return result;
}

double axis_end(double max) {
  if (!(max > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(max)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (max <= step * power * 1.0000001) return step * power;
  }
  return 10 * power;
}

void draw_history(const Area& area, const Throughput& throughput, uint64_t now_ns, Pace pace,
                  std::optional<double> roof) {
  const bool marks = area.rows() >= 2;
  const int graph_rows = area.rows() - (marks ? 1 : 0);
  const int axis_cols = area.cols() >= 36 ? kAxisCols : 0;
  const Area graph = area.part({0, axis_cols, graph_rows, area.cols() - axis_cols});
  if (graph.empty()) return;
  const int bins_a_cell = area.glyphs().braille ? 2 : 1;
  Bins bins = bin_history(throughput.history, now_ns, graph.cols() * bins_a_cell);
  const double most = *std::ranges::max_element(bins.values);
  const RateUnit unit = rate_unit(most, pace, unit_of(throughput.current.requested));
  for (double& value : bins.values) value *= unit.per_unit;
  const bool near = roof && *roof <= 2 * most;
  const double top = axis_end((near ? std::max(most, *roof) : most) * unit.per_unit);
  if (area.glyphs().braille) {
    draw_braille(graph, bins, top);
  } else {
    for (double& value : bins.values) value = std::max(value, 0.0) / top;
    draw_columns(graph, bins.values, Style::graph);
  }
  if (near)
    draw_roof(graph, *roof * unit.per_unit / top, fmt::format("roof {} GiB/s", rate_text(*roof)));
  if (axis_cols > 0) draw_axis(area.part({0, 0, graph_rows, axis_cols - 1}), top);
  if (!marks) return;
  const Area below = area.from_row(graph_rows);
  if (axis_cols > 0)
    below.part({0, 0, 1, axis_cols - 1}).put_right(0, span_text(bins.axis), Style::dim);
  draw_marks(below.part({0, axis_cols, 1, graph.cols()}), throughput.marks, bins.axis, bins_a_cell);
}

}  // namespace pipetop::tui
