// A filled curve over time, of rates or of anything else that is 0 or more; and the time axis that
// it shares with the ring's heat map.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/model/segment.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

// Equal intervals of absolute time, newest at the right, so that a column does not change
// while it moves to the left.
struct TimeAxis {
  int64_t width_ns = 0;  // of an interval
  int64_t end_ns = 0;    // of the newest
  int bins = 0;

  // Negative if the machine has not been up for that long.
  int64_t start_ns() const { return end_ns - width_ns * bins; }

  // Calls visit(bin, overlap_ns) for every interval that overlaps [begin, end).
  template <class Visit>
  void spread(int64_t begin, int64_t end, Visit visit) const {
    const int64_t start = start_ns();
    begin = std::max(begin, start);
    while (begin < end) {
      const int64_t bin = (begin - start) / width_ns;
      if (bin >= bins) return;
      const int64_t bin_end = start + (bin + 1) * width_ns;
      visit(static_cast<size_t>(bin), static_cast<double>(std::min(end, bin_end) - begin));
      begin = bin_end;
    }
  }
};

// About a minute, with this many intervals of a round length; `finest`: 200 ms per
// interval, whatever the total.
enum class TimeSpan : uint8_t { minute, finest };
TimeAxis time_axis(uint64_t now_ns, int bins, TimeSpan span = TimeSpan::minute);

std::string span_text(const TimeAxis& axis);  // of its left end: "-60s"

// A tick at the time of every change, with its key: "▴v". Of those too close together the newest
// is shown, and how many were before it: "+2▴v". "now" at the right end if there is room.
void draw_marks(const Area& area, std::span<const ChangeMark> marks, const TimeAxis& axis,
                int bins_a_cell);

// The history cut into the intervals of a time axis.
struct Bins {
  TimeAxis axis;
  std::vector<double> values;  // oldest first; below 0: nothing is known
};

// What lies further apart than `gap_ns` is not connected.
Bins bin_history(std::span<const RatePoint> history, uint64_t now_ns, int bins,
                 uint64_t gap_ns = 1'000'000'000);

// The end of an axis that begins at 0: rounded up to 1, 1.5, 2, 3, 4, 5, 6 or 8
// times a power of ten.
double axis_end(double max);

constexpr int bins_in_a_cell(const Glyphs& glyphs) { return glyphs.braille ? 2 : 1; }

// `bins`: so many for each cell of a row. `top` is the value at the upper edge.
void draw_curve(const Area& area, const Bins& bins, double top, Ink ink);

}  // namespace pipetop::tui
