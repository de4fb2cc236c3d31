// Single frames of a screen, without a terminal: for pictures.
#pragma once

#include <optional>
#include <string_view>

#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/screen/screen.h"

namespace pipetop::tui {

// "v", "Space", "Tab", "Up": as the help names them; nothing for other words.
std::optional<Key> key_named(std::string_view word);

class Still {
 public:
  // The screen must outlive it.
  Still(Screen& screen, int rows, int cols, GlyphSet glyphs = GlyphSet::unicode);

  // Takes what there is now.
  void tick();
  // As if it were typed now.
  void press(Key key) { screen_.handle({Input::Kind::key, key, {}}); }
  // Draws what the last tick took.
  const Canvas& draw_frame();

 private:
  Screen& screen_;
  Canvas canvas_;
  int rows_, cols_;
};

}  // namespace pipetop::tui
