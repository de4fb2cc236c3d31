#include "engine/process/foreign_end.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <new>
#include <string_view>
#include <utility>

#include "engine/base/clock.h"
#include "engine/process/proc_files.h"
#include "engine/process/threads.h"

namespace pipetop {
namespace {

// For a FIFO on these, stat shows another device than BPF sees, which is the superblock's.
bool has_devices_of_its_own(int fd) {
  struct statfs system = {};
  if (::fstatfs(fd, &system) != 0) return false;
  return system.f_type == BTRFS_SUPER_MAGIC || system.f_type == OVERLAYFS_SUPER_MAGIC;
}

bool is_still(int fd, PipeId pipe) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode) || status.st_ino != pipe.inode)
    return false;
  const auto device = static_cast<uint32_t>(status.st_dev);
  if (device == pipe.device) return true;
  const uint32_t nameless = device_of_nameless_pipes();
  return device != nameless && pipe.device != nameless && has_devices_of_its_own(fd);
}

// ---- children that wait for a pipe's lock ----

// Left behind. Strangers choose how many pipes are locked, so there are few.
class StuckChildren {
 public:
  bool is_full() {
    reap();
    return std::ranges::none_of(children_, [](const Stuck& child) { return child.pid == 0; });
  }

  bool wait_for(PipeId pipe) {
    reap();
    return std::ranges::any_of(
        children_, [&](const Stuck& child) { return child.pid != 0 && child.pipe == pipe; });
  }

  // It has been killed. Without room it is a zombie until we end.
  void add(pid_t child, PipeId pipe) {
    reap();
    const auto free = std::ranges::find(children_, 0, &Stuck::pid);
    if (free != children_.end()) *free = {child, pipe};
    reap();
  }

 private:
  struct Stuck {
    pid_t pid = 0;
    PipeId pipe;
  };

  // Those that have ended, or are not ours: whoever forked us had them.
  void reap() {
    for (Stuck& child : children_)
      if (child.pid != 0 && ::waitpid(child.pid, nullptr, WNOHANG) != 0) child = {};
  }

  std::array<Stuck, 2> children_;
};

constinit StuckChildren g_stuck;

// In a child: nobody but it keeps `fd`, which becomes descriptor 0, and nothing else of ours, such
// as the pipe that our standard output may be.
void keep_only(int fd, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  ::setpgid(0, 0);
  if (::dup2(fd, 0) != 0 || ::syscall(SYS_close_range, 1u, ~0u, 0u) != 0) ::_exit(1);
}

// Until it can be read, or the child has ended.
bool is_ready(int fd, uint64_t until_ns) {
  while (true) {
    const uint64_t now_ns = monotonic_ns();
    const uint64_t left_ns = until_ns - std::min(until_ns, now_ns);
    const timespec left = {static_cast<time_t>(left_ns / kSecond),
                           static_cast<long>(left_ns % kSecond)};
    pollfd ready = {fd, POLLIN, 0};
    const int count = ::ppoll(&ready, 1, &left, nullptr);
    if (count >= 0 || errno != EINTR) return count != 0;
  }
}

// These return 0 or errno.

int ask_copy(int copy, uint64_t& capacity, uint64_t& queued) {
  const int size = ::fcntl(copy, F_GETPIPE_SZ);
  if (size < 0) return errno;
  capacity = static_cast<uint64_t>(size);
  int bytes = 0;
  if (::ioctl(copy, FIONREAD, &bytes) != 0) return errno;
  queued = static_cast<uint64_t>(bytes);
  return 0;
}

int resize_copy(int copy, std::optional<uint64_t> bytes, uint64_t expected, PipeSizes& sizes) {
  if (const int error = ask_copy(copy, sizes.before, sizes.queued)) return error;
  sizes.now = sizes.before;
  if (!bytes || (expected != 0 && sizes.before != expected)) return 0;
  const int granted = ::fcntl(copy, F_SETPIPE_SZ, static_cast<int>(*bytes));
  if (granted < 0) return errno;
  sizes.now = static_cast<uint64_t>(granted);
  return 0;
}

