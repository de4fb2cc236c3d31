#include <fcntl.h>
#include <fmt/core.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/base/text.h"
#include "engine/copy/copier.h"
#include "engine/process/child.h"
#include "engine/process/privileges.h"
#include "engine/process/proc_files.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/flags/command_line.h"
#include "tui/view/progress.h"
#include "tui/view/remote.h"
#include "tui/view/waiting.h"
#include "tui/view/wakeups.h"
#include "tui/view/watched_files.h"

namespace pipetop::tui {
namespace {

// To see which side is waited for. Each look interrupts the data for some microseconds.
constexpr uint64_t kReport_ns = 200 * kMs;
constexpr size_t kShownLast = 4096;  // bytes, at most

UniqueFd open_file(const std::string& path) {
  if (path.empty() || path == "-") return {};
  UniqueFd file;
  do  // a FIFO waits for its writer, and our signals interrupt that
    file.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  while (!file && errno == EINTR);
  if (!file) throw SystemError(one_line(path), errno, Exit::usage);
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return file;
}

bool is_directory(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
}

struct Input {
  UniqueFd file;  // none: stdin
  std::string name = "stdin";

  int fd() const { return file ? file.get() : STDIN_FILENO; }
};

// The exit status is the sum of those that happened, as pv's is.
enum ViewStatus : uint8_t { kNotOpened = 2, kSameFile = 4, kNotMoved = 16 };

struct Ends {
  std::vector<Input> inputs;
  UniqueFd output;  // none: stdout
  int status = 0;
};

// Opened as our caller may: that is what sudo is for. What comes out of them is moved without. One
// that can't be opened is told before anything is moved; the others are moved all the same.
Ends open_ends(const CommandLine& line) {
  if (::geteuid() == 0) use_capabilities(~uint64_t{0});
  Ends ends;
  for (const std::string& path : line.view.files) {
    Input input;
    try {
      input.file = open_file(path);
      if (input.file) input.name = one_line(path);
      if (is_directory(input.fd())) throw SystemError(input.name, EISDIR);
    } catch (const SystemError& e) {
      say(e.what());
      ends.status |= kNotOpened;
      continue;
    }
    ends.inputs.push_back(std::move(input));
  }
  if (line.view.files.empty()) ends.inputs.emplace_back();
  if (const std::string& path = line.view.output; !path.empty()) {
    ends.output.reset(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666));
    if (!ends.output) throw SystemError(one_line(path), errno);
  }
  const unsigned uses = command_row(line).uses;
  narrow_main_capabilities(uses);
  keep_main_capabilities(uses, {});
  return ends;
}

// Nothing if it is not known of all.
std::optional<uint64_t> size_of_all(const ViewRequest& request, const std::vector<Input>& inputs) {
  if (!request.size_of.empty()) {
    const auto size = bytes_left(open_file(request.size_of).get());
    if (!size) throw Error(fmt::format("--size @{}: it has no size", one_line(request.size_of)));
    return size;
  }
  if (request.size || request.separator) return request.size;
  uint64_t sum = 0;
  for (const Input& input : inputs) {
    const auto size = bytes_left(input.fd());
    if (!size) return {};
    sum += *size;
  }
  return sum;
}

enum class Shows : uint8_t { nothing, numbers, line };

Shows shows(const ViewRequest& request) {
  if (request.quiet) return Shows::nothing;
  if (request.numeric) return Shows::numbers;
  return request.force || ::isatty(STDERR_FILENO) == 1 ? Shows::line : Shows::nothing;
}

// For whom wants to signal us; it goes with us.
class PidFile {
 public:
  explicit PidFile(const std::string& path) : path_(path) {
    if (!path.empty()) Output(path).finish(fmt::format("{}\n", ::getpid()));
  }
  ~PidFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;

