// The throughput panel: the rate now, its stability, the comparison, the history; and the time axis
// that the history shares with the ring's heat map.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/numbers.h"
#include "tui/widgets/frame.h"

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

std::string span_text(const TimeAxis& axis);  // "60 s"

// The key of every change, at its time.
void draw_marks(const Area& area, std::span<const ChangeMark> marks, const TimeAxis& axis,
                int bins_a_cell);

// The history cut into the intervals of a time axis.
struct Bins {
  TimeAxis axis;
  std::vector<double> values;  // oldest first; below 0: nothing is known
};

Bins bin_history(std::span<const RatePoint> history, uint64_t now_ns, int bins);

// The end of an axis that begins at 0: rounded up to 1, 1.5, 2, 3, 4, 5, 6 or 8
// times a power of ten.
double axis_end(double max);

// A filled curve, newest at the right, with an axis at the left and the keys of changes below.
// The axis is in rate_unit() of its end. `roof`, in GiB/s, is a dashed line if it is in range; the
// axis extends up to twice as far as the rates for it.
void draw_history(const Area& area, const Throughput& throughput, uint64_t now_ns,
                  Pace pace = Pace::normal, std::optional<double> roof = {});

// For the panel's title: empty at the normal pace.
TitlePart pace_badge(Pace pace);

// "A: gift true, 12.3 GiB/s" in this many columns; the label is shortened.
std::string frozen_text(const Segment& a, int cols);

// In slow motion rates are in pages per second if GiB/s would be 0.00, and are not compared. `a`:
// the segment to compare with; nullptr: the previous one. `roof`: the upper bound of a pipe's rate
// here, in GiB/s, if known.
void draw_throughput(const Area& area, const Throughput& throughput, uint64_t now_ns,
                     Pace pace = Pace::normal, const Segment* a = nullptr,
                     std::optional<double> roof = {});

}  // namespace pipetop::tui
