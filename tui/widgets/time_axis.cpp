#include "tui/widgets/time_axis.h"

#include <fmt/core.h>

#include <array>

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

}  // namespace pipetop::tui