 private:
  std::string path_;
};

// Those of our process group that have a line each (-c), in the order of their pids: a shell starts
// a pipeline from its left end on.
std::vector<pid_t> views_of_group() {
  const auto is_one = [](pid_t pid) {
    const std::string words = read_proc_file(pid, "cmdline", 4096);
    std::vector<std::string> all = split(words, '\0');
    return std::ranges::find(all, "view") != all.end() &&
           std::ranges::any_of(all, [](const std::string& word) {
             const bool is_short = word.starts_with("-") && !word.starts_with("--");
             return word == "--cursor" || (is_short && word.find('c') != word.npos);
           });
  };
  std::vector<pid_t> views;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const auto pid = parse_all<pid_t>(entry.path().filename().string());
    if (pid && ::getpgid(*pid) == ::getpgrp() && is_one(*pid)) views.push_back(*pid);
  }
  std::ranges::sort(views);
  return views;
}

class View {
 public:
  explicit View(const CommandLine& line)
      : request_(line.view),
        ends_(open_ends(line)),
        inputs_(ends_.inputs),
        status_(ends_.status),
        size_(size_of_all(request_, inputs_)),
        shows_(shows(request_)),
        pid_file_(request_.pid_file) {
    if (!open_next()) return;
    next_ns_ = sampled_ns_ + request_.interval_ns;
    wait_for_next();
  }

  int run() {
    if (!copier_) return status_;
    move();
    show_last();
    skipped_ += copier_->progress().skipped;
    if (skipped_ > 0) {
      say(fmt::format("{} bytes could not be read: zeros are in their place", skipped_));
      status_ |= kNotMoved;
    }
    if (request_.stats) say(spread_.text(rate_.average().value_or(0)));
    if (request_.verbose) say(report());
    return status_;
  }

 private:
  // What is wrong with an input is said, and the next one comes. Nobody to read is no error.
  void move() {
    do {
      try {
        while (!copier_->step().ended)
          if (wakeups_.pending()) attend();
      } catch (const SystemError& e) {
        if (e.error_number() == EPIPE) return;
        end_line();
        say(e.what());
        status_ |= kNotMoved;
        if (std::string_view(e.what()).starts_with(copier_->out().name)) return;
      }
    } while (open_next());
  }

  // The one before, if there is one, is over. False: there is none.
  bool open_next() {
    while (next_input_ < inputs_.size()) {
      const Input& input = inputs_[next_input_++];
      const CopyProgress before = copier_ ? copier_->progress() : CopyProgress();
      try {
        copier_.emplace(options_for(input, request_.separator ? counted_before_ + before.counted
                                                              : bytes_before_ + before.bytes));
        bytes_before_ += before.bytes;
        counted_before_ += before.counted;
        skipped_ += before.skipped;
      } catch (const SystemError&) {
        throw;
      } catch (const Error& e) {
        say(e.what());
        status_ |= kSameFile;
        continue;
      }
      names_.emplace(copier_->in().fd, copier_->out().fd);
      return true;
    }
    return false;
  }

  // `before`: bytes, or lines, of those that are over.
  CopyOptions options_for(const Input& input, uint64_t before) const {
    CopyOptions options;
    options.in = input.fd();
    options.in_name = input.name;
    if (ends_.output) {
      options.out = ends_.output.get();
      options.out_name = one_line(request_.output);
    }
    options.limit_bytes_per_s = request_.rate_limit;
    if (request_.stop_at_size) options.stop_after = *size_ - std::min(*size_, before);
    options.may_splice = !request_.no_splice;
    options.skips_errors = request_.skips_errors;
    options.skip_bytes = request_.skip_bytes;
    options.buffer = {request_.buffer_bytes, request_.separator, request_.parts.last,
                      request_.parts.buffer, request_.separator.has_value()};
    if (request_.format.find('A') != std::string::npos) options.buffer.keeps = kShownLast;
    if (request_.format.find('T') != std::string::npos) options.buffer.is_looked_at = true;
    return options;
  }

