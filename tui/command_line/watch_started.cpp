// `pipetop watch -- COMMAND`: it is as if the command ran alone, and in the end there is a summary.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/base/reading.h"
#include "engine/base/text.h"
#include "engine/process/command.h"
#include "engine/process/privileges.h"
#include "engine/registry/main_capabilities.h"
#include "tui/command_line/callers_variables.h"
#include "tui/command_line/command_privileges.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/command_line/watching.h"
#include "tui/watch/watch_screen.h"

namespace pipetop::tui {
namespace {

WatchOptions started_options(const Config& config, bool has_screen) {
  WatchOptions options;
  options.bpf = config.bpf;
  options.in_parts = has_screen;
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

// Of all that was waited for.
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
  void write(std::string_view text) { file_ ? file_->write(text) : tell(text); }
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
    screen_.command = command_text(request_.command);
    choose_screen();
    results_.emplace(request_.output, is_stream(line) ? WriteMode::as_written : WriteMode::whole);
    resume_main_capabilities(privileges_of(line).uses);  // all stay the command's
    watcher_.emplace(started_options(config, has_screen_));
    tell_leftovers(*watcher_);
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
    attempt([&] { summarize(); });
    return command_->signal() != 0 ? -command_->signal() : *command_->exit_code();
  }

 private:
  void choose_screen() {
    if (request_.headless) return;
    const std::string why = no_screen(config_, screen_);
    has_screen_ = why.empty();
    if (!has_screen_ && !request_.quiet) say("no dashboard: " + why);
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
    screen_.every_snapshot = [this](const WatchSnapshot& now) { reason_ = now.reason; };
    const int exit_code = run_watch_screen(*watcher_, config_, screen_);
    if (exit_code > kSignalExit) return forward(exit_code - kSignalExit);
    if (!ended() && !request_.quiet) say("the command goes on; Ctrl-C ends it");
  }

  void serve() {
    const Events events = loop_->wait();
    while (const int number = events.signals ? signals_.take() : 0) forward(number);
    if (!events.timer) return;
    attempt([&] { look(); });
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
    reason_ = now->reason;
    say_notices_of(*now, request_);
    const uint64_t interval_ns = request_.interval_ns != 0 ? request_.interval_ns : kTableSample_ns;
    if (!is_stream(line_) || !now->pipeline || now->now_ns < last_line_ns_ + interval_ns) return;
    WatchPrint how{.begin_ns = begin_ns_, .over_ns = now->now_ns - last_line_ns_};
    last_line_ns_ = now->now_ns;
    results_->write(line_.format->print_interval(watch_document(*now, how)));
  }

  void summarize() {
    if (request_.quiet) return;
    CommandResult result{.words = request_.command,
                         .now_ns = end_ns_,
                         .duration_ns = end_ns_ - begin_ns_,
                         .cpu_ns = children_cpu_ns(),
                         .exit_code = *command_->exit_code(),
                         .signal = command_->signal(),
                         .reason = reason_,
                         .pipeline = {}};
    const auto seen = watcher_->overall();
    result.pipeline = seen ? Reading<Pipeline>::of(*seen)
                           : Reading<Pipeline>::unavailable(
                                 "no pipe was seen: there was none, or it was over too soon");
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
  std::optional<Watcher> watcher_;
  std::optional<WatchedCommand> command_;
  std::optional<EventLoop> loop_;
  uint64_t begin_ns_ = 0, end_ns_ = 0, last_line_ns_ = 0;
  uint64_t sample_ns_ = 2 * kMs;
  std::string reason_, said_;
};

}  // namespace

int watch_started(const CommandLine& line, const Config& config) {
  const int status = Started(line, config).run();
  return status < 0 ? end_as_command(-status) : status;
}

}  // namespace pipetop::tui
