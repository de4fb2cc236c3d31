// `pipetop watch`: pipes of other programs on the screen, and as results for scripts; and `watch --
// COMMAND`: it is as if the command ran alone, and in the end there is a summary.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/base/reading.h"
#include "engine/base/text.h"
#include "engine/config/config.h"
#include "engine/process/privileges.h"
#include "engine/process/watched_command.h"
#include "engine/watch/intervention_words.h"
#include "engine/watch/until_condition.h"
#include "engine/watch/watcher.h"
#include "engine/watch/window_bytes.h"
#include "engine/workload/table/main_capabilities.h"
#include "tui/command_line/callers_variables.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/command_line/result_files.h"
#include "tui/flags/command_line.h"
#include "tui/print/watch.h"
#include "tui/watch/watch_controller.h"

namespace pipetop::tui {
namespace {

// Without a screen the open pipeline is sampled this often, and all pipes.
constexpr uint64_t kSample_ns = 50 * kMs, kTableSample_ns = kSecond;
// Watches one pipeline, long enough to tell its bottleneck.
constexpr uint64_t kPipelineResult_ns = 3 * kSecond;

// JSON lines come again and again, the other formats once.
bool is_stream(const CommandLine& line) { return line.format == &find_format("jsonl"); }

// Says what is new in it, unless nobody wants to hear it.
void say_notices_of(const Snapshot& now, const WatchRequest& request) {
  for (const Notice& notice : now.notices)
    if (!request.quiet && notice.at_ns == now.now_ns) say(notice.text);
}

// Why looking fails, each reason once: it is tried again and again.
class StaleWords {
 public:
  void say_of(const Snapshot& now) {
    if (now.stale_because.empty() || said_.size() >= kMost) return;
    if (said_.insert(now.stale_because).second)
      say(fmt::format("what was seen before stays, and it is tried again: {}", now.stale_because));
  }

 private:
  static constexpr size_t kMost = 20;
  std::set<std::string> said_;
};

bool is_stale(const Snapshot& now) { return !now.stale_because.empty(); }

// What killed pipetops have left, also for the watcher's notices.
std::vector<std::string> tell_leftovers(Watcher& watcher) {
  Leftovers found = find_leftovers();
  const std::string text = leftovers_text(found);
  if (!text.empty()) watcher.notify(text);
  return std::move(found.changes);
}

void say_if(const std::string& text) {
  if (!text.empty()) say(text);
}

// For those without a screen: what it records is the open pipeline.
void record(Tape& recording, const Snapshot& now) {
  if (now.watched && !is_stale(now)) recording.add(now);
}

uint64_t or_else(uint64_t ns, uint64_t usual_ns) { return ns != 0 ? ns : usual_ns; }

// What comes out once has the shares and rates of so many samples.
constexpr uint64_t kSamples = 10;

// The time that a result is of; 0 for a stream without an end.
uint64_t length_of(const CommandLine& line) {
  const WatchRequest& request = line.watch;
  if (request.duration_ns != 0 || is_stream(line) || request.until) return request.duration_ns;
  return request.target.empty() ? or_else(request.interval_ns, kTableSample_ns)
                                : kPipelineResult_ns;
}

uint64_t line_interval_ns(const CommandLine& line) {
  return or_else(line.watch.interval_ns, kTableSample_ns);
}

// Samples the table more often than asked for: a rate takes three samples.
uint64_t sample_interval_ns(const CommandLine& line) {
  return (is_stream(line) ? line_interval_ns(line) : length_of(line)) / kSamples;
}

WatchOptions watch_options(const CommandLine& line, const Config& config) {
  const WatchRequest& request = line.watch;
  WatchOptions options;
  options.bpf = config.bpf;
  options.table_ns = or_else(request.interval_ns, options.table_ns);
  if (!request.headless) return options;
  options.in_parts = true;  // a signal may come, or the end of the time
  options.table_ns = sample_interval_ns(line);
  options.pipeline_ns = kSample_ns;
  if (!request.target.empty() && !is_stream(line) && !request.until)
    options.window_ns = length_of(line);
  return options;
}

// Says what shows it.
bool is_met(UntilWatch& until, const Snapshot& now) {
  const auto met = until.add(now.now_ns, *now.watched);
  if (met) say(fmt::format("{}; {}", *met, now.watched->verdict.because));
  return met.has_value();
}

void open_target(Watcher& watcher, const WatchRequest& request) {
  const WatchTarget target = parse_target(request.target);
  if (request.tree)
    watcher.open_tree(target);
  else
    watcher.open(target);
}

class Headless {
 public:
  Headless(const CommandLine& line, const Config& config)
      : line_(line),
        output_(line.watch.output, is_stream(line) ? WriteMode::as_written : WriteMode::whole),
        recording_(config, {}, line.record),
        watcher_(watch_options(line, config)),
        loop_({.signals = interrupts_.fd()}) {
    if (line.watch.until) until_.emplace(*line.watch.until);
    leftovers_ = tell_leftovers(watcher_);
    if (line.watch.target.empty()) return;
    watcher_.prepare();  // else the shares would be of less than the window
    open_target(watcher_, line.watch);
    if (line.watch.exact) watcher_.count_bytes(true);
  }