// ---- the one that answers questions ----

// At once: copies are made so many at a time before somebody else may want our time.
constexpr size_t kMostQuestions = 64;
constexpr uint64_t kLook_ns = 20 * kMs;    // who waits for a lock for so long is stuck
constexpr uint64_t kMost_ns = 200 * kMs;   // that is waited for one that has no CPU, for example
constexpr uint64_t kChange_ns = 50 * kMs;  // who waits for a lock for so long changes no size
// Who doesn't answer for so long was stopped by somebody. Then it is killed, which closes its copy.
constexpr uint64_t kPatience_ns = kSecond;

}  // namespace

struct PipeAsker::Desk {
  uint32_t count = 0;
  std::array<Question, kMostQuestions> questions;
  std::array<std::optional<Answer>, kMostQuestions> answers;
  std::atomic<uint32_t> answered = 0;    // of them
  std::atomic<bool> is_in_pipe = false;  // in a call that takes the lock of the next one
};

uint32_t device_of_nameless_pipes() {
  static std::atomic<uint32_t> known = 0;
  if (known != 0) return known;
  const PipeEnds pipe = open_pipe();
  if (!pipe) return 0;
  struct stat status = {};
  if (::fstat(pipe.read.get(), &status) == 0) known = static_cast<uint32_t>(status.st_dev);
  return known;
}

// The start time is read when we have the pidfd: from then on it can't be another process's.
int copy_end(PipeId pipe, const PipeEnd& end, UniqueFd& copy) {
  constexpr unsigned kOfThread = O_EXCL;  // PIDFD_THREAD, since 6.9
  const pid_t tid = thread_with_descriptors(end.process.pid);
  const unsigned flags = tid == end.process.pid ? 0 : kOfThread;
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, tid, flags)));
  if (!process) return errno;
  if (const int error = look_for(end.process)) return error;
  copy.reset(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), end.fd, 0)));
  if (!copy) return errno;
  if (is_still(copy.get(), pipe)) return 0;
  copy.reset();
  return EBADF;
}

// ---- with the pipe's lock ----

bool is_locked(PipeId pipe) { return g_stuck.wait_for(pipe); }

