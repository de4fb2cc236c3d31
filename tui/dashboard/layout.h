// The screen layout: arithmetic from (rows, cols) to rectangles.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/config/talk.h"
#include "engine/model/settings.h"
#include "tui/dashboard/dashboard_state.h"
#include "tui/dashboard/talk.h"
#include "tui/draw/canvas.h"
#include "tui/draw/charts.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {

// An empty panel isn't shown.
struct Layout : Frame {
  bool counters = true;  // a role's panel has its counters, too
  Rect throughput = {}, ring = {}, writer = {}, reader = {};
  Rect pipeline = {};
  Rect page = {};  // of the segments or the ladder, in place of other panels
};

// With one list per role of the settings' workload.
Layout make_layout(int rows, int cols, const Settings& settings = {});

// One panel between title, message and one row of keys; `below` is the one below the pipeline.
Layout make_zoomed_layout(int rows, int cols, Panel panel, Panel below = Panel::writer);

inline const Rect& panel_of(const Layout& layout, Role role) {
  return role == Role::writer ? layout.writer : layout.reader;
}

// The show: few and large things. It depends on the size of the screen, the scene and the workload,
// never on what is measured: nothing moves from frame to frame.
struct ShowLayout {
  bool fits = false;
  DigitSize number_size = DigitSize::half, factor_size = DigitSize::half;
  Rect title, number, factor, compared, cause, caption, message, words;
  Rect strip;  // the ring in short, unless it is the large part
  Rect top;    // a band with the hottest functions of each role, unless lists are the large part
  Rect large;  // what the scene chooses
};

ShowLayout show_layout(int rows, int cols, const Settings& settings, const ShowState& show);

// Where a scene that watches has its pipeline in the show: between the title and the caption.
std::optional<Rect> watched_in_show(const DashboardState& view, int rows, int cols);

// Lays out the dashboard, the zoomed panel, or the show, whichever is shown. In the show the panels
// are those that the large part consists of.
Layout screen_layout(const DashboardState& view, int rows, int cols);

// The function list in a role's panel.
Rect list_of(const Layout& layout, Role role);
}  // namespace pipetop::tui