  int run() {
    begin_ns_ = last_line_ns_ = monotonic_ns();
    look();
    loop_.set_timer_every(line_.watch.target.empty() ? sample_interval_ns(line_) : kSample_ns);
    bool goes_on = true;
    // The first pass is made whole, however short the time is.
    while (goes_on && !watcher_.has_passed() && !(is_stale(*now_) && is_over())) goes_on = serve();
    if (!watcher_.has_passed()) {  // there is nothing to tell
      if (interrupts_.signal() == 0) throw Error(now_->stale_because, Exit::refused);
      return exit_status({}, interrupts_);
    }
    first_pass_ns_ = monotonic_ns() - begin_ns_;
    while (goes_on && !is_over()) goes_on = serve();
    if (!is_stream(line_)) output_.finish(line_.format->print(document()));
    // A time that is too short for an interval has a line, too.
    if (is_stream(line_) && goes_on && !is_stale(*now_) && last_line_ns_ == begin_ns_) write_line();
    if (is_stream(line_)) output_.finish();
    say_if(recording_.finish());
    if (met_) return static_cast<int>(Exit::met);
    // What it is of ends before it should.
    return exit_status({is_stale(*now_) ? Exit::untrustworthy : Exit::ok, {}}, interrupts_);
  }

 private:
  // The last look is at its end. Timers are never early. But what costs much is looked at rarely,
  // and nobody waits for that.
  bool is_over() const {
    const uint64_t length_ns = length_of(line_);
    const bool ends = met_ && line_.watch.then_exit.value_or(true);
    if (ends || watcher_.has_ended() || length_ns == 0) return ends || watcher_.has_ended();
    const uint64_t end_ns = begin_ns_ + length_ns;
    return now_->now_ns >= end_ns || looked_ns_ >= end_ns + 2 * (kSample_ns + first_pass_ns_);
  }

  // Of all pipes rates need a pass at the end, and those that take long are made rarely.
  bool is_time_for_last_pass() {
    if (first_pass_ns_ == 0 || is_stream(line_) || !line_.watch.target.empty()) return false;
    if (looked_ns_ + 2 * first_pass_ns_ < begin_ns_ + length_of(line_)) return false;
    return !std::exchange(last_is_made_, true);
  }

  // False if it should end now.
  bool serve() {
    const bool is_passing = watcher_.is_passing();
    const Events events = loop_.wait(is_passing ? 0 : -1);
    if (events.signals && !interrupts_.take()) return false;
    if (events.timer || is_passing) look();
    return true;
  }

  void look() {
    looked_ns_ = monotonic_ns();
    if (is_time_for_last_pass()) watcher_.want_pass();
    now_ = watcher_.tick(looked_ns_);
    stale_.say_of(*now_);
    say_notices_of(*now_, line_.watch);
    record(recording_, *now_);
    if (is_stale(*now_) || !watcher_.has_passed()) return;
    if (!std::exchange(has_begun_, true)) window_.begin(*now_);
    if (until_ && !met_ && now_->watched) met_ = is_met(*until_, *now_);
    // A timer may be a little late once, and not the next time.
    constexpr uint64_t kSlack_ns = 5 * kMs;
    if (!is_stream(line_) || now_->now_ns + kSlack_ns < last_line_ns_ + line_interval_ns(line_))
      return;
    write_line();
  }

