// The pipes of one's own processes, without privileges.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/base/system_files.h"
#include "engine/observe/held_ends.h"
#include "engine/observe/pipe_scanner.h"
#include "engine/observe/refusals.h"
#include "engine/process/foreign_end.h"
#include "engine/process/known_files.h"
#include "engine/process/privileges.h"
#include "engine/process/proc_files.h"

namespace pipetop::observe {
namespace {

constexpr uint64_t kAskAgain_ns = 100'000'000;
constexpr size_t kAtATime = 64;  // descriptors, pipes or threads

// Finds the pipe behind a descriptor, without opening it or asking a server.
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

// What all scans have in common.
struct Memory {
  const bool asks_all = !reaches_others();
  std::string reason;
  std::set<PipeId> open;
  PipeAsker asker;
  std::map<PipeId, Asked> asked;
  DescriptorNames names;
};

// A scan that is being made.
class ProcScan {
 public:
  // At most so many descriptors are visited.
  ProcScan(Memory& memory, size_t most_visits) : memory_(memory), most_visits_(most_visits) {}

  bool is_done() const { return step_ == Step::done; }
  void give_up() { step_ = Step::done; }

  void begin_all() {
    begin();
    NumberedNames pids("/proc");
    if (!pids) throw SystemError("/proc", errno);
    while (const auto pid = pids.next()) pids_.push_back({*pid, {}});
    check_shortage();
  }

  void begin(const std::set<ProcessId>& wanted) {
    begin();
    for (const ProcessId process : wanted) pids_.push_back({process.pid, process.start_ticks});
    holders_ = wanted;
  }

  std::optional<PipeScan> go_on(const IsLate& is_late) {
    while (finish_step(is_late)) {
      step_ = static_cast<Step>(static_cast<int>(step_) + 1);
      next_ = 0;
      if (step_ == Step::done) return result();
      if (is_late()) break;
    }
    return {};
  }

 private:
  // Tasks before bytes: a pipe that one of them has the lock of can't be asked.
  enum class Step : uint8_t { ends, pipes, tasks, bytes, waits, done };
  // How a task sleeps.
  struct Slept {
    SystemCall call;
    Sleep sleep = Sleep::interruptible;
    bool has_lock = false;  // of a pipe
  };
  // To be listed; started then, if that is given.
  struct Pid {
    pid_t pid;
    std::optional<uint64_t> start_ticks;
  };

  void begin() {
    began_ns_ = monotonic_ns();
    step_ = Step::ends;
    pids_.clear();
    next_ = visits_ = 0;
    fds_ = NumberedNames();
    tids_ = NumberedNames();
    held_.clear();
    limit_.emplace();
    holders_.clear();
    due_.clear();
    slept_.clear();
    scan_ = {};
    scan_.source = ScanSource::proc;
    scan_.reason = memory_.reason;
  }

  // False: there is more of it.
  bool finish_step(const IsLate& is_late) {
    switch (step_) {
      case Step::ends:
        while (next_ < pids_.size()) {
          if (!list_ends(pids_[next_], is_late)) return false;
          ++next_;
          if (is_late()) return false;
        }
        break;
      case Step::pipes:
        sort_ends(held_);
        scan_.pipes = pipes_of(held_);
        for (const HeldEnd& held : held_) holders_.insert(held.end.process);
        processes_.assign(holders_.begin(), holders_.end());
        break;
      case Step::tasks:
        while (next_ < processes_.size()) {
          if (!list_tasks(processes_[next_], is_late)) return false;
          ++next_;
          if (is_late()) return false;
        }
        find_due();
        break;
      case Step::bytes:
        if (!ask(is_late)) return false;
        for (ScannedPipe& pipe : scan_.pipes)
          if (!pipe.lock && is_locked(pipe.id)) pipe.lock.emplace();
        break;
      case Step::waits:
        return find_waits(is_late);
      case Step::done:
        break;
    }
    return true;
  }

  PipeScan result() {
    std::ranges::sort(scan_.tasks, {},
                      [](const ScannedTask& task) { return std::tuple(task.process, task.tid); });
    scan_.left_out = limit_->left_out();
    scan_.is_cut = visits_ >= most_visits_;
    scan_.at_ns = monotonic_ns();
    scan_.took_ns = scan_.at_ns - began_ns_;
    memory_.names.forget_old(scan_.at_ns);
    return std::move(scan_);
  }

  // False: there are more.
  bool list_ends(const Pid& pid, const IsLate& is_late) {
    if (!fds_) {
      start_ticks_.reset();
      if (!list_descriptors_of(pid.pid)) return true;
    }
    while (visits_ < most_visits_) {
      auto fd = fds_.next();
      if (!fd) check_shortage();
      if (!fd && !has_descriptors_ && list_descriptors_elsewhere(pid.pid)) fd = fds_.next();
      if (!fd) return check_shortage(), true;
      has_descriptors_ = true;
      list_end(pid, *fd);
      if (++visits_ % kAtATime == 0 && is_late()) return false;
    }
    return true;
  }

