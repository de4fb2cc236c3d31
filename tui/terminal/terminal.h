// The terminal while the dashboard owns it: shows canvases, reads keys. Whatever
// it changes about the terminal it gives back, however it ends.
#pragma once

#include <memory>

#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/terminal/terminal_kind.h"

namespace pipetop::tui {

class Terminal {
 public:
  // Throws Error when there is no terminal, or one that cannot draw.
  explicit Terminal(const TerminalOptions& options);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  GlyphSet glyphs() const;

  // Brings the cells that changed since the last canvas to the screen.
  void show(const Canvas& canvas);
  // The next canvas is drawn whole, on a cleared screen.
  void forget();

  // Input::Kind::none when nothing more is there.
  Input read();
  // Whether the person's end is gone: nothing will ever be read again.
  bool hung_up() const;

  // Asks for the size anew.
  void resize();
  int rows() const;
  int cols() const;

  void set_mouse(bool on);
  bool mouse() const;

  // Gives the terminal back for a while, and takes it again.
  void suspend();
  void resume();

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

}  // namespace pipetop::tui