  // So far, in bytes, or in lines.
  uint64_t moved() const {
    return request_.separator ? counted_before_ + copier_->progress().counted
                              : bytes_before_ + copier_->progress().bytes;
  }

  void attend() {
    const Wakeup wakeup = wakeups_.take();
    const uint64_t now_ns = monotonic_ns();
    const bool waits = request_.wait && bytes_before_ + copier_->progress().bytes == 0;
    if (waits)
      leave_out(now_ns - sampled_ns_);
    else if (wakeup.continued)
      leave_out_stop(now_ns);
    sampled_ns_ = now_ns;
    if (shows_ == Shows::line) {
      waiting_.add(copier_->waits_for());
      names_->refresh(now_ns);
    }
    if (wakeup.asked) tell(now_ns);
    if (wakeup.changed) take_other_flags();
    if (now_ns >= next_ns_) {
      rate_.add(now_ns, moved());
      if (const auto per_s = rate_.last()) spread_.add(*per_s);
      ++tick_;
      show();
      next_ns_ = std::max(next_ns_ + request_.interval_ns, now_ns);
    } else if (shows_ == Shows::line && (wakeup.resized || wakeup.continued) && !waits) {
      show();
    }
    wait_for_next();
  }

  // Those that were given; what can't be changed while it runs stays.
  void take_other_flags() {
    try {
      auto words = take_flags();
      if (!words) return;
      words->insert(words->begin(), "view");
      const ViewRequest given = parse_command_line(*words).view, usual;
      if (given.rate_limit != 0) request_.rate_limit = given.rate_limit;
      if (given.parts != usual.parts) request_.parts = given.parts, request_.format.clear();
      if (!given.format.empty()) request_.format = given.format;
      if (!given.name.empty()) request_.name = given.name;
      if (given.size) size_ = request_.size = given.size;
      if (given.interval_ns != usual.interval_ns) request_.interval_ns = given.interval_ns;
      if (given.width != 0) request_.width = given.width;
      request_.bits = request_.bits || given.bits;
      request_.numeric = request_.numeric || given.numeric;
      request_.quiet = request_.quiet || given.quiet;
    } catch (const Error& e) {
      return say(e.what());
    }
    shows_ = shows(request_);
    copier_->set_limit(request_.rate_limit);
  }

  void wait_for_next() {
    if (shows_ == Shows::nothing) return wakeups_.wake_after(0);
    // Also where there is nothing to see: a stop began after the last look.
    const uint64_t due_ns = std::min(next_ns_, sampled_ns_ + kReport_ns);
    wakeups_.wake_after(std::max<uint64_t>(due_ns - std::min(due_ns, sampled_ns_), 1));
  }

  // It has begun after the last look, and was longer than the pause between two.
  void leave_out_stop(uint64_t now_ns) {
    const uint64_t away_ns = now_ns - sampled_ns_;
    if (shows_ != Shows::nothing && away_ns >= 2 * kReport_ns) leave_out(away_ns);
  }

  void leave_out(uint64_t ns) {
    rate_.leave_out(ns);
    next_ns_ += ns;
  }

  Progress progress() const {
    Progress progress;
    progress.parts = request_.parts;
    progress.name = request_.name;
    progress.lines = request_.separator.has_value();
    progress.bits = request_.bits;
    progress.buffer_used = copier_->buffer_used();
    progress.last_written = copier_->last_written();
    progress.unix_s = ::time(nullptr);
    progress.bytes = rate_.bytes();
    progress.size = size_;
    progress.elapsed_ns = rate_.elapsed_ns();
    progress.rate = rate_.last();
    progress.average = rate_.average();
    if (size_) progress.remaining_ns = rate_.remaining_ns(*size_);
    progress.remark = waiting_text(waiting_.side(), names_->upstream(), names_->downstream());
    return progress;
  }