  void write_line() {
    output_.write(line_.format->print_interval(document()));
    last_line_ns_ = now_->now_ns;
    window_.begin(*now_);
  }

  Document document() const {
    WatchPrint how{begin_ns_, now_->now_ns - (is_stream(line_) ? last_line_ns_ : begin_ns_),
                   line_.watch.sort, line_.watch.filter, is_for_people(line_)};
    how.leftovers = leftovers_;
    if (output_.is_terminal()) how.columns = terminal_columns(STDOUT_FILENO, how.columns);
    Snapshot shown = *now_;
    if (watcher_.has_ended()) shown.watched = watcher_.overall();  // how it was while it ran
    // Data comes in bursts: a rate takes a second.
    if (!is_stream(line_) || how.over_ns >= kSecond) window_.apply(shown, !is_stream(line_));
    return watch_document(shown, how);
  }

  const CommandLine& line_;
  Output output_;
  RecordingFile recording_;
  Interrupts interrupts_;
  Watcher watcher_;
  EventLoop loop_;
  uint64_t begin_ns_ = 0, looked_ns_ = 0, last_line_ns_ = 0;
  uint64_t first_pass_ns_ = 0;  // how long it took; 0: it isn't over
  bool last_is_made_ = false;
  StaleWords stale_;
  WindowBytes window_;
  std::vector<std::string> leftovers_;
  std::optional<UntilWatch> until_;
  bool met_ = false;  // its condition was
  bool has_begun_ = false;
  std::shared_ptr<const Snapshot> now_;
};

int show_pipes(const CommandLine& line, const Config& config) {
  WatchScreenOptions screen;
  screen.pipeline = !line.watch.target.empty();
  screen.tree = line.watch.tree;
  screen.sort = line.watch.sort;
  screen.filter = line.watch.filter;
  screen.say = say;
  screen.save_picture = save_picture;
  check_watch_terminal(config, screen);
  RecordingFile recording(config, {}, line.record);
  screen.tape = &recording;
  // Before the threads in which a watcher makes its instruments: a signal would go to one of them.
  const SignalFd held{SIGTERM, SIGHUP, SIGQUIT, SIGINT, SIGTSTP, SIGWINCH, SIGCONT};
  WatchOptions options = watch_options(line, config);
  options.in_parts = true;
  Watcher watcher(options);
  tell_leftovers(watcher);
  if (screen.pipeline) open_target(watcher, line.watch);
  if (line.watch.exact) watcher.count_bytes(true);
  const int exit_code = run_watch_screen(watcher, config, screen);
  say_if(recording.finish());
  return exit_code;
}

int put_back_changes() {
  const PutBackReport report = put_back_leftovers();
  std::string text;
  for (const std::string& done : report.done) text += done + "\n";
  if (report.done.empty() && report.left.empty()) text = "nothing to put back\n";
  print(text);
  std::ranges::for_each(report.left, say);
  if (report.in_use > 0) say("a running pipetop puts back its own changes");
  return static_cast<int>(report.left.empty() ? Exit::ok : Exit::refused);
}

// ---- watch -- COMMAND -------------------------------------------------------

WatchOptions started_options(const Config& config, bool has_screen) {
  WatchOptions options;
  options.bpf = config.bpf;
  options.in_parts = true;  // the tree is looked at meanwhile
  if (!has_screen) options.pipeline_ns = kSample_ns;
  return options;
}

// Why there can be no dashboard beside the command; "" if there can.
std::string no_screen(const Config& config, const WatchScreenOptions& screen) {
  const UniqueFd terminal(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return "there is no terminal";
  if (isatty(STDOUT_FILENO) == 1 && tcgetsid(STDOUT_FILENO) == getsid(0))
    return "the command writes to the terminal; redirect its output, for example > FILE";
  if (tcgetpgrp(terminal.get()) != getpgrp()) return "it runs in the background";
  try {
    check_watch_terminal(config, screen);
  } catch (const Error& e) {
    return std::string(why_of(e.what()));  // its remedy is for who starts no command
  }
  return {};
}

// While we held them, nobody would get end of file or SIGPIPE when the command closes its own.
void release_standard_descriptors() {
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) dup2(null.get(), fd);
}

uint64_t ns_of(const timeval& time) {
  return uint64_t(time.tv_sec) * kSecond + uint64_t(time.tv_usec) * 1'000;
}

// The status of all that was waited for.
uint64_t children_cpu_ns() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
}

// As the command did, so that a shell sees no difference; without a core of our own.
int end_as_command(int number) {
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);
  return end_by(number);
}

