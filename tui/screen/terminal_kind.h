// What the terminal can show: determined once, from TERM, the locale and the user's options.
#pragma once

#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/handles.h"
#include "engine/config/config.h"
#include "tui/draw/style.h"

namespace pipetop::tui {

// Where the terminal is.
struct TerminalFiles {
  int in = STDIN_FILENO, out = STDOUT_FILENO;
  std::string_view instead = "pipetop run";       // the command that does without
  std::shared_ptr<const UniqueFd> own = nullptr;  // what was opened to be both

  // The one that the process belongs to, if the standard files are somebody else's. Throws
  // SystemError.
  static TerminalFiles controlling();
};

struct TerminalKind {
  GlyphSet glyphs = GlyphSet::ascii;
  ColorDepth colors = ColorDepth::none;
  bool direct = false;   // colours are numbers 0xRRGGBB; else they are numbers in a palette
  bool answers = false;  // it can be asked for its background
};

// Throws Error, with an alternative, if one of the files is not a terminal, or if TERM has no
// cursor addressing.
TerminalKind require_terminal(const Config& config, const TerminalFiles& files = {});

// Leave the alternate screen, show the cursor, and so on. While curses is active.
std::string restore_bytes(bool mouse);

}  // namespace pipetop::tui
