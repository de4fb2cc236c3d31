// The border around a panel, with a title set into it.
#pragma once

#include <span>

#include "tui/dashboard/layout.h"
#include "tui/dashboard/pen.h"

namespace pipetop::tui {

struct TitlePart {
  std::string text;
  Ink ink;
};

// Draws border and title, returns what is left for the contents. Title parts are
// joined by " · " and cut with an ellipsis.
Area draw_panel(Canvas& canvas, const Layout& layout, const Rect& rect,
                std::span<const TitlePart> title, bool focused = false);

}  // namespace pipetop::tui
