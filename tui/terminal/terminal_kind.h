// What the terminal can show: determined once, from TERM, the locale and the user's
// options.
#pragma once

#include "engine/config/config.h"
#include "tui/draw/look.h"

namespace pipetop::tui {

struct TerminalOptions {
  Choice unicode = Choice::automatic;
  Choice color = Choice::automatic;
};

struct TerminalKind {
  GlyphSet glyphs = GlyphSet::ascii;
  ColorDepth colors = ColorDepth::none;
};

// Throws Error, with an alternative, if standard input or output is not a terminal,
// or if TERM has no cursor addressing.
TerminalKind require_terminal(const TerminalOptions& options);

}  // namespace pipetop::tui