// The results go to a file, or else to stderr: stdout is the command's.
class Results {
 public:
  Results(const std::string& path, WriteMode write_mode) {
    if (!path.empty()) file_.emplace(path, write_mode);
  }

  int columns() const {
    return file_ ? kFileColumns : terminal_columns(STDERR_FILENO, kFileColumns);
  }
  // Throw Error.
  void write(std::string_view text) { file_ ? file_->write(text) : write_to_stderr(text); }
  void finish() {
    if (file_) file_->finish();
  }

 private:
  static constexpr int kFileColumns = 120;
  std::optional<Output> file_;
};

class Started {
 public:
  Started(const CommandLine& line, const Config& config)
      : line_(line), config_(config), request_(line.watch) {
    screen_.on_controlling_terminal = true;
    screen_.pipeline = true;
    screen_.tree = request_.tree;
    if (request_.until) until_.emplace(*request_.until);
    screen_.command = command_text(request_.command);
    choose_screen();
    results_.emplace(request_.output, is_stream(line) ? WriteMode::as_written : WriteMode::whole);
    recording_.emplace(config, std::nullopt, line.record);
    screen_.tape = &*recording_;
    resume_main_capabilities(command_row(line).uses);  // all stay the command's
    watcher_.emplace(started_options(config, has_screen_));
    leftovers_ = tell_leftovers(*watcher_);
    attempt([&] {  // the command may be a short one
      watcher_->prepare();
      if (request_.exact) watcher_->count_children();
    });
    loop_.emplace(EventSources{.signals = signals_.get()});
  }

  // Returns the exit status, or minus the signal that ended the command.
  int run() {
    start();
    if (!attempt([&] { keep_capabilities_for(line_, config_); })) drop_capabilities();
    attempt([&] { watcher_->open_tree(command_->pid()); });
    if (has_screen_) attempt([&] { show(); });
    while (!ended()) serve();
    attempt([&] { look(); });
    attempt([&] {
      watcher_->sample_again();
      say_notices_of(*watcher_->tick(monotonic_ns()), request_);
    });
    attempt([&] { say_if(recording_->finish()); });
    attempt([&] { summarize(); });
    const bool ended_by_us = met_ && request_.then_exit.value_or(false);
    if (ended_by_us || (met_ && command_->signal() == 0 && *command_->exit_code() == 0))
      return static_cast<int>(Exit::met);
    return command_->signal() != 0 ? -command_->signal() : *command_->exit_code();
  }

 private:
  void choose_screen() {
    if (request_.headless) return;
    const std::string why = no_screen(config_, screen_);
    has_screen_ = why.empty();
    // A script expects none.
    const bool is_seen = isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
    if (!has_screen_ && is_seen && !request_.quiet) say("no dashboard: " + why);
  }

  void start() {
    const CallersVariables theirs;
    begin_ns_ = last_line_ns_ = monotonic_ns();
    command_.emplace(request_.command);
    release_standard_descriptors();
    loop_->watch(command_->fd(), &Events::workers);
    loop_->set_timer_once(sample_ns_);
  }

  // Whatever goes wrong is no reason to leave the command: it is said, once each. False then.
  template <class Work>
  bool attempt(const Work& work) {
    try {
      work();
      return true;
    } catch (const Error& e) {
      if (said_ != e.what()) say(e.what());
      said_ = e.what();
      return false;
    }
  }

  bool ended() {
    if (end_ns_ == 0 && command_->exit_code()) end_ns_ = monotonic_ns();
    return end_ns_ != 0;
  }

  void show() {
    screen_.fd = command_->fd();
    screen_.ended = [this] { return ended(); };
    screen_.deliver = [](int number) { kill(0, number); };  // we have it blocked
    screen_.say = say;
    screen_.save_picture = save_picture;
    screen_.every_snapshot = [this](const Snapshot& now) { note(now); };
    const int exit_code = run_watch_screen(*watcher_, config_, screen_);
    if (exit_code > kSignalExit) return forward(exit_code - kSignalExit);
    if (!ended() && !request_.quiet) say("the command goes on; Ctrl-C ends it");
  }

