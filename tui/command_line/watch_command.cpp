// Pipes of other programs: on the screen, and as results for scripts.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/watch/leftovers.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/command_line/watching.h"
#include "tui/watch/watch_screen.h"

namespace pipetop::tui {
namespace {

uint64_t or_else(uint64_t ns, uint64_t usual_ns) { return ns != 0 ? ns : usual_ns; }

// Of what comes out once, shares and rates are those of so many looks.
constexpr uint64_t kSamples = 10;

// The time that a result is of; 0 for a stream without an end.
uint64_t length_of(const CommandLine& line) {
  const WatchRequest& request = line.watch;
  if (request.duration_ns != 0 || is_stream(line)) return request.duration_ns;
  return request.target.empty() ? or_else(request.interval_ns, kTableSample_ns)
                                : kPipelineResult_ns;
}

uint64_t line_interval_ns(const CommandLine& line) {
  return or_else(line.watch.interval_ns, kTableSample_ns);
}

// Of the table. More often than asked for: a rate takes three looks to be known.
uint64_t sample_interval_ns(const CommandLine& line) {
  return (is_stream(line) ? line_interval_ns(line) : length_of(line)) / kSamples;
}

WatchOptions watch_options(const CommandLine& line, const Config& config) {
  const WatchRequest& request = line.watch;
  WatchOptions options;
  options.bpf = config.bpf;
  options.table_ns = or_else(request.interval_ns, options.table_ns);
  if (!request.headless) return options;
  options.table_ns = sample_interval_ns(line);
  options.pipeline_ns = kSample_ns;
  if (!request.target.empty() && !is_stream(line)) options.window_ns = length_of(line);
  return options;
}

bool has_ended(const WatchSnapshot& now) {
  return now.pipeline && !now.pipeline->stages.empty() &&
         std::ranges::all_of(now.pipeline->stages, &Stage::gone);
}

class Headless {
 public:
  Headless(const CommandLine& line, const Config& config)
      : line_(line),
        output_(line.watch.output, is_stream(line) ? WriteMode::as_written : WriteMode::whole),
        watcher_(watch_options(line, config)),
        loop_({.signals = interrupts_.fd()}) {
    tell_leftovers(watcher_);
    if (!line.watch.target.empty()) watcher_.open(parse_target(line.watch.target));
    if (line.watch.exact) watcher_.count_bytes(true);
  }

  int run() {
    begin_ns_ = last_line_ns_ = monotonic_ns();
    look();
    loop_.set_timer_every(line_.watch.target.empty() ? sample_interval_ns(line_) : kSample_ns);
    while (!is_over() && serve()) continue;
    if (!is_stream(line_)) output_.finish(line_.format->print(document()));
    if (is_stream(line_)) output_.finish();
    return exit_status({}, interrupts_);
  }

 private:
  // The last look is at its end. Timers are never early.
  bool is_over() const {
    const uint64_t length_ns = length_of(line_);
    return has_ended(*now_) || (length_ns != 0 && now_->now_ns >= begin_ns_ + length_ns);
  }

  // False if it should end now.
  bool serve() {
    const Events events = loop_.wait();
    if (events.signals && !interrupts_.take()) return false;
    if (events.timer) look();
    return true;
  }

  void look() {
    now_ = watcher_.tick(monotonic_ns());
    say_notices_of(*now_, line_.watch);
    // A timer may be a little late once, and not the next time.
    constexpr uint64_t kSlack_ns = 5 * kMs;
    if (!is_stream(line_) || now_->now_ns + kSlack_ns < last_line_ns_ + line_interval_ns(line_))
      return;
    output_.write(line_.format->print_interval(document()));
    last_line_ns_ = now_->now_ns;
  }

  Document document() const {
    WatchPrint how{begin_ns_, now_->now_ns - (is_stream(line_) ? last_line_ns_ : begin_ns_),
                   line_.watch.sort, line_.watch.filter};
    if (output_.is_terminal()) how.columns = terminal_columns(STDOUT_FILENO, how.columns);
    if (!has_ended(*now_)) return watch_document(*now_, how);
    WatchSnapshot all = *now_;  // how it was while it ran
    all.pipeline = watcher_.overall();
    return watch_document(all, how);
  }

  const CommandLine& line_;
  Output output_;
  Interrupts interrupts_;
  Watcher watcher_;
  EventLoop loop_;
  uint64_t begin_ns_ = 0, last_line_ns_ = 0;
  std::shared_ptr<const WatchSnapshot> now_;
};

int show_pipes(const CommandLine& line, const Config& config) {
  WatchScreenOptions screen;
  screen.pipeline = !line.watch.target.empty();
  screen.sort = line.watch.sort;
  screen.filter = line.watch.filter;
  screen.say = say;
  check_watch_terminal(config, screen);
  // Before the threads in which a watcher makes its instruments: a signal would go to one of them.
  const SignalFd held{SIGTERM, SIGHUP, SIGQUIT, SIGINT, SIGTSTP, SIGWINCH, SIGCONT};
  WatchOptions options = watch_options(line, config);
  options.in_parts = true;
  Watcher watcher(options);
  tell_leftovers(watcher);
  if (screen.pipeline) watcher.open(parse_target(line.watch.target));
  if (line.watch.exact) watcher.count_bytes(true);
  return run_watch_screen(watcher, config, screen);
}

int put_back_changes() {
  const PutBackReport report = put_back_leftovers();
  std::string text;
  for (const std::string& done : report.done) text += done + "\n";
  if (report.done.empty() && report.left.empty()) text = "nothing to put back\n";
  print(text);
  std::ranges::for_each(report.left, say);
  if (report.in_use > 0)
    say("a pipetop that runs, or its guardian, puts back by itself what it has changed");
  return static_cast<int>(report.left.empty() ? Exit::ok : Exit::refused);
}

}  // namespace

void say_notices_of(const WatchSnapshot& now, const WatchRequest& request) {
  for (const std::string& notice : now.notices)
    if (!request.quiet) say(notice);
}

void tell_leftovers(Watcher& watcher) {
  const std::string text = leftovers_text(find_leftovers());
  if (!text.empty()) watcher.notify(text);
}

int watch_command(const CommandLine& line) {
  const Config config = resolve(line, read_config(line.config), std::getenv("NO_COLOR"));
  if (!line.watch.command.empty()) return watch_started(line, config);
  keep_capabilities_for(line, config);
  if (line.watch.put_back) return put_back_changes();
  return line.watch.headless ? Headless(line, config).run() : show_pipes(line, config);
}

}  // namespace pipetop::tui