InPipe sleeps_in_pipe(pid_t process) {
  TaskStat stat;
  if (read_task_stat(process, stat) != 0 || stat.state != 'D') return InPipe::no;
  const UniqueFd file(::open(proc_path(process, "wchan").data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 64> name;
  const ssize_t bytes = file ? ::read(file.get(), name.data(), name.size()) : 0;
  const std::string_view function(name.data(), bytes > 0 ? size_t(bytes) : 0);
  if (function.empty() || function == "0") return InPipe::unknown;
  const bool is_in = function.starts_with("pipe_") || function.find("mutex") != function.npos;
  return is_in ? InPipe::yes : InPipe::no;
}

namespace {

// Whether who waits for an answer of this child for so long may give it up: at once if it is known
// to be stuck, and where that isn't told, a little later.
bool is_stuck(pid_t child, uint64_t waited_ns, uint64_t patience_ns) {
  constexpr uint64_t kUntold = 4;
  if (waited_ns < patience_ns) return false;
  const InPipe in_pipe = sleeps_in_pipe(child);
  return in_pipe == InPipe::yes ||
         (in_pipe == InPipe::unknown && waited_ns >= kUntold * patience_ns);
}

// It asks before it changes something: a child that gets stuck does so before.
int in_child(PipeId pipe, UniqueFd copy, std::optional<uint64_t> bytes, uint64_t expected,
             PipeSizes& sizes) {
  constexpr int kUnknown = -1;
  struct Shared {
    PipeSizes sizes;
    std::atomic<int> error = kUnknown;
  };
  if (bytes && (*bytes == 0 || *bytes > INT_MAX)) return EINVAL;
  if (g_stuck.wait_for(pipe) || g_stuck.is_full()) return ETIMEDOUT;
  const Mapping memory = map_shared_memory(sizeof(Shared));
  if (!memory) return errno;
  auto& shared = *new (memory.data()) Shared;
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) return errno;
  if (child == 0) {
    keep_only(copy.get(), parent);
    shared.error = resize_copy(0, bytes, expected, shared.sizes);
    ::_exit(0);
  }
  copy.reset();
  // Without a descriptor of it: there may be none left.
  constexpr timespec kPause = {0, long(kMs)};
  const uint64_t began_ns = monotonic_ns();
  bool is_locked = false;
  while (::waitpid(child, nullptr, WNOHANG) == 0) {
    const uint64_t waited_ns = monotonic_ns() - began_ns;
    is_locked = is_stuck(child, waited_ns, kChange_ns);
    if (is_locked || waited_ns >= kPatience_ns) {
      ::kill(child, SIGKILL);
      g_stuck.add(child, is_locked ? pipe : PipeId());
      break;
    }
    ::nanosleep(&kPause, nullptr);
  }
  const int error = shared.error;
  if (error == kUnknown) return is_locked ? ETIMEDOUT : ETIME;
  sizes = shared.sizes;
  return error;
}

}  // namespace

int ask_pipe(PipeId pipe, UniqueFd copy, PipeSizes& sizes) {
  return in_child(pipe, std::move(copy), {}, 0, sizes);
}

int resize_pipe(PipeId pipe, UniqueFd copy, uint64_t bytes, uint64_t expected, PipeSizes& sizes) {
  return in_child(pipe, std::move(copy), bytes, expected, sizes);
}

namespace {

std::optional<PipeAsker::Answer> answer_to(const PipeAsker::Question& question,
                                           std::atomic<bool>& is_in_pipe) {
  UniqueFd copy;
  if (copy_end(question.pipe, question.end, copy) != 0) return {};
  PipeAsker::Answer answer;
  is_in_pipe = true;
  const int error = ask_copy(copy.get(), answer.capacity, answer.queued);
  copy.reset();
  is_in_pipe = false;
  return error == 0 ? std::optional(answer) : std::nullopt;
}

}  // namespace

// In the child. What it is told, and says, is that there is something on the desk.
void PipeAsker::answer_all(Desk& desk) {
  char nothing = 0;
  while (::recv(0, &nothing, 1, 0) == 1) {
    for (uint32_t i = 0; i < desk.count; ++i) {
      desk.answers[i] = answer_to(desk.questions[i], desk.is_in_pipe);
      desk.answered.store(i + 1, std::memory_order_release);
    }
    if (::send(0, &nothing, 1, MSG_NOSIGNAL) != 1) break;
  }
  ::_exit(0);
}

PipeAsker::~PipeAsker() {
  if (child_ <= 0) return;
  if (sent_ns_ != 0) {
    leave({});
    return;
  }
  kill_child();  // it waits for questions only
  ::waitpid(child_, nullptr, 0);
}

// By pidfd: whoever waits for all of our children has perhaps waited for this one.
void PipeAsker::kill_child() {
  ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
}

// False: it isn't possible now.
bool PipeAsker::begin() {
  if (g_stuck.is_full()) return false;  // it may be the next one
  if (child_ > 0) return true;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  UniqueFd ours(ends[0]), theirs(ends[1]);
  memory_ = map_shared_memory(sizeof(Desk));
  if (!memory_) return false;
  new (memory_.data()) Desk;
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) {
    keep_only(theirs.get(), parent);
    answer_all(desk());
  }
  if (child < 0) return false;
  pidfd_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (!pidfd_) {
    ::kill(child, SIGKILL);  // it waits for questions only
    ::waitpid(child, nullptr, 0);
    return false;
  }
  child_ = child;
  socket_ = std::move(ours);
  sent_ns_ = 0;
  return true;
}

