// The screen layout: arithmetic from (rows, cols) to rectangles.
#pragma once

#include "engine/model/settings.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

inline constexpr int kMinRows = 16;
inline constexpr int kMinCols = 60;

struct Layout {
  bool fits = false;   // below 60x16 there is only a message
  bool boxed = false;  // panels have full borders; else only a line above them
  Rect title, throughput, ring, writer, reader, message, keys;
};

// With one list per role of the settings' workload.
Layout make_layout(int rows, int cols, const Settings& settings = {});

inline const Rect& panel_of(const Layout& layout, Role role) {
  return role == Role::writer ? layout.writer : layout.reader;
}

// The part of a panel that its border leaves.
Rect inside(const Layout& layout, const Rect& panel);

// Inside a role's panel: lines of counters, a header of the function list if there is room, and the
// list's rows.
int counter_rows(const Rect& panel);
constexpr int list_header_rows(int list_rows) { return list_rows >= 3 ? 1 : 0; }
int function_rows(const Rect& panel);
// The row of the list, from 0, at a row of the screen; -1: none.
int function_line(const Rect& panel, int row);

}  // namespace pipetop::tui
