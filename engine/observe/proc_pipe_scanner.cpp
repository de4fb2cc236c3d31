// The pipes of one's own processes, without privileges.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/unique_fd.h"
#include "engine/host/host_files.h"
#include "engine/observe/capabilities.h"
#include "engine/observe/held_ends.h"
#include "engine/observe/pipe_scanner.h"
#include "engine/observe/proc_tasks.h"
#include "engine/process/pipe_asker.h"
#include "engine/process/privileges.h"
#include "engine/process/task_stat.h"

namespace pipetop::observe {
namespace {

constexpr uint64_t kAskAgainNs = 100'000'000;
constexpr size_t kLongestText = 4096;  // of the files that we read

std::string read_text(const std::string& path) { return read_head(path, kLongestText); }

// The names in a folder that are numbers, in order. Empty, with errno set, if it can't be read;
// else errno is 0.
std::vector<int> numbers_in(const std::string& folder) {
  std::vector<int> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), &closedir);
  if (!open) return numbers;
  while (const dirent* entry = readdir(open.get())) {
    const char* end = entry->d_name + std::strlen(entry->d_name);
    int number = 0;
    const auto parsed = std::from_chars(entry->d_name, end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  errno = 0;
  return numbers;
}

// Of the file behind a descriptor, without opening it or asking a server.
std::optional<PipeId> pipe_behind(const std::string& path) {
  struct statx status = {};
  if (statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &status) != 0)
    return {};
  if (!S_ISFIFO(status.stx_mode)) return {};
  return PipeId{device_of(status.stx_dev_major, status.stx_dev_minor), status.stx_ino};
}

// What a pipe said of itself.
struct Asked {
  uint64_t at_ns = 0;
  std::optional<PipeAsker::Answer> answer;
};

bool reaches_others() {
  return ::geteuid() == 0 || (permitted_capabilities() & capabilities({CAP_SYS_PTRACE})) != 0;
}

constexpr const char* kOnlyOpen =
    "; who can reach other users' processes sees the sizes and bytes of an open pipeline only";

class ProcPipeScanner final : public PipeScanner {
 public:
  explicit ProcPipeScanner(std::string reason)
      : asks_all_(!reaches_others()), reason_(std::move(reason) + (asks_all_ ? "" : kOnlyOpen)) {}

  void set_open(std::set<PipeId> pipes) override { open_ = std::move(pipes); }

  PipeScan scan() override {
    begin();
    for (const pid_t pid : numbers_in("/proc")) list_ends(pid, {});
    return result({});
  }

  PipeScan scan(std::span<const ProcessId> processes) override {
    begin();
    const std::set<ProcessId> wanted(processes.begin(), processes.end());
    for (const ProcessId process : wanted) list_ends(process.pid, process.start_ticks);
    return result(wanted);
  }

 private:
  void begin() {
    began_ns_ = monotonic_ns();
    held_.clear();
    unreadable_ = 0;
  }

  // Of a process that was started then, if that is given.
  void list_ends(pid_t pid, std::optional<uint64_t> start_ticks) {
    const std::string folder = fmt::format("/proc/{}", pid);
    const std::vector<int> fds = numbers_in(folder + "/fd");
    if (fds.empty() && (errno == EACCES || errno == EPERM)) {
      const auto stat = read_task_stat(pid);
      if (stat && !stat->is_kernel_thread && !stat->is_zombie()) ++unreadable_;
      return;
    }
    const size_t before = held_.size();
    for (const int fd : fds) list_end(folder, pid, fd);
    if (held_.size() == before) return;
    const auto stat = read_task_stat(pid);
    if (!stat || (start_ticks && stat->start_ticks != *start_ticks)) return held_.resize(before);
    for (size_t i = before; i < held_.size(); ++i)
      held_[i].end.process.start_ticks = stat->start_ticks;
  }

  void list_end(const std::string& folder, pid_t pid, int fd) {
    const auto pipe = pipe_behind(fmt::format("{}/fd/{}", folder, fd));
    if (!pipe) return;
    const auto flags = parse_descriptor_flags(read_text(fmt::format("{}/fdinfo/{}", folder, fd)));
    if (!flags || (*flags & O_PATH)) return;  // which opens nothing
    HeldEnd held;
    held.pipe = *pipe;
    held.end = {.process = {pid, 0},
                .fd = fd,
                .access = access_of(*flags),
                .nonblocking = (*flags & O_NONBLOCK) != 0};
    held_.push_back(held);
  }

  PipeScan result(const std::set<ProcessId>& asked_for) {
    PipeScan scan;
    scan.source = ScanSource::proc;
    scan.reason = reason_;
    scan.unreadable = unreadable_;
    sort_ends(held_);
    scan.pipes = pipes_of(held_);
    ask_all(scan.pipes);
    std::set<ProcessId> processes = asked_for;
    for (const HeldEnd& held : held_) processes.insert(held.end.process);
    for (const ProcessId process : processes) list_tasks(scan, process);
    scan.at_ns = monotonic_ns();
    scan.took_ns = scan.at_ns - began_ns_;
    names_.forget_old(scan.at_ns);
    return scan;
  }

