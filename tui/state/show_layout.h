// The show's layout: few and large things. It depends on the size of the screen, the scene and the
// workload, never on what is measured: nothing moves from frame to frame.
#pragma once

#include <string_view>
#include <vector>

#include "tui/draw/charts.h"
#include "tui/state/dashboard_state.h"
#include "tui/state/layout.h"
#include "tui/state/talk_state.h"

namespace pipetop::tui {

struct ShowLayout {
  bool fits = false;
  DigitSize number_size = DigitSize::half, factor_size = DigitSize::half;
  Rect title, number, factor, compared, cause, caption, message, words;
  Rect strip;  // the ring in short, unless it is the large part
  Rect top;    // a band with the hottest functions of each role, unless lists are the large part
  Rect large;  // what the scene chooses
};

inline constexpr size_t kTopFunctions = 3;

ShowLayout show_layout(int rows, int cols, const Settings& settings, const ShowState& show);

// The caption's lines, broken at blanks where they are too long.
std::vector<std::string_view> caption_lines(std::string_view caption, int cols);

constexpr bool shows_lists_in_show(ShowPart view) {
  return view == ShowPart::functions || view == ShowPart::tree || view == ShowPart::waiting;
}

// Of the dashboard, the zoomed panel, or the show, whichever is shown. In the show the panels are
// those that the large part consists of.
Layout screen_layout(const DashboardState& view, int rows, int cols);

}  // namespace pipetop::tui