  // After all of the pipeline have begun. Those below wait a moment for the first one, which makes
  // room for them.
  void share_screen() {
    if (!request_.cursor || shares_ || ::isatty(STDERR_FILENO) != 1) return;
    shares_ = true;
    const std::vector<pid_t> views = views_of_group();
    const auto own = std::ranges::find(views, ::getpid());
    if (own != views.begin() && own != views.end()) {
      const timespec moment = {0, long(100 * kMs)};
      ::nanosleep(&moment, nullptr);
    }
    if (own != views.end()) line_.share(int(own - views.begin()), int(views.size()));
  }

  void show() { show(progress()); }

  void show(const Progress& progress) {
    if (progress.elapsed_ns < request_.delay_ns) return;
    if (shows_ == Shows::numbers) write_to_stderr(progress_number(progress) + "\n");
    if (shows_ != Shows::line || !line_.can_show()) return;
    share_screen();
    wakeups_.set_line_is_open(true);
    const int cols = request_.width != 0 ? int(request_.width) : line_.cols();
    line_.show(request_.format.empty() ? progress_line(progress, cols, tick_)
                                       : formatted_line(progress, request_.format, cols, tick_));
  }

  // On average: what came in the last moment says nothing of the whole.
  void show_last() {
    rate_.add(monotonic_ns(), moved());
    Progress last = progress();
    last.rate = rate_.average();
    last.remark.clear();
    last.ended = true;
    show(last);
    end_line();
  }

  void end_line() {
    wakeups_.set_line_is_open(false);
    line_.end();
  }

  void tell(uint64_t now_ns) {
    end_line();
    ByteRate until_now = rate_;
    until_now.add(now_ns, moved());
    say(report(until_now));
  }

  std::string report() const { return report(rate_); }

  std::string report(const ByteRate& flow) const {
    const CopyProgress& last = copier_->progress();
    const auto average = flow.average();
    const auto text = request_.separator ? short_count : short_bytes;
    return fmt::format("{}{} {} ({}) in {:.1f} s{}, by {}{}",
                       request_.name.empty() ? "" : request_.name + ": ", flow.bytes(),
                       request_.separator ? "lines" : "bytes", text(double(flow.bytes())),
                       double(flow.elapsed_ns()) / double(kSecond),
                       average ? fmt::format(", {}/s", text(*average)) : "", name_of(last.method),
                       last.why.empty() ? "" : fmt::format(" ({})", last.why));
  }

  ViewRequest request_;
  Wakeups wakeups_;  // before anything is opened: a FIFO may wait for its writer
  Ends ends_;
  std::vector<Input>& inputs_;
  int status_;
  size_t next_input_ = 0;
  std::optional<Copier> copier_;                    // of the one before it
  uint64_t bytes_before_ = 0, counted_before_ = 0;  // of those before that
  uint64_t skipped_ = 0;                            // of all, at the end
  std::optional<uint64_t> size_;                    // of all that will come
  Shows shows_;
  PidFile pid_file_;
  uint64_t sampled_ns_ = monotonic_ns();
  uint64_t next_ns_ = 0;  // when progress is shown
  uint64_t tick_ = 0;
  ByteRate rate_{sampled_ns_, request_.window_ns};
  RateSpread spread_;
  Waiting waiting_;
  std::optional<NeighbourNames> names_;  // of that one
  StatusLine line_;
  bool shares_ = false;
};

// ---- the files of another process ----

// A line for each file, drawn over again and again, until the last one is closed.
class FilesView {
 public:
  explicit FilesView(const ViewRequest& request) : request_(request) {}

  int run() {
    std::vector<WatchedFile> files = files_of(*request_.watched);
    if (files.empty() && ::kill(request_.watched->pid, 0) != 0) {
      say(fmt::format("process {}: {}", request_.watched->pid, std::strerror(errno)));
      return kNotOpened;
    }
    if (files.empty() && request_.watched->fd >= 0) {
      say(fmt::format("descriptor {} of process {} is no file that is open, or not ours to see",
                      request_.watched->fd, request_.watched->pid));
      return kNotOpened;
    }
    const std::string first = files.empty() ? "" : files[0].path;
    while (goes_on(files, first)) {
      show(files);
      const timespec time = {time_t(request_.interval_ns / kSecond),
                             long(request_.interval_ns % kSecond)};
      ::nanosleep(&time, nullptr);
      files = files_of(*request_.watched);
    }
    return static_cast<int>(Exit::ok);
  }

