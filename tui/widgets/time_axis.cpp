#include "tui/widgets/time_axis.h"

#include <fmt/core.h>

#include <array>
#include <string>
#include <vector>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr int64_t kAxisMillisecond = 1'000'000;
constexpr int64_t kWindow = 60'000 * kAxisMillisecond;  // roughly what a chart shows

int64_t bin_width(int bins, TimeSpan span) {
  if (span == TimeSpan::finest) return 200 * kAxisMillisecond;
  constexpr std::array<int64_t, 7> kWidths = {100, 200, 250, 500, 1000, 2000, 5000};
  for (const int64_t ms : kWidths) {
    if (ms * kAxisMillisecond * bins >= kWindow * 3 / 4) return ms * kAxisMillisecond;
  }
  return kWidths.back() * kAxisMillisecond;
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

}  // namespace pipetop::tui
