#include "tui/command_line/files_view.h"

#include <fmt/core.h>
#include <linux/capability.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/process/privileges.h"
#include "engine/process/proc_files.h"
#include "tui/command_line/output.h"
#include "tui/command_line/view_ends.h"
#include "tui/view/progress.h"
#include "tui/view/watched_files.h"

namespace pipetop::tui {
namespace {

// A line for each file, drawn over again and again, until the last one is closed.
class FilesView {
 public:
  explicit FilesView(const ViewRequest& request) : request_(request) {}

  int run() {
    if (const int error = read_task_stat(watched_.pid, process_); error != 0) {
      say(fmt::format("process {}: {}", watched_.pid, std::strerror(error)));
      return kNotOpened;
    }
    std::vector<WatchedFile> files = files_of(watched_);
    if (files.empty() && watched_.fd >= 0) {
      say(fmt::format("descriptor {} of process {} is no file that is open, or not ours to see",
                      watched_.fd, watched_.pid));
      return kNotOpened;
    }
    const FileId first = files.empty() ? FileId() : files[0].id;
    while (goes_on(files, first)) {
      show(files);
      const timespec time = {time_t(request_.interval_ns / kSecond),
                             long(request_.interval_ns % kSecond)};
      ::nanosleep(&time, nullptr);
      files = files_of(watched_);
    }
    return static_cast<int>(Exit::ok);
  }

 private:
  // After `files` were read: they are of this process then, and of no other that has its number.
  bool goes_on(const std::vector<WatchedFile>& files, const FileId& first) const {
    TaskStat now;
    if (read_task_stat(watched_.pid, now) != 0 || now.start_ticks != process_.start_ticks ||
        now.is_zombie())
      return false;
    return watched_.fd < 0 || (!files.empty() && files[0].id == first);
  }

  void show(const std::vector<WatchedFile>& files) {
    const uint64_t now_ns = monotonic_ns();
    const bool numbers = request_.numeric;
    if (request_.quiet) return;
    if (!numbers && !request_.force && ::isatty(STDERR_FILENO) != 1) return;
    if (!numbers && !line_.can_show(request_.force)) return;
    const size_t rows = request_.height != 0 ? request_.height : size_t{25};
    // Back to the first of the lines that were drawn before.
    std::string text = !numbers && shown_ > 0 ? fmt::format("\033[{}A", shown_) : "";
    shown_ = 0;
    for (const WatchedFile& file : files) {
      if (shown_ + 1 >= rows) break;
      const auto known = flows_.try_emplace({file.fd, file.id},
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
  const WatchedDescriptor& watched_ = *request_.watched;
  TaskStat process_;
  std::map<std::pair<int, FileId>, Flow> flows_;
  const StatusLine line_;
  size_t shown_ = 0;  // lines
};

}  // namespace

int view_files(const ViewRequest& request) {
  // As root, what /proc shows of everybody; it only reads.
  if (::geteuid() == 0)
    use_capabilities(uint64_t{1} << CAP_SYS_PTRACE | uint64_t{1} << CAP_DAC_READ_SEARCH);
  return FilesView(request).run();
}

}  // namespace pipetop::tui