  void list_descriptors(pid_t tid) {
    fds_ = NumberedNames(fmt::format("/proc/{}/fd", tid));
    if (!fds_) check_shortage();
    tid_ = tid;
    has_descriptors_ = false;
  }

  // False: its first thread has not ended, or there is no other one.
  bool list_descriptors_elsewhere(pid_t pid) {
    const pid_t tid = thread_with_descriptors(pid);
    if (tid != pid) list_descriptors(tid);
    return tid != pid;
  }

  // False: they may not be listed, or it has gone.
  bool list_descriptors_of(pid_t pid) {
    list_descriptors(pid);
    if (fds_ || (errno != EACCES && errno != EPERM)) return bool(fds_);
    const auto stat = read_known_stat(pid);
    if (!stat || stat->is_kernel_thread) return false;
    if (stat->is_zombie() && !list_descriptors_elsewhere(pid)) return false;
    if (!fds_) ++scan_.unreadable;
    return bool(fds_);
  }

  void list_end(const Pid& pid, int fd) {
    errno = 0;
    const auto pipe = pipe_behind(fmt::format("/proc/{}/fd/{}", tid_, fd));
    if (!pipe) return check_shortage();
    if (!start_ticks_) {
      const auto stat = read_known_stat(pid.pid);
      // Another process has the number by now: nothing of it is listed.
      const bool is_it = stat && (!pid.start_ticks || stat->start_ticks == *pid.start_ticks);
      if (!is_it) return void(fds_ = NumberedNames());
      start_ticks_ = stat->start_ticks;
    }
    const ProcessId process = {pid.pid, *start_ticks_};
    if (!limit_->takes(process)) return;
    const auto info = keyed_number(read_known(tid_, fmt::format("fdinfo/{}", fd)), "flags", 8);
    const int flags = static_cast<int>(info.value_or(O_PATH));
    if (flags & O_PATH) return;  // which opens nothing
    HeldEnd& held = held_.emplace_back();
    held.pipe = *pipe;
    held.end = {.process = process,
                .fd = fd,
                .access = access_of(flags),
                .nonblocking = (flags & O_NONBLOCK) != 0};
  }

  // Those that may be asked, and were not a moment ago.
  void find_due() {
    std::map<PipeId, Asked> kept;
    for (ScannedPipe& pipe : scan_.pipes) {
      Asked& asked = kept[pipe.id];
      const auto before = memory_.asked.find(pipe.id);
      if (before != memory_.asked.end()) asked = before->second;
      const bool may_ask = memory_.asks_all || memory_.open.contains(pipe.id);
      if (!may_ask || pipe.lock) asked.answer.reset();
      if (pipe.lock) {
        asked.at_ns = began_ns_;
      } else if (asked.at_ns == 0 || began_ns_ >= asked.at_ns + kAskAgain_ns) {
        asked = {began_ns_, {}};
        if (may_ask) due_.push_back(&pipe);
      }
      set(pipe, asked);
    }
    // A pipe that another scan asks about may be asked again too soon otherwise.
    for (const auto& [id, asked] : memory_.asked)
      if (began_ns_ < asked.at_ns + kAskAgain_ns) kept.emplace(id, asked);
    memory_.asked = std::move(kept);
  }

  static void set(ScannedPipe& pipe, const Asked& asked) {
    pipe.at_ns = asked.at_ns;
    if (!asked.answer) return;
    pipe.capacity = asked.answer->capacity;
    pipe.queued = asked.answer->queued;
  }

  // Yama allows copies of some processes' descriptors and not of others. False: there are more.
  bool ask(const IsLate& is_late) {
    constexpr size_t kMostTries = 4;
    while (next_ < due_.size()) {
      const size_t count = std::min(kAtATime, due_.size() - next_);
      std::vector<ScannedPipe*> pipes(&due_[next_], &due_[next_] + count);
      for (size_t end = 0; end < kMostTries && !pipes.empty(); ++end) pipes = ask_at(end, pipes);
      next_ += count;
      if (is_late()) return false;
    }
    return true;
  }

  // Returns those that have told nothing, and have another end.
  std::vector<ScannedPipe*> ask_at(size_t end, const std::vector<ScannedPipe*>& pipes) {
    std::vector<PipeAsker::Question> questions;
    for (const ScannedPipe* pipe : pipes) questions.push_back({pipe->id, pipe->ends[end]});
    const uint64_t now_ns = monotonic_ns();
    const auto answers = memory_.asker.ask(questions);
    std::vector<ScannedPipe*> left;
    for (size_t i = 0; i < pipes.size(); ++i) {
      set(*pipes[i], memory_.asked[pipes[i]->id] = {now_ns, answers[i]});
      if (!answers[i] && end + 1 < pipes[i]->ends.size()) left.push_back(pipes[i]);
    }
    return left;
  }