  void ask_all(std::vector<ScannedPipe>& pipes) {
    std::map<PipeId, Asked> kept;
    std::vector<const ScannedPipe*> due;
    for (const ScannedPipe& pipe : pipes) {
      Asked& asked = kept[pipe.id];
      if (const auto before = asked_.find(pipe.id); before != asked_.end()) asked = before->second;
      const bool may_ask = asks_all_ || open_.contains(pipe.id);
      if (!may_ask) asked.answer.reset();
      const bool is_due = asked.at_ns == 0 || monotonic_ns() >= asked.at_ns + kAskAgainNs;
      if (!is_due) continue;
      asked = {monotonic_ns(), {}};
      if (may_ask) due.push_back(&pipe);
    }
    ask(due, kept);
    for (ScannedPipe& pipe : pipes) {
      const Asked& asked = kept[pipe.id];
      pipe.at_ns = asked.at_ns;
      if (!asked.answer) continue;
      pipe.capacity = asked.answer->capacity;
      pipe.queued = asked.answer->queued;
    }
    // A pipe that another scan asks about may be asked again too soon otherwise.
    for (const auto& [id, asked] : asked_)
      if (began_ns_ < asked.at_ns + kAskAgainNs) kept.emplace(id, asked);
    asked_ = std::move(kept);
  }

  // Yama allows copies of some processes' descriptors and not of others.
  void ask(std::vector<const ScannedPipe*> pipes, std::map<PipeId, Asked>& kept) {
    constexpr size_t kMostTries = 4;
    for (size_t end = 0; end < kMostTries && !pipes.empty(); ++end) {
      std::vector<PipeAsker::Question> questions;
      for (const ScannedPipe* pipe : pipes) questions.push_back({pipe->id, pipe->ends[end]});
      const auto answers = asker_.ask(questions);
      std::vector<const ScannedPipe*> left;
      for (size_t i = 0; i < pipes.size(); ++i) {
        kept[pipes[i]->id] = {monotonic_ns(), answers[i]};
        if (!answers[i] && end + 1 < pipes[i]->ends.size()) left.push_back(pipes[i]);
      }
      pipes = std::move(left);
    }
  }

  void list_tasks(PipeScan& scan, ProcessId process) {
    const std::string folder = fmt::format("/proc/{}", process.pid);
    const auto whole = read_task_stat(process.pid);
    if (!whole || whole->start_ticks != process.start_ticks) return;
    const DescriptorTable descriptors(held_, scan.pipes, names_, began_ns_);
    for (const pid_t tid : numbers_in(folder + "/task")) {
      const std::string files = fmt::format("{}/task/{}", folder, tid);
      const auto stat = parse_task_stat(read_text(files + "/stat"));
      if (!stat) continue;
      ScannedTask task;
      task.process = process;
      task.tid = tid;
      task.parent = stat->parent;
      task.group = stat->group;
      task.session = stat->session;
      task.comm = stat->comm;
      task.running = stat->is_running();
      task.zombie = stat->is_zombie();
      task.cpu_ns =
          parse_cpu_ns(read_text(files + "/schedstat")).value_or(stat->cpu_ticks * ns_per_tick());
      if (!task.running && !task.zombie) classify(task, files, sleep_of(stat->state), descriptors);
      scan.tasks.push_back(std::move(task));
    }
  }

  static void classify(ScannedTask& task, const std::string& files, Sleep sleep,
                       const DescriptorTable& descriptors) {
    const auto call = parse_system_call(read_text(files + "/syscall"));
    const TaskWait wait = wait_of(call.value_or(SystemCall{}), sleep,
                                  [&](int fd) { return descriptors.find(task.process, fd); });
    task.wait = wait.wait;
    task.fd = wait.fd;
  }

  const bool asks_all_;
  const std::string reason_;
  std::set<PipeId> open_;
  PipeAsker asker_;
  uint64_t began_ns_ = 0;
  std::vector<HeldEnd> held_;
  uint32_t unreadable_ = 0;
  std::map<PipeId, Asked> asked_;
  DescriptorNames names_;
};

}  // namespace

std::unique_ptr<PipeScanner> make_proc_pipe_scanner(std::string reason) {
  return std::make_unique<ProcPipeScanner>(std::move(reason));
}

std::unique_ptr<PipeScanner> make_pipe_scanner(BpfUse use) {
  if (use == BpfUse::off) return make_proc_pipe_scanner(kBpfSwitchedOff);
  try {
    return make_bpf_pipe_scanner();
  } catch (const Error& refused) {
    return make_proc_pipe_scanner(refused.what());
  }
}

}  // namespace pipetop::observe
