// The border around a panel, with a title set into it.
#pragma once

#include <span>

#include "tui/draw/pen.h"
#include "tui/state/layout.h"

namespace pipetop::tui {

struct TitlePart {
  std::string text;
  Ink ink;
};

// The width of a title with its parts separated by " · ", and the room that a panel
// of a width has for it.
int title_columns(std::span<const TitlePart> parts);
constexpr int title_room(int panel_cols) { return panel_cols - 4; }

// Draws border and title, and returns the inside. Title parts that do not fit are
// moved together, then truncated with an ellipsis.
Area draw_panel(Canvas& canvas, const Layout& layout, const Rect& rect,
                std::span<const TitlePart> title, bool focused = false);

}  // namespace pipetop::tui
