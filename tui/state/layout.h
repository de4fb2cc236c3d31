// The screen layout: arithmetic from (rows, cols) to rectangles.
#pragma once

#include <cstdint>

#include "engine/model/settings.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

inline constexpr int kMinRows = 16;
inline constexpr int kMinCols = 60;

// Those that can have the whole screen. `ring`: or the parts in its place. `pipeline`: the workers
// and their ring side by side, with the panel of one of them below.
enum class Panel : uint8_t { throughput, ring, writer, reader, pipeline };

// Around a panel, or only a line above it.
enum class Border : uint8_t { rule, box };

// An empty panel isn't shown.
struct Layout {
  bool fits = false;     // below 60x16 there is only a message
  bool boxed = false;    // panels have full borders; else only a line above them
  bool counters = true;  // a role's panel has its counters, too
  Rect title, throughput, ring, writer, reader, message, keys;
  Rect pipeline;
  Rect page;  // of the segments or the ladder, in place of other panels
  Border border() const { return boxed ? Border::box : Border::rule; }
};

// With one list per role of the settings' workload.
Layout make_layout(int rows, int cols, const Settings& settings = {});

// One panel between title, message and one row of keys; `below` is the one below the pipeline.
Layout make_zoomed_layout(int rows, int cols, Panel panel, Panel below = Panel::writer);

inline const Rect& panel_of(const Layout& layout, Role role) {
  return role == Role::writer ? layout.writer : layout.reader;
}

// The part of a panel that its border leaves.
Rect inside(Border border, const Rect& panel);
inline Rect inside(const Layout& layout, const Rect& panel) {
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
