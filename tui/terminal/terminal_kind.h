// What the terminal can show: determined once, from TERM, the locale and the user's options.
#pragma once

#include <string>

#include "engine/config/config.h"
#include "tui/draw/look.h"
#include "tui/draw/themes.h"

namespace pipetop::tui {

struct TerminalKind {
  GlyphSet glyphs = GlyphSet::ascii;
  ColorDepth colors = ColorDepth::none;
  bool direct = false;   // colours are numbers 0xRRGGBB; else they are numbers in a palette
  bool answers = false;  // it can be asked for its background
};

// Throws Error, with an alternative, if standard input or output is not a terminal,
// or if TERM has no cursor addressing.
TerminalKind require_terminal(const Config& config);

// Leave the alternate screen, show the cursor, and so on. While curses is active.
std::string restore_bytes(bool mouse);

}  // namespace pipetop::tui
