// What a terminal has to be told to show a canvas.
#pragma once

#include <string>

#include "tui/draw/canvas.h"

namespace pipetop::tui {

// A terminal that is only told, never asked.
class AnsiScreen {
 public:
  AnsiScreen(ColorDepth depth, Background background) : depth_(depth), background_(background) {}

  // The escape sequences that change what was shown last into this; "" if nothing differs. All of
  // it if the size differs, on a cleared screen.
  std::string update(const Canvas& canvas);

 private:
  void put_row(const Canvas& canvas, int row);
  void use(Ink ink);

  ColorDepth depth_;
  Background background_;
  std::string out_;
  int rows_ = -1, cols_ = -1;
  std::vector<Cell> shown_;
  bool ink_known_ = false;
  Ink ink_;
};

}  // namespace pipetop::tui
