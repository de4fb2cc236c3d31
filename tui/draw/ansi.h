// What a terminal has to be told to show a canvas.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tui/draw/canvas.h"
#include "tui/draw/themes.h"

namespace pipetop::tui {

// A terminal of 256 colours that is only told, never asked.
class AnsiScreen {
 public:
  // The theme's colours on the terminal's own background.
  explicit AnsiScreen(Theme theme);

  // The escape sequences that change what was shown last into this; "" if nothing differs. All of
  // it if the size differs, on a cleared screen.
  std::string update(const Canvas& canvas);

 private:
  void put_row(const Canvas& canvas, int row);
  void use(Ink ink);

  std::array<int, kStyles> numbers_{};  // in the palette
  std::string out_;
  int rows_ = -1, cols_ = -1;
  std::vector<Cell> shown_;
  bool ink_known_ = false;
  Ink ink_;
};

}  // namespace pipetop::tui
