// The terminal while the dashboard owns it: shows canvases, reads keys. All changes
// to the terminal are undone, however it ends.
#pragma once

#include <optional>
#include <vector>

#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/terminal/curses_screen.h"

namespace pipetop::tui {

class Terminal {
 public:
  // Throws Error if there is no terminal, or it cannot draw.
  explicit Terminal(const TerminalOptions& options);

  GlyphSet glyphs() const { return kind_.glyphs; }

  // Draws the cells that changed since the last canvas.
  void show(const Canvas& canvas);
  // The next canvas is drawn completely, on a cleared screen.
  void forget();

  // Input::Kind::none if there is nothing more.
  Input read();
  // Whether the terminal is gone: nothing can be read any more.
  bool hung_up() const;

  // Queries the size again.
  void resize();
  int rows() const;
  int cols() const;

  void set_mouse(bool on) { screen_.set_mouse(on); }
  bool mouse() const { return screen_.mouse(); }

  // Releases the terminal temporarily, and takes it again.
  void suspend() { screen_.suspend(); }
  void resume();

 private:
  void show_row(const Canvas& canvas, int row);
  void put_run(const Canvas& canvas, int row, int begin, int end);

  TerminalKind kind_;
  CursesScreen screen_;
  std::optional<Canvas> shown_;  // what curses was told last
  std::vector<wchar_t> run_;
};

}  // namespace pipetop::tui
