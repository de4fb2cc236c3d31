#include "tui/watch/watch_screen.h"

#include <algorithm>

#include "engine/base/error.h"
#include "tui/screen/shell.h"
#include "tui/watch/watch_controller.h"
#include "tui/widgets/held_figures.h"

namespace pipetop::tui {
namespace {

TerminalFiles files_of(const WatchScreenOptions& options) {
  TerminalFiles files =
      options.on_controlling_terminal ? TerminalFiles::controlling() : TerminalFiles();
  files.instead = options.transport ? "pipetop replay --info" : "pipetop watch --once";
  return files;
}

WatchStart start_of(const Config& config, const WatchScreenOptions& options) {
  return {.sort = options.sort,
          .filter = options.filter,
          .pipeline = options.pipeline,
          .command = options.command,
          .recorded = options.transport != nullptr,
          .transport = options.transport,
          .hold_ns = config.show ? kShowHolds_ns : kDashboardHolds_ns};
}

// With the command whose pipeline it may be.
class WatchScreen final : public WatchController {
 public:
  WatchScreen(WatchSource& source, const Config& config, const WatchScreenOptions& options)
      : WatchController(source, start_of(config, options)), options_(options) {}

  int event_fd() const override { return options_.fd; }
  // Its descriptor stays readable, and descendants may go on: `ended` is asked at every tick.
  bool handle_events() override {
    ending_ = static_cast<bool>(options_.ended);
    return false;
  }
  bool has_ended() override { return ending_ && options_.ended(); }

  bool tick(uint64_t now_ns) override {
    const auto before = latest();
    const bool is_new = WatchController::tick(now_ns);
    if (options_.every_snapshot && latest() != before) options_.every_snapshot(*latest());
    return is_new;
  }

  void resume() override {
    if (options_.transport) options_.transport->resume();
  }

  bool has_command() const override { return static_cast<bool>(options_.deliver); }
  void deliver(int signal) override { options_.deliver(signal); }

 private:
  const WatchScreenOptions& options_;
  bool ending_ = false;  // the command has exited
};

// Whatever ended the screen. Returns whether all is as it was, or as the user wants it.
bool put_back(WatchSource& source, const WatchScreenOptions& options) {
  const std::vector<std::string> left = source.finish_changes();
  if (options.say) std::ranges::for_each(left, options.say);
  return left.empty();
}

}  // namespace

void check_watch_terminal(const Config& config, const WatchScreenOptions& options) {
  require_terminal(config, files_of(options));
}

int run_watch_screen(WatchSource& source, const Config& config, const WatchScreenOptions& options) {
  WatchScreen screen(source, config, options);
  ShellOptions shell{
      .files = files_of(options), .tape = options.tape, .save_picture = options.save_picture};
  if (options.every_frame)
    shell.every_frame = [&](const Canvas& canvas) {
      if (screen.state().shown) options.every_frame(canvas, *screen.state().shown);
    };
  int exit_code = 0;
  try {
    exit_code = run_screen(screen, config, shell);
  } catch (...) {
    put_back(source, options);
    throw;
  }
  if (screen.keeps_changes()) source.keep_changes();
  const bool is_done = put_back(source, options);
  return exit_code == 0 && !is_done ? static_cast<int>(Exit::refused) : exit_code;
}

}  // namespace pipetop::tui
