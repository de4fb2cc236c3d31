#include "tui/screen/shell.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "tui/draw/picture.h"
#include "tui/draw/text.h"
#include "tui/screen/terminal.h"

namespace pipetop::tui {
namespace {

class Shell {
 public:
  Shell(Screen& screen, const Config& config, const ShellOptions& options)
      : screen_(screen),
        options_(options),
        frame_ns_(kSecond / std::clamp(config.frames_per_s, 1u, 1000u)),
        stderr_is_shared_(options.files.own && isatty(STDERR_FILENO) == 1),
        terminal_(config, options.files),
        loop_({.engine = screen.event_fd(), .signals = signals_.get(), .input = options.files.in}),
        canvas_(glyphs_of(terminal_.glyphs())) {
    if (!screen.uses_mouse()) terminal_.set_mouse(false);
  }

  int run() {
    frame(true);
    while (!exit_code_) serve(loop_.wait());
    return *exit_code_;
  }

 private:
  void serve(const Events& events) {
    if (events.engine && !screen_.handle_events()) loop_.unwatch(screen_.event_fd());
    if (screen_.has_ended()) exit_code_ = 0;
    if (events.signals) serve_signals();
    if (events.input) serve_input();
    const bool asked = events.input || events.signals;
    if (!exit_code_ && (asked || events.timer)) frame(asked);
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
        case SIGCONT:  // perhaps after an unnoticed stop: somebody else used the terminal
          terminal_.suspend();
          terminal_.resume();
          break;
        case SIGINT:
        case SIGQUIT:
          if (!screen_.has_command()) interrupt(number);
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
      serve(screen_.handle(input));
    }
    if (!any && terminal_.hung_up()) exit_code_ = kSignalExit + SIGHUP;
  }

  void serve(Outcome outcome) {
    switch (outcome) {
      case Outcome::stay:
        break;
      case Outcome::redraw_all:
        terminal_.resize();
        terminal_.forget();
        break;
      case Outcome::toggle_mouse:
        toggle_mouse();
        break;
      case Outcome::toggle_recording:
        toggle_recording();
        break;
      case Outcome::next_theme:
        choose_next_theme();
        break;
      case Outcome::save_picture:
        save_picture();
        break;
      case Outcome::suspend:
        suspend();
        break;
      case Outcome::interrupt:
        interrupt(SIGINT);
        break;
      case Outcome::abort:
        interrupt(SIGQUIT);
        break;
      case Outcome::quit:
        exit_code_ = 0;
    }
  }

  void interrupt(int number) {
    if (screen_.has_command())
      screen_.deliver(number);
    else
      exit_code_ = number == SIGINT ? 0 : kSignalExit + number;
  }

  void toggle_mouse() {
    terminal_.set_mouse(!terminal_.mouse());
    screen_.say(terminal_.mouse() ? "mouse on" : "mouse off: text can be selected");
  }

  void choose_next_theme() {
    const size_t next = (static_cast<size_t>(terminal_.theme()) + 1) % theme_names().size();
    const auto choice = static_cast<ThemeChoice>(next);
    terminal_.set_theme(choice);
    const std::string_view shown = theme_name(terminal_.shown_theme());
    if (!terminal_.has_colors())
      screen_.say("no colours here, so no themes; see pipetop help themes");
    else if (choice == ThemeChoice::automatic)
      screen_.say(fmt::format("theme: auto, for a {} background", shown));
    else
      screen_.say(fmt::format("theme: {}", shown));
  }

  // Saves what is on the screen.
  void save_picture() {
    if (!options_.save_picture) return;
    const PictureStyle style{terminal_.shown_theme(), terminal_.has_colors()};
    attempt("",
            [&] { screen_.say("saved " + options_.save_picture(svg_picture(canvas_, style))); });
  }

  void toggle_recording() {
    if (!options_.tape) return screen_.say("nothing can be recorded here");
    attempt("", [&] { screen_.say(options_.tape->toggle()); });
    record();  // what is shown, for a file that ends before the next frame
  }

