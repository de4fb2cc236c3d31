// The terminal while the dashboard owns it: shows canvases, reads keys. All changes
// to the terminal are undone, however it ends.
#pragma once

#include <termios.h>

#include <array>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/draw/style.h"
#include "tui/screen/background.h"
#include "tui/screen/guards.h"
#include "tui/screen/terminal_kind.h"

struct screen;  // curses' SCREEN

namespace pipetop::tui {

class Terminal {
 public:
  // Throws Error if there is no terminal, or it cannot draw.
  explicit Terminal(const Config& config, const TerminalFiles& files = {});
  ~Terminal();

  GlyphSet glyphs() const { return kind_.glyphs; }

  // Draws the cells that changed since the last canvas.
  void show(const Canvas& canvas);
  // The next canvas is drawn completely, on a cleared screen.
  void forget();
  // The next canvas is drawn completely, over whatever somebody else has written in between.
  void distrust();

  ThemeChoice theme() const { return theme_; }
  void set_theme(ThemeChoice theme);
  // The one of the colours that are shown, also for ThemeChoice::automatic.
  Theme shown_theme() const;
  bool has_colors() const { return kind_.colors != ColorDepth::none; }

  // Input::Kind::none if there is nothing more.
  Input read();
  // Whether the terminal is gone: nothing can be read any more.
  bool hung_up() const;

  // Queries the size again.
  void resize();
  int rows() const;
  int cols() const;

  void set_mouse(bool on);
  bool mouse() const { return mouse_; }

  // Releases the terminal temporarily, and takes it again.
  void suspend();
  void resume();

 private:
  void start_colors();
  void use_colors();
  // The number of a color for curses.
  int color_number(const Color& color) const;
  void ask_background();
  void await_background();
  // Takes the next character or event into input_; false if there is none.
  bool fetch();
  void take_typed();
  void arm_guard();
  // Sets the look of what is written next.
  void use(Ink ink) const;
  void show_row(const Canvas& canvas, int row);
  void put_run(const Canvas& canvas, int row, int begin, int end);

  struct CloseKeys {
    void operator()(std::FILE* file) const;
  };

  TerminalFiles files_;
  TerminalKind kind_;
  ThemeChoice theme_;
  std::optional<Theme> own_theme_;  // that suits the terminal's own background, if that is known
  BackgroundAnswer background_;
  bool asked_ = false;
  termios saved_;         // as the user had them
  SavedActions actions_;  // ncurses installs its own handlers
  ParkedStderr parked_;
  GatheredOutput output_;
  std::unique_ptr<std::FILE, CloseKeys> keys_;  // what curses reads
  screen* screen_;
  std::array<unsigned, kStyles> attributes_{};  // attr_t
  std::array<bool, kStyles> has_pair_{};
  int own_background_ = 0;  // for curses: the terminal's own, or black if there is no such number
  std::deque<Input> input_;
  bool mouse_ = false;
  std::optional<CrashGuard> guard_;
  std::optional<Canvas> shown_;  // what curses was told last
  std::vector<wchar_t> run_;
};

}  // namespace pipetop::tui