bool PipeAsker::send(std::span<const Question> questions) {
  Desk& desk = this->desk();
  desk.count = static_cast<uint32_t>(questions.size());
  std::ranges::copy(questions, desk.questions.begin());
  desk.answered = 0;
  answered_ = 0;
  sent_ns_ = answered_ns_ = monotonic_ns();
  const char nothing = 0;
  return ::send(socket_.get(), &nothing, 1, MSG_NOSIGNAL) == 1;
}

PipeAsker::Outcome PipeAsker::wait(uint64_t until_ns) {
  while (true) {
    if (is_ready(socket_.get(), std::min(until_ns, monotonic_ns() + kLook_ns))) {
      char nothing = 0;
      if (::recv(socket_.get(), &nothing, 1, MSG_DONTWAIT) != 1) return Outcome::gone;
      sent_ns_ = 0;
      return Outcome::answered;
    }
    const uint64_t now_ns = monotonic_ns();
    const uint32_t answered = desk().answered;
    if (std::exchange(answered_, answered) != answered)
      answered_ns_ = now_ns;
    else if (desk().is_in_pipe && is_stuck(child_, now_ns - answered_ns_, kLook_ns))
      return Outcome::locked;
    if (now_ns >= sent_ns_ + kPatience_ns) return Outcome::gone;
    if (now_ns >= until_ns) return Outcome::slow;
  }
}

// Nobody waits for it: it may be stuck.
void PipeAsker::give_up(Outcome outcome) {
  const Desk& desk = this->desk();
  const size_t at = std::min<size_t>(desk.answered, kMostQuestions - 1);
  leave(outcome == Outcome::locked ? desk.questions[at].pipe : PipeId());
}

void PipeAsker::leave(PipeId pipe) {
  kill_child();
  g_stuck.add(std::exchange(child_, 0), pipe);
  pidfd_.reset();
  socket_.reset();
  memory_.reset();
  sent_ns_ = 0;
}

// What it was asked the last time, and had no time for. False: it still has none.
bool PipeAsker::finish(std::span<const Question> questions,
                       std::vector<std::optional<Answer>>& answers) {
  const Outcome outcome = wait(0);
  if (outcome == Outcome::slow) return false;
  const Desk& desk = this->desk();
  for (size_t i = 0; i < desk.answered; ++i)
    if (const auto same = std::ranges::find(questions, desk.questions[i]); same != questions.end())
      answers[size_t(same - questions.begin())] = desk.answers[i];
  if (outcome != Outcome::answered) give_up(outcome);
  return true;
}

std::vector<std::optional<PipeAsker::Answer>> PipeAsker::ask(std::span<const Question> questions) {
  std::vector<std::optional<Answer>> all(questions.size());
  if (sent_ns_ != 0 && !finish(questions, all)) return all;
  std::vector<size_t> places;  // of those that are left
  std::vector<Question> left;
  for (size_t i = 0; i < questions.size(); ++i) {
    if (all[i] || is_locked(questions[i].pipe)) continue;
    places.push_back(i);
    left.push_back(questions[i]);
  }
  for (size_t next = 0; next < left.size() && begin();) {
    const size_t count = std::min(kMostQuestions, left.size() - next);
    const bool is_sent = send(std::span(left).subspan(next, count));
    const Outcome outcome = is_sent ? wait(monotonic_ns() + kMost_ns) : Outcome::gone;
    const size_t answered = desk().answered.load(std::memory_order_acquire);
    for (size_t i = 0; i < answered; ++i) all[places[next + i]] = desk().answers[i];
    next += answered;
    if (outcome == Outcome::slow) break;
    if (outcome != Outcome::answered) give_up(outcome);
    if (outcome == Outcome::gone) break;
    if (outcome == Outcome::locked) ++next;
  }
  return all;
}

}  // namespace pipetop