  void record() {
    if (!options_.tape) return;
    attempt("the recording has ended: ", [&] { screen_.record(*options_.tape); });
    screen_.set_recording(options_.tape->on());
  }

  // What cannot be done is said, and the screen goes on.
  template <class Work>
  void attempt(const char* what, const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      screen_.say(std::string(what) + error.what(), Severity::error);
    }
  }

  // As if the terminal itself had stopped the process group, so that the user's shell gets control
  // back, even through a script or sudo.
  void suspend() {
    screen_.suspend();
    terminal_.suspend();
    deliver_stop(SIGTSTP, 0);
    terminal_.resume();
    screen_.resume();
  }

  // `asked`: by a key or a signal; else it is drawn only if there is something new.
  void frame(bool asked) {
    const uint64_t now_ns = monotonic_ns();
    const bool is_new = screen_.tick(now_ns);
    record();
    set_pace();
    if (!is_new && !asked) return;
    repair(now_ns);
    screen_.lay_out(terminal_.rows(), terminal_.cols());
    canvas_.reset(terminal_.rows(), terminal_.cols());
    screen_.draw(canvas_);
    terminal_.show(canvas_);
  }

  // What a command writes to its stderr is on the screen, too, if that is the terminal.
  void repair(uint64_t now_ns) {
    if (!stderr_is_shared_ || now_ns < repaired_ns_ + kSecond) return;
    repaired_ns_ = now_ns;
    terminal_.distrust();
  }

  void set_pace() {
    const uint64_t period_ns = screen_.period_ns(frame_ns_);
    if (std::exchange(period_ns_, period_ns) != period_ns) loop_.set_timer_every(period_ns);
  }

  Screen& screen_;
  const ShellOptions& options_;
  uint64_t frame_ns_, period_ns_ = 0;
  bool stderr_is_shared_;
  // Before curses, so that its handlers are never used.
  SignalFd signals_{SIGWINCH, SIGTERM, SIGHUP, SIGQUIT, SIGINT, SIGTSTP, SIGCONT};
  Terminal terminal_;
  EventLoop loop_;
  Canvas canvas_;
  uint64_t repaired_ns_ = 0;
  std::optional<int> exit_code_;
};

struct NamedKey {
  std::string_view name;
  Key key;
};
constexpr NamedKey kNamedKeys[] = {
    {"Space", U' '},        {"Tab", key::tab},        {"Enter", key::enter}, {"Esc", key::escape},
    {"Up", key::up},        {"Down", key::down},      {"Left", key::left},   {"Right", key::right},
    {"PgUp", key::page_up}, {"PgDn", key::page_down}, {"Home", key::home},   {"End", key::end},
};

}  // namespace

int run_screen(Screen& screen, const Config& config, const ShellOptions& options) {
  return Shell(screen, config, options).run();
}

std::optional<Key> key_named(std::string_view word) {
  const auto found = std::ranges::find(kNamedKeys, word, &NamedKey::name);
  if (found != std::end(kNamedKeys)) return found->key;
  if (word.empty()) return {};
  const char32_t first = take_code_point(word);
  const bool is_one = word.empty() && first > U' ' && first != 0x7F && first != kReplacement;
  return is_one ? std::optional<Key>(first) : std::nullopt;
}

Still::Still(Screen& screen, int rows, int cols, GlyphSet glyphs)
    : screen_(screen), canvas_(glyphs_of(glyphs)), rows_(rows), cols_(cols) {}

void Still::tick() {
  screen_.tick(monotonic_ns());
  screen_.lay_out(rows_, cols_);
}

const Canvas& Still::draw_frame() {
  screen_.lay_out(rows_, cols_);
  canvas_.reset(rows_, cols_);
  screen_.draw(canvas_);
  return canvas_;
}

}  // namespace pipetop::tui
