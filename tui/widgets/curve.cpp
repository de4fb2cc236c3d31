#include "tui/widgets/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "tui/draw/charts.h"

namespace pipetop::tui {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

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

}  // namespace

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
