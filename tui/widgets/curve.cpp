#include "tui/widgets/curve.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "tui/draw/charts.h"
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

// Eight dots per cell: two columns of four.
void draw_braille(const Area& area, const Bins& bins, double top, Ink ink) {
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
      if (pattern != 0) area.set(row, col, 0x2800 + pattern, ink);
    }
  }
}

// A mark below a chart.
struct PlacedMark {
  int cell;
  std::string key;
  int before;      // how many older ones it stands for
  bool key_first;  // there is no room to the right of the tick

  int begin() const {
    // With a blank, where a key would be read as a digit of it.
    const int count = before > 0 ? 1 + columns_of(std::to_string(before)) + key_first : 0;
    return cell - count - (key_first ? columns_of(key) : 0);
  }
  int end() const { return cell + 1 + (key_first ? 0 : columns_of(key)); }
};

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
  return fmt::format("-{:.0f}s", static_cast<double>(axis.end_ns - axis.start_ns()) / 1e9);
}

void draw_marks(const Area& area, std::span<const ChangeMark> marks, const TimeAxis& axis,
                int bins_a_cell) {
  constexpr std::string_view kNow = "now";
  const int64_t start = axis.start_ns();
  std::vector<PlacedMark> placed;  // newest first
  for (auto newest = marks.rbegin(); newest != marks.rend(); ++newest) {
    const ChangeMark& mark = *newest;
    const auto at = static_cast<int64_t>(mark.at_ns);
    if (at < start || at >= axis.end_ns) continue;
    const int cell = static_cast<int>((at - start) / axis.width_ns) / bins_a_cell;
    const PlacedMark one{cell, mark.key, 0, cell + 1 + columns_of(mark.key) > area.cols()};
    if (!placed.empty() && one.end() + 1 > placed.back().begin())
      ++placed.back().before;
    else
      placed.push_back(one);
  }
  for (const PlacedMark& mark : placed) {
    const int before = mark.cell - (mark.key_first ? columns_of(mark.key) : 0);
    area.put(0, before, mark.key_first ? mark.key + "▴" : "▴" + mark.key, Style::mark);
    if (mark.before > 0 && mark.begin() >= 0)
      area.put(0, mark.begin(), fmt::format("+{}", mark.before), Style::dim);
  }
  const int now = area.cols() - static_cast<int>(kNow.size());
  const int end = placed.empty() ? 0 : placed.front().end() + 1;
  if (now >= std::max(end, 2 * static_cast<int>(kNow.size()))) area.put(0, now, kNow, Style::dim);
}

Bins bin_history(std::span<const RatePoint> history, uint64_t now_ns, int bins, uint64_t gap_ns) {
  Bins result{time_axis(now_ns, bins), std::vector<double>(static_cast<size_t>(std::max(bins, 0)))};
  const TimeAxis& axis = result.axis;
  std::vector<double> weights(result.values.size());
  const auto start = static_cast<uint64_t>(std::max<int64_t>(0, axis.start_ns()));
  auto point = std::ranges::lower_bound(history, start, {}, &RatePoint::at_ns);
  for (; point != history.end() && axis.bins > 0; ++point) {
    const auto end = static_cast<int64_t>(point->at_ns);
    const int64_t before =
        point == history.begin() ? 0 : static_cast<int64_t>(std::prev(point)->at_ns);
    const bool gap = end - before > static_cast<int64_t>(gap_ns);
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

void draw_curve(const Area& area, const Bins& bins, double top, Ink ink) {
  if (area.empty()) return;
  if (area.glyphs().braille) return draw_braille(area, bins, top, ink);
  std::vector<double> heights;
  for (const double value : bins.values) heights.push_back(std::max(value, 0.0) / top);
  draw_columns(area, heights, ink);
}

}  // namespace pipetop::tui
