#include "tui/watch/watch_screen.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/base/unique_fd.h"
#include "tui/screen/terminal.h"
#include "tui/screen/terminal_keys.h"
#include "tui/state/held_figures.h"
#include "tui/watch/watch_controller.h"
#include "tui/watch/watch_source.h"
#include "tui/watch/watch_view.h"

namespace pipetop::tui {
namespace {

// The table's passes are made when they are due: half a second apart.
constexpr uint64_t kTableTick_ns = 125 * kMs;

// The terminal that the process belongs to, whatever its standard files are.
class ScreenFiles {
 public:
  explicit ScreenFiles(const WatchScreenOptions& options) {
    if (options.on_controlling_terminal) {
      tty_ = UniqueFd(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
      if (!tty_) throw SystemError("opening /dev/tty", errno);
      files_.in = files_.out = tty_.get();
    }
    files_.instead = "pipetop watch --once";
  }

  const TerminalFiles& get() const { return files_; }

 private:
  UniqueFd tty_;
  TerminalFiles files_;
};

WatchStart start_of(const Config& config, const WatchScreenOptions& options) {
  return {.sort = options.sort,
          .filter = options.filter,
          .pipeline = options.pipeline,
          .command = options.command,
          .hold_ns = config.show ? kShowHolds_ns : kDashboardHolds_ns};
}

class WatchScreen {
 public:
  WatchScreen(WatchSource& source, const Config& config, const WatchScreenOptions& options)
      : options_(options),
        shared_(options.on_controlling_terminal && isatty(STDERR_FILENO) == 1),
        frame_ns_(kSecond / std::clamp(config.frames_per_s, 1u, 1000u)),
        files_(options),
        terminal_(config, files_.get()),
        loop_({.engine = options.fd, .signals = signals_.get(), .input = files_.get().in}),
        controller_(source, start_of(config, options)),
        canvas_(glyphs_of(terminal_.glyphs())) {}

  int run() {
    frame(true);
    while (!exit_code_) serve(loop_.wait());
    return *exit_code_;
  }

  bool keeps_changes() const { return controller_.keeps_changes(); }

 private:
  void serve(const Events& events) {
    if (events.engine) watch_for_end();
    if (ending_ && options_.ended()) exit_code_ = 0;
    if (events.signals) serve_signals();
    if (events.input) serve_input();
    if (!exit_code_) frame(events.input || events.signals);
  }

  // Its descriptor stays readable, and descendants may go on: `ended` is asked at every tick.
  void watch_for_end() {
    loop_.unwatch(options_.fd);
    ending_ = static_cast<bool>(options_.ended);
  }

  void serve_signals() {
    while (const int number = signals_.take()) {
      switch (number) {
        case SIGWINCH:
          terminal_.resize();
          break;
        case SIGTSTP:
          suspend();
          break;
        case SIGCONT:
          take_again(terminal_);
          break;
        case SIGINT:
        case SIGQUIT:
          // The command has got it, too: it is of our group.
          if (!options_.deliver) interrupt(number);
          break;
        default:
          exit_code_ = kSignalExit + number;
      }
    }
  }

  void serve_input() {
    bool any = false;
    for (Input input = terminal_.read(); input.kind != Input::Kind::none && !exit_code_;
         input = terminal_.read()) {
      any = true;
      serve(controller_.handle(input));
    }
    if (!any && terminal_.hung_up()) exit_code_ = kSignalExit + SIGHUP;
  }

  void serve(WatchOutcome outcome) {
    switch (outcome) {
      case WatchOutcome::stay:
        break;
      case WatchOutcome::redraw_all:
        redraw_all(terminal_);
        break;
      case WatchOutcome::toggle_mouse:
        controller_.show_message(toggle_mouse(terminal_));
        break;
      case WatchOutcome::next_theme:
        controller_.show_message(choose_next_theme(terminal_));
        break;
      case WatchOutcome::suspend:
        suspend();
        break;
      case WatchOutcome::interrupt:
        interrupt(SIGINT);
        break;
      case WatchOutcome::abort:
        interrupt(SIGQUIT);
        break;
      case WatchOutcome::quit:
        exit_code_ = 0;
    }
  }

  // Ctrl-C is the command's, if there is one.
  void interrupt(int number) {
    if (options_.deliver)
      options_.deliver(number);
    else
      exit_code_ = number == SIGINT ? 0 : kSignalExit + number;
  }

  // As if the terminal itself had stopped the process group, so that the shell gets control back.
  void suspend() {
    terminal_.suspend();
    deliver_stop(SIGTSTP, 0);
    terminal_.resume();
  }

  // `asked`: by a key or a signal; else it is drawn only if there is something new.
  void frame(bool asked) {
    const auto before = controller_.latest();
    const bool is_new = controller_.tick(monotonic_ns());
    if (options_.every_snapshot && controller_.latest() != before)
      options_.every_snapshot(*controller_.latest());
    set_pace();
    if (!is_new && !asked) return;
    repair(controller_.state().now_ns);
    controller_.lay_out(terminal_.rows(), terminal_.cols());
    canvas_.reset(terminal_.rows(), terminal_.cols());
    draw(canvas_, controller_.state());
    terminal_.show(canvas_);
  }

  // What a command writes to its stderr is on the screen, too, if that is the terminal.
  void repair(uint64_t now_ns) {
    constexpr uint64_t kEvery_ns = kSecond;
    if (!shared_ || now_ns < repaired_ns_ + kEvery_ns) return;
    repaired_ns_ = now_ns;
    terminal_.distrust();
  }

  void set_pace() {
    const uint64_t period =
        controller_.state().in_pipeline ? frame_ns_ : std::max(frame_ns_, kTableTick_ns);
    if (period == period_ns_) return;
    period_ns_ = period;
    loop_.set_timer_every(period);
  }

  const WatchScreenOptions& options_;
  bool shared_;  // stderr is on the screen
  uint64_t frame_ns_, period_ns_ = 0;
  // Before curses, so that its handlers are never used.
  SignalFd signals_{SIGWINCH, SIGTERM, SIGHUP, SIGQUIT, SIGINT, SIGTSTP, SIGCONT};
  ScreenFiles files_;
  Terminal terminal_;
  EventLoop loop_;
  WatchController controller_;
  Canvas canvas_;
  bool ending_ = false;  // the command has exited
  uint64_t repaired_ns_ = 0;
  std::optional<int> exit_code_;
};

// Whatever ended the screen. Returns whether all is as it was, or as the user wants it.
bool put_back(WatchSource& source, const WatchScreenOptions& options) {
  const std::vector<std::string> left = source.finish_changes();
  if (options.say) std::ranges::for_each(left, options.say);
  return left.empty();
}

}  // namespace

void check_watch_terminal(const Config& config, const WatchScreenOptions& options) {
  require_terminal(config, ScreenFiles(options).get());
}

int run_watch_screen(WatchSource& source, const Config& config, const WatchScreenOptions& options) {
  std::optional<WatchScreen> screen(std::in_place, source, config, options);
  int exit_code = 0;
  try {
    exit_code = screen->run();
  } catch (...) {
    screen.reset();  // the terminal, first
    put_back(source, options);
    throw;
  }
  if (screen->keeps_changes()) source.keep_changes();
  screen.reset();
  const bool is_done = put_back(source, options);
  return exit_code == 0 && !is_done ? static_cast<int>(Exit::refused) : exit_code;
}

}  // namespace pipetop::tui