  // False: there are more.
  bool list_tasks(ProcessId process, const IsLate& is_late) {
    if (!tids_) {
      const auto whole = read_known_stat(process.pid);
      if (!whole || whole->start_ticks != process.start_ticks) return true;
      tids_ = NumberedNames(fmt::format("/proc/{}/task", process.pid));
      if (!tids_) check_shortage();
    }
    size_t listed = 0;
    while (const auto tid = tids_.next()) {
      list_task(process, *tid);
      if (++listed % kAtATime == 0 && is_late()) return false;
    }
    check_shortage();
    return true;
  }

  void list_task(ProcessId process, pid_t tid) {
    const auto read = [&](const char* file) {
      return read_known(process.pid, fmt::format("task/{}/{}", tid, file));
    };
    const auto stat = parse_task_stat(read("stat"));
    if (!stat) return;
    ScannedTask task;
    task.process = process;
    task.tid = tid;
    task.parent = stat->parent;
    task.group = stat->group;
    task.session = stat->session;
    task.comm = stat->comm();
    task.running = stat->is_running();
    task.zombie = stat->is_zombie();
    const auto times = parse_schedstat(read("schedstat"));
    task.cpu_ns = times ? times->on_cpu_ns : stat->cpu_ticks * ns_per_tick();
    Slept slept;
    if (!task.running && !task.zombie) {
      slept.call = parse_system_call(read("syscall")).value_or(SystemCall{});
      slept.sleep = sleep_of(stat->state);
      slept.has_lock = find_lock(task, slept.call, slept.sleep, held_, scan_.pipes) != nullptr;
    }
    slept_.push_back(slept);
    scan_.tasks.push_back(std::move(task));
  }

  // Once it is known how full the pipes are. False: there are more.
  bool find_waits(const IsLate& is_late) {
    const DescriptorTable descriptors(held_, scan_.pipes, memory_.names, began_ns_);
    while (next_ < scan_.tasks.size()) {
      ScannedTask& task = scan_.tasks[next_];
      const Slept& slept = slept_[next_];
      if (!task.running && !task.zombie) {
        const auto find = [&](int fd, bool writing) {
          return descriptors.find(task.process, fd, writing);
        };
        const TaskWait wait = wait_of(slept.call, slept.sleep, find, slept.has_lock);
        task.wait = wait.wait;
        task.fd = wait.fd;
      }
      if (++next_ % kAtATime == 0 && is_late()) return false;
    }
    return true;
  }

  Memory& memory_;
  const size_t most_visits_;
  uint64_t began_ns_ = 0;
  Step step_ = Step::done;
  std::vector<Pid> pids_;
  size_t next_ = 0;                      // of the step's
  size_t visits_ = 0;                    // of descriptors
  NumberedNames fds_, tids_;             // of one process, from the next on
  pid_t tid_ = 0;                        // the thread that has them
  bool has_descriptors_ = false;         // it has some
  std::optional<uint64_t> start_ticks_;  // of that process
  std::vector<HeldEnd> held_;
  std::optional<EndLimit> limit_;
  std::set<ProcessId> holders_;
  std::vector<ProcessId> processes_;  // the same
  std::vector<Slept> slept_;          // by the scan's tasks
  std::vector<ScannedPipe*> due_;
  PipeScan scan_;
};

class ProcPipeScanner final : public PipeScanner {
 public:
  explicit ProcPipeScanner(std::string reason) {
    memory_.reason = std::move(reason);
    if (!memory_.asks_all) memory_.reason += kOnlyOpen;
  }

  PipeScan scan() override {
    whole_.begin_all();
    return *whole_.go_on(never_late);
  }

  std::optional<PipeScan> scan_on(const IsLate& is_late) override {
    try {
      if (whole_.is_done()) whole_.begin_all();
      return whole_.go_on(is_late);
    } catch (...) {
      whole_.give_up();  // half of it would be taken for all that there is
      throw;
    }
  }

  PipeScan scan(std::span<const ProcessId> processes) override {
    some_.begin({processes.begin(), processes.end()});
    return *some_.go_on(never_late);
  }

  void set_open(const std::set<PipeId>& pipes) override { memory_.open = pipes; }

 private:
  Memory memory_;
  // A look may take some 30 ms.
  ProcScan whole_{memory_, SIZE_MAX}, some_{memory_, 1 << 13};
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
