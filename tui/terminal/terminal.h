// The terminal while the dashboard owns it: shows canvases, reads keys. All changes
// to the terminal are undone, however it ends.
#pragma once

#include <memory>

#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/terminal/terminal_kind.h"

namespace pipetop::tui {

class Terminal {
 public:
  // Throws Error if there is no terminal, or it cannot draw.
  explicit Terminal(const TerminalOptions& options);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  GlyphSet glyphs() const;

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

  void set_mouse(bool on);
  bool mouse() const;

  // Releases the terminal temporarily, and takes it again.
  void suspend();
  void resume();

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

}  // namespace pipetop::tui
