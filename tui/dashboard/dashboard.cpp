#include "tui/dashboard/dashboard.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/view.h"
#include "tui/draw/picture.h"
#include "tui/notes/notes_socket.h"
#include "tui/screen/terminal.h"
#include "tui/screen/terminal_keys.h"
#include "tui/state/held_figures.h"
#include "tui/state/ring_state.h"

namespace pipetop::tui {
namespace {

NotesPage notes_of(const TalkState& talk) {
  const Scene& scene = talk.scenes[*talk.at];
  return {static_cast<uint32_t>(*talk.at + 1),
          static_cast<uint32_t>(talk.scenes.size()),
          scene.title,
          scene.notes,
          talk.has_next() ? talk.scenes[*talk.at + 1].title : "",
          talk.begun_ns,
          talk.entered_ns};
}

class Dashboard {
 public:
  Dashboard(Source& source, const Config& config, const DashboardOptions& options)
      : source_(source),
        options_(options),
        terminal_(config),
        loop_({.engine = source.event_fd(), .signals = signals_.get(), .input = STDIN_FILENO}),
        controller_(source, config.settings, config.presets),
        canvas_(glyphs_of(terminal_.glyphs())) {
    controller_.set_roof(options.roof_gib_per_s);
    controller_.set_show(config.show);
    controller_.begin_talk(config.scenes, options.present ? &*options.present : nullptr);
    if (options.present) serve_notes();
    loop_.set_timer_every(kSecond / std::clamp(config.frames_per_s, 1u, 1000u));
  }

  int run() {
    frame();
    while (!exit_code_) serve(loop_.wait());
    return *exit_code_;
  }

 private:
  void serve(const Events& events) {
    if (events.engine) source_.handle_events();
    if (events.signals) serve_signals();
    if (events.input) serve_input();
    if (!exit_code_ && (events.timer || events.input || events.signals)) frame();
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
          exit_code_ = 0;
          break;
        default:
          exit_code_ = 128 + number;
      }
    }
  }

  void serve_input() {
    bool any = false;
    for (Input input = terminal_.read(); input.kind != Input::Kind::none && !exit_code_;
         input = terminal_.read()) {
      any = true;
      serve(controller_.handle(input, shown_));
    }
    if (!any && terminal_.hung_up()) exit_code_ = 128 + SIGHUP;
  }

  void serve(Outcome outcome) {
    switch (outcome) {
      case Outcome::stay:
        break;
      case Outcome::redraw_all:
        redraw_all(terminal_);
        break;
      case Outcome::toggle_mouse:
        controller_.show_message(toggle_mouse(terminal_), Severity::info);
        break;
      case Outcome::toggle_recording:
        toggle_recording();
        break;
      case Outcome::next_theme:
        controller_.show_message(choose_next_theme(terminal_), Severity::info);
        break;
      case Outcome::save_picture:
        save_picture();
        break;
      case Outcome::suspend:
        suspend();
        break;
      case Outcome::quit:
        exit_code_ = 0;
        break;
      case Outcome::abort:
        exit_code_ = 128 + SIGQUIT;
    }
  }

  // Of what is on the screen.
  void save_picture() {
    if (!options_.save_picture) return;
    const PictureStyle style{terminal_.shown_theme(), terminal_.has_colors()};
    try {
      const std::string name = options_.save_picture(svg_picture(canvas_, style));
      controller_.show_message("saved " + name, Severity::info);
    } catch (const Error& error) {
      controller_.show_message(error.what(), Severity::error);
    }
  }

  // As if the terminal itself had stopped the process group, so that the shell
  // gets control back, even through a script or sudo.
  void suspend() {
    source_.suspend();
    terminal_.suspend();
    deliver_stop(SIGTSTP, 0);
    terminal_.resume();
    source_.resume();
  }

  // Without them the talk goes on.
  void serve_notes() {
    try {
      notes_.emplace(notes_directories(), notes_owner());
    } catch (const Error& error) {
      controller_.show_message(std::string("pipetop notes will not work: ") + error.what(),
                               Severity::warning);
    }
  }

  void frame() {
    Snapshot now = source_.tick();
    if (options_.every_snapshot) options_.every_snapshot(now);
    const bool replay = source_.replay() != nullptr;
    controller_.set_time(now.now_ns, replay ? monotonic_ns() : now.now_ns);
    controller_.go_on(now);
    if (notes_) notes_->serve(notes_of(controller_.state().talk));
    if (!replay) whole_frames_.replace_torn(now.ring);
    // A recording holds what was shown.
    if (!replay) held_.hold(now, controller_.state().show.on ? kShowHolds_ns : kDashboardHolds_ns);
    record(now);
    if (!controller_.state().frozen || shown_.now_ns == 0) shown_ = std::move(now);
    controller_.show(shown_, terminal_.rows(), terminal_.cols());
    canvas_.reset(terminal_.rows(), terminal_.cols());
    draw(canvas_, shown_, controller_.state());
    terminal_.show(canvas_);
    if (options_.every_frame) options_.every_frame(canvas_, shown_);
  }

  void add_to_tape(const Snapshot& now) {
    const DashboardState& view = controller_.state();
    if (view.message.empty()) return options_.sink->add(now);
    Snapshot said = now;
    said.answer = Notice{now.now_ns, view.severity, view.message};
    options_.sink->add(said);
  }

  // The dashboard goes on if the recording cannot.
  void record(const Snapshot& now) {
    if (!options_.sink) return;
    const TalkState& talk = controller_.state().talk;
    try {
      if (talk.at && std::exchange(scene_since_ns_, talk.entered_ns) != talk.entered_ns)
        options_.sink->begin_scene(talk.entered_ns, static_cast<uint32_t>(*talk.at + 1),
                                   talk.scenes[*talk.at]);
      add_to_tape(now);
    } catch (const Error& e) {
      controller_.show_message(std::string("the recording has ended: ") + e.what(),
                               Severity::error);
    }
    controller_.set_recording(options_.sink->on());
  }

  void toggle_recording() {
    if (source_.replay()) return controller_.show_message("this is a recording");
    if (!options_.sink) return controller_.show_message("nothing can be recorded here");
    try {
      controller_.show_message(options_.sink->toggle());
    } catch (const Error& e) {
      controller_.show_message(e.what(), Severity::error);
    }
  }

  Source& source_;
  const DashboardOptions& options_;
  // Before curses, so that its handlers are never used.
  SignalFd signals_{SIGWINCH, SIGTERM, SIGHUP, SIGQUIT, SIGINT, SIGTSTP, SIGCONT};
  Terminal terminal_;
  EventLoop loop_;
  Controller controller_;
  Canvas canvas_;
  WholeFrames whole_frames_;
  HeldFigures held_;
  Snapshot shown_;  // stays while frozen
  std::optional<NotesServer> notes_;
  uint64_t scene_since_ns_ = 0;  // the last one that the recording was told
  std::optional<int> exit_code_;
};

}  // namespace

void check_terminal(const Config& config) { require_terminal(config); }

int run_dashboard(Source& source, const Config& config, const DashboardOptions& options) {
  return Dashboard(source, config, options).run();
}

}  // namespace pipetop::tui