  void serve() {
    const bool is_passing = watcher_->is_passing();
    const Events events = loop_->wait(is_passing ? 0 : -1);
    while (const int number = events.signals ? signals_.take() : 0) forward(number);
    if (!events.timer && !is_passing) return;
    attempt([&] { look(); });
    if (!events.timer) return;
    // Often at first: it may be a short one.
    sample_ns_ = std::min(2 * sample_ns_, kSample_ns);
    loop_->set_timer_once(sample_ns_);
  }

  // The terminal sends SIGINT and SIGQUIT to all of its group, the command and us.
  void forward(int number) {
    if (number != SIGINT && number != SIGQUIT && !ended()) kill(command_->pid(), number);
  }

  void look() {
    const auto now = watcher_->tick(monotonic_ns());
    stale_.say_of(*now);
    note(*now);
    say_notices_of(*now, request_);
    attempt([&] { record(*recording_, *now); });
    if (!is_stream(line_) || is_stale(*now) || !now->watched ||
        now->now_ns < last_line_ns_ + line_interval_ns(line_))
      return;
    const WatchPrint how{.begin_ns = begin_ns_,
                         .over_ns = now->now_ns - last_line_ns_,
                         .text = false,
                         .leftovers = leftovers_};
    last_line_ns_ = now->now_ns;
    results_->write(line_.format->print_interval(watch_document(*now, how)));
  }

  void note(const Snapshot& now) {
    reason_ = now.no_bpf;
    if (!until_ || met_ || !now.watched || is_stale(now)) return;
    met_ = is_met(*until_, now);
    if (met_ && request_.then_exit.value_or(false)) watcher_->end_tree();
  }

  void summarize() {
    if (request_.quiet) return;
    CommandResult result{.words = request_.command,
                         .now_ns = end_ns_,
                         .duration_ns = end_ns_ - begin_ns_,
                         .cpu_ns = children_cpu_ns(),
                         .exit_code = *command_->exit_code(),
                         .signal = command_->signal(),
                         .reason = reason_};
    result.begin_ns = begin_ns_;
    result.runs = watcher_->runs();
    result.tree = watcher_->tree().value_or(ProcessTreeView());
    for (const TreeRow& row : result.tree.rows) result.tree_cpu_ns += row.cpu_ns;
    if (const auto seen = watcher_->overall(); seen && result.runs.empty())
      result.runs.push_back(
          {.pipeline = *seen, .times = std::vector<size_t>(seen->stages.size(), 1), .span = {}});
    results_->write(line_.format->print(command_document(result, results_->columns())));
    results_->finish();
  }

  const CommandLine& line_;
  const Config& config_;
  const WatchRequest& request_;
  // None may end us before the command has ended, or while it is half started.
  SignalFd signals_{SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  WatchScreenOptions screen_;
  bool has_screen_ = false;
  std::optional<Results> results_;
  std::optional<RecordingFile> recording_;
  std::optional<Watcher> watcher_;
  std::optional<WatchedCommand> command_;
  std::optional<EventLoop> loop_;
  uint64_t begin_ns_ = 0, end_ns_ = 0, last_line_ns_ = 0;
  uint64_t sample_ns_ = 2 * kMs;
  std::vector<std::string> leftovers_;
  std::string reason_, said_;
  StaleWords stale_;
  std::optional<UntilWatch> until_;
  bool met_ = false;
};

// Runs the command, watches what it starts, and ends as it does. Throws Error if it could not be
// started.
int watch_started(const CommandLine& line, const Config& config) {
  const int status = Started(line, config).run();
  return status < 0 ? end_as_command(-status) : status;
}

}  // namespace

int watch_command(const CommandLine& line) {
  if (line.watch.then_exit && !line.watch.until)
    throw Error("--then says what becomes of it when --until is met: give --until, too");
  const Config config = resolve(line, read_config(line.config), std::getenv("NO_COLOR"));
  if (!line.watch.command.empty()) return watch_started(line, config);
  keep_capabilities_for(line, config);
  if (line.watch.put_back) return put_back_changes();
  return line.watch.headless ? Headless(line, config).run() : show_pipes(line, config);
}
}  // namespace pipetop::tui
