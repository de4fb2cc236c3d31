// The screen layout: arithmetic from (rows, cols) to rectangles.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/config/talk.h"
#include "engine/model/settings.h"
#include "tui/draw/canvas.h"
#include "tui/draw/charts.h"

namespace pipetop::tui {

struct DashboardState;
struct ShowState;

inline constexpr int kMinRows = 16;
inline constexpr int kMinCols = 60;

// Those that can have the whole screen. `ring`: or the parts in its place. `pipeline`: the workers
// and their ring side by side, with the panel of one of them below.
enum class Panel : uint8_t { throughput, ring, writer, reader, pipeline };

// Around a panel, or only a line above it.
enum class Border : uint8_t { rule, box };

// The lines around the body of a screen.
struct Frame {
  bool fits = false;   // below 60x16 there is only a message
  bool boxed = false;  // panels have full borders; else only a line above them
  Rect title, body, message, keys;
  Border border() const { return boxed ? Border::box : Border::rule; }
};
Frame frame_of(int rows, int cols, int key_rows);

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

// The part of a panel that its border leaves.
Rect inside(Border border, const Rect& panel);
inline Rect inside(const Frame& layout, const Rect& panel) {
  return inside(layout.border(), panel);
}

// Inside a role's panel: lines of counters, and the function list.
int counter_rows(const Rect& panel);
Rect list_of(const Layout& layout, Role role);
// The list has a header if there is room, and its rows.
constexpr int list_header_rows(int list_rows) { return list_rows >= 3 ? 1 : 0; }
constexpr int function_rows(const Rect& list) { return list.rows - list_header_rows(list.rows); }
// The row of the list, from 0, at a row of the screen; -1: none.
int function_line(const Rect& list, int row);

}  // namespace pipetop::tui
