// The curses session, started by the constructor and always undone; and what the terminal can show:
// determined once, from TERM, the locale and the user's options.
#pragma once

#include <termios.h>

#include <array>
#include <optional>
#include <string>

#include "engine/config/config.h"
#include "tui/draw/look.h"
#include "tui/terminal/guards.h"

struct screen;  // curses' SCREEN

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

class CursesScreen {
 public:
  explicit CursesScreen(ColorDepth colors);
  ~CursesScreen();

  void suspend();
  void resume();
  void set_mouse(bool on);
  bool mouse() const { return mouse_; }
  // Sends what was drawn to the terminal.
  void refresh() const;
  // Sets the look of what is written next.
  void use(Ink ink) const;

 private:
  void start_colors();
  void arm_guard();

  ColorDepth colors_;
  termios saved_;         // as the user had them
  SavedActions actions_;  // ncurses installs its own handlers
  ParkedStderr parked_;
  GatheredOutput output_;
  screen* screen_;
  std::array<unsigned, kStyles> attributes_{};  // attr_t
  std::array<bool, kStyles> has_pair_{};
  bool mouse_ = false;
  std::optional<CrashGuard> guard_;
};

}  // namespace pipetop::tui
