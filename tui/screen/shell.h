// Runs a screen on the terminal: the loop around its keys, signals and frames; or without one, for
// pictures.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/config/config.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/screen/screen.h"
#include "tui/screen/terminal_kind.h"

namespace pipetop::tui {

struct ShellOptions {
  TerminalFiles files = {};
  Tape* tape = nullptr;  // null: nothing can be recorded
  // Saves a picture; returns the file's name. Throws Error. Empty: none can be saved.
  std::function<std::string(const std::string& svg)> save_picture = {};
};

// Until the user quits. Returns the exit code: 0 after q or Ctrl-C, and when the screen has ended;
// 128 + signal after SIGTERM, SIGHUP or SIGQUIT. Throws Error if there is no terminal, or the
// screen cannot go on; the terminal is restored first. Of `config` it uses the colours, characters,
// theme and frame rate.
int run_screen(Screen& screen, const Config& config, const ShellOptions& options = {});

// ---- without a terminal ----

// "v", "Space", "Tab", "Up": as the help names them; nothing for other words.
std::optional<Key> key_named(std::string_view word);

// Single frames of a screen.
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
