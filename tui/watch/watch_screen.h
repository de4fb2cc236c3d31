// The screen of `pipetop watch`: the table of all pipes and, for one pipeline, its bottleneck,
// until the user quits.
#pragma once

#include <functional>
#include <string>

#include "engine/config/config.h"
#include "engine/watch/watch_source.h"
#include "tui/draw/canvas.h"
#include "tui/screen/screen.h"
#include "tui/widgets/pipes.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {

struct WatchScreenOptions {
  // Drawn on /dev/tty, with its keys, whatever stdin, stdout and stderr are: those belong to the
  // pipeline of `watch -- COMMAND`. Else on stdin and stdout, as the dashboard.
  bool on_controlling_terminal = false;
  // Begins with the pipeline that the caller has opened in the Watcher, and Esc leads to the table;
  // else with the table.
  bool pipeline = false;
  PipeSort sort = PipeSort::rate;  // of the table
  std::string filter = {};         // of the table
  // For the title: what `watch -- COMMAND` runs. Its pipeline isn't left for the table.
  std::string command = {};
  // Also waited for: the command's pidfd. Once it is readable, `ended` is called, again and again
  // until it returns true; then the screen ends.
  int fd = -1;
  std::function<bool()> ended = {};
  // Gets SIGINT and SIGQUIT for Ctrl-C and Ctrl-\, which don't reach the pipeline by themselves,
  // because the terminal is raw. Empty: they leave the screen.
  std::function<void(int signal)> deliver = {};
  // Gets, after the screen, what was changed in other processes and could not be put back.
  std::function<void(const std::string&)> say = {};
  // Every snapshot, also while the screen is frozen.
  std::function<void(const Snapshot&)> every_snapshot = {};
  Tape* tape = nullptr;  // gets the open pipeline
  // Each frame as it is drawn.
  std::function<void(const Canvas&, const Snapshot&)> every_frame = {};
  // What is shown is a recording, that this moves.
  Transport* transport = nullptr;
  // As in ShellOptions.
  std::function<std::string(const std::string& svg)> save_picture = {};
};

// Throws Error, with an alternative, if no terminal can show it: for callers that want to know
// before they load BPF or start a command.
void check_watch_terminal(const Config& config, const WatchScreenOptions& options);

// Returns the exit code: 0 after q, Ctrl-C, or when `ended` said so; 128 + signal after SIGTERM,
// SIGHUP or SIGQUIT. Throws Error if there is no terminal, or the watcher cannot go on; the
// terminal is restored first. What was changed in other processes is put back before it returns or
// throws, unless the user keeps it; what can't be makes a 0 a 3. Of `config` it uses the colours,
// characters, theme and frame rate.
int run_watch_screen(WatchSource& source, const Config& config, const WatchScreenOptions& options);

}  // namespace pipetop::tui
