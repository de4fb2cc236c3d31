#include "tui/notes/notes_app.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <ctime>
#include <optional>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "tui/notes/notes_screen.h"
#include "tui/notes/notes_socket.h"
#include "tui/screen/terminal.h"

namespace pipetop::tui {
namespace {

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

class NotesApp {
 public:
  explicit NotesApp(const Config& config)
      : terminal_(config),
        loop_({.signals = signals_.get(), .input = STDIN_FILENO}),
        canvas_(glyphs_of(terminal_.glyphs())) {
    loop_.set_timer_every(100 * kMs);
  }

  int run() {
    show();
    while (!exit_code_) {
      const Events events = loop_.wait();
      if (events.signals) serve_signals();
      if (events.input) serve_input();
      if (!exit_code_) show();
    }
    return *exit_code_;
  }

 private:
  void serve_signals() {
    while (const int number = signals_.take()) {
      if (number == SIGWINCH) {
        terminal_.resize();
      } else if (number == SIGTSTP) {
        suspend();
      } else if (number == SIGCONT) {
        terminal_.suspend();
        terminal_.resume();
      } else {
        exit_code_ = number == SIGINT ? 0 : kSignalExit + number;
      }
    }
  }

  void serve_input() {
    bool any = false;
    for (Input input = terminal_.read(); input.kind != Input::Kind::none;
         input = terminal_.read()) {
      any = true;
      if (input.kind == Input::Kind::key) press(input.key);
    }
    if (!any && terminal_.hung_up()) exit_code_ = kSignalExit + SIGHUP;
  }

  void press(Key k) {
    if (k == U'q' || k == key::ctrl('C')) exit_code_ = 0;
    if (k == key::ctrl('\\')) exit_code_ = kSignalExit + SIGQUIT;
    if (k == key::ctrl('Z')) suspend();
    if (k == key::ctrl('L')) {
      terminal_.resize();
      terminal_.forget();
    }
  }

  void suspend() {
    terminal_.suspend();
    deliver_stop(SIGTSTP, 0);
    terminal_.resume();
  }

  void show() {
    reader_.update(notes_directories(), notes_owner().uid);
    canvas_.reset(terminal_.rows(), terminal_.cols());
    draw_notes(canvas_, {reader_.page(), reader_.connected(), monotonic_ns(), clock_text()});
    terminal_.show(canvas_);
  }

  // Before curses, so that its handlers are never used.
  SignalFd signals_{SIGWINCH, SIGTERM, SIGHUP, SIGQUIT, SIGINT, SIGTSTP, SIGCONT};
  Terminal terminal_;
  EventLoop loop_;
  Canvas canvas_;
  NotesReader reader_;
  std::optional<int> exit_code_;
};

}  // namespace

int run_notes(const Config& config) {
  require_terminal(config);
  return NotesApp(config).run();
}

}  // namespace pipetop::tui
