// The time axis that the history of the rate shares with the ring's heat map.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

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

}  // namespace pipetop::tui