 private:
  bool goes_on(const std::vector<WatchedFile>& files, const std::string& first) const {
    if (request_.watched->fd < 0) return ::kill(request_.watched->pid, 0) == 0;
    return !files.empty() && files[0].path == first;
  }

  void show(const std::vector<WatchedFile>& files) {
    const uint64_t now_ns = monotonic_ns();
    const bool numbers = request_.numeric;
    if (request_.quiet || (!numbers && !request_.force && ::isatty(STDERR_FILENO) != 1)) return;
    const size_t rows = request_.height != 0 ? request_.height : size_t{25};
    // Back to the first of the lines that were drawn before.
    std::string text = !numbers && shown_ > 0 ? fmt::format("\033[{}A", shown_) : "";
    shown_ = 0;
    for (const WatchedFile& file : files) {
      if (shown_ + 1 >= rows) break;
      const auto known = flows_.try_emplace({file.fd, file.path},
                                            Flow{file.at, ByteRate(now_ns, request_.window_ns)});
      Flow& flow = known.first->second;
      if (file.at < flow.first)
        flow = {file.at, ByteRate(now_ns, request_.window_ns)};  // it went back
      flow.rate.add(now_ns, std::max(file.at - flow.first, flow.rate.bytes()));
      const Progress progress = progress_of(file, flow);
      if (numbers)
        text += progress_number(progress) + "\n";
      else
        text += line_of(progress) + "\033[K\n";
      ++shown_;
    }
    write_to_stderr(text);
  }

  std::string line_of(const Progress& progress) const {
    const int cols =
        request_.width != 0 ? int(request_.width) : terminal_columns(STDERR_FILENO, 80) - 1;
    return request_.format.empty() ? progress_line(progress, cols, shown_)
                                   : formatted_line(progress, request_.format, cols, shown_);
  }

  // From where it was when it was first seen.
  struct Flow {
    uint64_t first = 0;
    ByteRate rate;
  };

  Progress progress_of(const WatchedFile& file, const Flow& flow) const {
    const ByteRate& rate = flow.rate;
    Progress progress;
    progress.parts = request_.parts;
    progress.bits = request_.bits;
    progress.name =
        request_.name.empty() ? fmt::format("{}:{}", file.fd, base_name(file.path)) : request_.name;
    progress.unix_s = ::time(nullptr);
    progress.bytes = file.at;
    progress.size = request_.size ? request_.size : file.size;
    progress.elapsed_ns = rate.elapsed_ns();
    progress.rate = rate.last();
    progress.average = rate.average();
    if (progress.size)
      progress.remaining_ns =
          rate.remaining_ns(*progress.size - std::min(*progress.size, flow.first));
    return progress;
  }

  static std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

  const ViewRequest& request_;
  std::map<std::pair<int, std::string>, Flow> flows_;
  size_t shown_ = 0;  // lines
};

}  // namespace

int view_command(const CommandLine& line) {
  if (line.view.remote) {
    if (::geteuid() == 0) use_capabilities(~uint64_t{0});
    send_flags(*line.view.remote);
    return static_cast<int>(Exit::ok);
  }
  if (line.view.watched) {
    // As root, what /proc shows of everybody; it only reads.
    if (::geteuid() == 0)
      use_capabilities(uint64_t{1} << CAP_SYS_PTRACE | uint64_t{1} << CAP_DAC_READ_SEARCH);
    return FilesView(line.view).run();
  }
  return View(line).run();
}

}  // namespace pipetop::tui
