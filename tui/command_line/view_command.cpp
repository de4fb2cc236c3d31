#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/copy/copier.h"
#include "engine/process/privileges.h"
#include "engine/process/proc_files.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/files_view.h"
#include "tui/command_line/output.h"
#include "tui/command_line/pid_file.h"
#include "tui/command_line/view_ends.h"
#include "tui/flags/command_line.h"
#include "tui/view/progress.h"
#include "tui/view/remote.h"
#include "tui/view/waiting.h"
#include "tui/view/wakeups.h"

namespace pipetop::tui {
namespace {

// To see which side is waited for. Each look interrupts the data for some microseconds.
constexpr uint64_t kReport_ns = 200 * kMs;
constexpr size_t kShownLast = 4096;  // bytes, at most

// Nothing if it is not known of all.
std::optional<uint64_t> size_of_all(const ViewRequest& request,
                                    const std::vector<ViewInput>& inputs) {
  if (!request.size_of.empty()) {
    const auto size = bytes_left(open_input(request.size_of).get());
    if (!size) throw Error(fmt::format("--size @{}: it has no size", one_line(request.size_of)));
    return size;
  }
  if (request.size || request.separator) return request.size;
  uint64_t sum = 0;
  for (const ViewInput& input : inputs) {
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
        ends_(line),
        inputs_(ends_.inputs),
        status_(ends_.status),
        size_(size_of_all(request_, inputs_)),
        shows_(shows(request_)),
        pid_file_(request_.pid_file) {
    if (request_.force) ::signal(SIGTTOU, SIG_IGN);  // with `stty tostop` it would stop us
    if (inputs_.empty()) return;
    if (ends_.output) ends_.output->begin();
    if (!open_next()) return;
    next_ns_ = sampled_ns_ + request_.interval_ns;
    wait_for_next();
  }

  int run() {
    if (!copier_) return status_;
    move();
    show_last();
    close_output();
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
      } catch (const CopyError& e) {
        if (e.error_number() == EPIPE) return;
        tell_error(e);
        if (e.side() == CopySide::out) return;
      } catch (const SystemError& e) {
        return tell_error(e);
      }
    } while (open_next());
  }

  void tell_error(const Error& error) {
    end_line();
    say(error.what());
    status_ |= kNotMoved;
  }

  // Some file systems say only here that the disk is full.
  void close_output() {
    try {
      if (ends_.output) ends_.output->finish();
    } catch (const Error& e) {
      tell_error(e);
    }
  }

  // The one before, if there is one, is over. False: there is none.
  bool open_next() {
    while (next_input_ < inputs_.size()) {
      const ViewInput& input = inputs_[next_input_++];
      const CopyProgress before = copier_ ? copier_->progress() : CopyProgress();
      try {
        Copier next(options_for(input, request_.separator ? counted_before_ + before.counted
                                                          : bytes_before_ + before.bytes));
        copier_.emplace(std::move(next));
      } catch (const SystemError& e) {
        tell_error(e);
        continue;
      }
      bytes_before_ += before.bytes;
      counted_before_ += before.counted;
      skipped_ += before.skipped;
      names_.emplace(copier_->in().fd, copier_->out().fd);
      return true;
    }
    return false;
  }

  // `before`: bytes, or lines, of those that are over.
  CopyOptions options_for(const ViewInput& input, uint64_t before) const {
    CopyOptions options;
    options.in = input.fd();
    options.in_name = input.name;
    options.out = ends_.out_fd();
    options.out_name = ends_.out_name;
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
    if (shows_ != Shows::line || !line_.can_show(request_.force)) return;
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
  Wakeups wakeups_{PidFile::remove};  // before anything is opened: a FIFO may wait for its writer
  ViewEnds ends_;
  std::vector<ViewInput>& inputs_;
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

}  // namespace

int view_command(const CommandLine& line) {
  if (line.view.remote) {
    if (::geteuid() == 0) use_capabilities(~uint64_t{0});
    send_flags(*line.view.remote);
    return static_cast<int>(Exit::ok);
  }
  if (line.view.watched) return view_files(line.view);
  return View(line).run();
}

}  // namespace pipetop::tui
