// Runs a screen on the terminal: the loop around its keys, signals and frames.
#pragma once

#include <functional>
#include <string>

#include "engine/config/config.h"
#include "tui/screen/screen.h"
#include "tui/screen/terminal_kind.h"

namespace pipetop::tui {

struct ShellOptions {
  TerminalFiles files = {};
  Tape* tape = nullptr;  // null: nothing can be recorded
  // Each frame as it is drawn.
  std::function<void(const Canvas&)> every_frame = {};
  // Saves a picture; returns the file's name. Throws Error. Empty: none can be saved.
  std::function<std::string(const std::string& svg)> save_picture = {};
};

// Until the user quits. Returns the exit code: 0 after q or Ctrl-C, and when the screen has ended;
// 128 + signal after SIGTERM, SIGHUP or SIGQUIT. Throws Error if there is no terminal, or the
// screen cannot go on; the terminal is restored first. Of `config` it uses the colours, characters,
// theme and frame rate.
int run_screen(Screen& screen, const Config& config, const ShellOptions& options = {});

}  // namespace pipetop::tui
