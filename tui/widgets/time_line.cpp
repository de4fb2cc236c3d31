#include "tui/widgets/time_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

// "0:12.3", "1:02:03.4": all of one length, so that nothing moves.
std::string clock_text(uint64_t ns, uint64_t longest_ns) {
  const uint64_t tenths = ns / 100'000'000, s = tenths / 10, h = s / 3600;
  if (longest_ns >= uint64_t{3600} * 1'000'000'000)
    return fmt::format("{}:{:02}:{:02}.{}", h, s / 60 % 60, s % 60, tenths % 10);
  const int digits = longest_ns >= uint64_t{600} * 1'000'000'000 ? 2 : 1;
  return fmt::format("{:0{}}:{:02}.{}", s / 60, digits, s % 60, tenths % 10);
}

std::string pace_text(const ReplayState& replay) {
  if (replay.at_end()) return "at the end";
  if (replay.paused) return "paused";
  return fmt::format("×{}", replay.speed);
}

}  // namespace

void draw_time_line(const Area& area, const ReplayState& replay) {
  constexpr int kPaceCols = 10;
  const std::string now = clock_text(replay.at_ns, replay.duration_ns);
  const std::string all = clock_text(replay.duration_ns, replay.duration_ns);
  int col = area.put(0, 1, now, Style::value) + 1;
  const int end = area.cols() - 1 - kPaceCols - 2 - columns_of(all);
  const int cols = end - 1 - col;
  area.put(0, end, all, Style::plain);
  const std::string pace = pace_text(replay);
  area.put(0, area.cols() - 1 - columns_of(pace), pace,
           replay.paused || replay.at_end() ? Style::warning : Style::lit);
  if (cols < 2) return;
  const auto place = [&](uint64_t at_ns) {
    const double share = replay.duration_ns == 0 ? 0 : double(at_ns) / double(replay.duration_ns);
    return col + std::clamp(static_cast<int>(std::lround(share * (cols - 1))), 0, cols - 1);
  };
  const int here = place(replay.at_ns);
  for (int c = col; c < col + cols; ++c)
    area.put(0, c, "─", c <= here ? Ink(Style::lit) : Ink(Style::frame));
  for (const RecordedMark::Kind kind : {RecordedMark::Kind::change, RecordedMark::Kind::scene})
    for (const RecordedMark& mark : replay.marks) {
      if (mark.kind != kind) continue;
      const uint64_t at_ns = mark.at_ns - std::min(mark.at_ns, replay.begin_ns);
      const bool scene = kind == RecordedMark::Kind::scene;
      area.put(0, place(at_ns), scene ? "▾" : "│", scene ? Style::title : Style::mark);
    }
  area.put(0, here, "●", {Style::value, kBold});
}

}  // namespace pipetop::tui
