// What the terminal can show: decided once, from TERM, the locale and the
// person's choices.
#pragma once

#include "engine/config/config.h"
#include "tui/draw/glyphs.h"
#include "tui/draw/theme.h"

namespace pipetop::tui {

struct TerminalOptions {
  Choice unicode = Choice::automatic;
  Choice color = Choice::automatic;
};

struct TerminalKind {
  GlyphSet glyphs = GlyphSet::ascii;
  ColorDepth colors = ColorDepth::none;
};

// Throws Error with what to do instead when standard input or output is no
// terminal, or TERM names none that can place the cursor.
TerminalKind require_terminal(const TerminalOptions& options);

}  // namespace pipetop::tui
