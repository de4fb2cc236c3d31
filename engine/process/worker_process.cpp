#include "engine/process/worker_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/process/cgroups.h"
#include "engine/process/child.h"
#include "engine/process/privileges.h"
#include "engine/process/proc_files.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

namespace pipetop {
namespace {

constexpr size_t kMostFds = 8;

struct Exec {
  const char* program;
  std::string uid, gid;  // of the user to become
};

// In the child, after fork: only async-signal-safe calls. Does not return; failures
// are reported through error_fd.
[[noreturn]] void become_worker(const Exec& exec, int control_fd, std::span<const int> fds,
                                int error_fd) {
  // The worker asks for it again, but it may be stopped before it gets there.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // In its own process group: we handle the terminal's Ctrl-C and Ctrl-Z.
  ::setpgid(0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Until the worker has its handler, the wakeup signal must not kill it; this survives exec.
  ::signal(kWakeSignal, SIG_IGN);

  const int error_place = kWorkerFirstFd + static_cast<int>(fds.size());
  const int safe = error_place + 1;  // above all descriptors to be replaced
  const auto copy = [&](int fd) {
    const int copied = ::fcntl(fd, F_DUPFD_CLOEXEC, safe);
    if (copied < 0) report_failed_exec(error_fd);
    return copied;
  };
  int given[kMostFds];
  for (size_t i = 0; i < fds.size(); ++i) given[i] = copy(fds[i]);
  const int control = copy(control_fd);
  const int error = copy(error_fd);
  const int null = ::open("/dev/null", O_RDWR);
  if (null >= 0) {
    for (int fd = 0; fd <= 2; ++fd) ::dup2(null, fd);
  }
  ::dup2(control, kWorkerControlFd);
  for (size_t i = 0; i < fds.size(); ++i) ::dup2(given[i], kWorkerFirstFd + static_cast<int>(i));
  ::dup3(error, error_place, O_CLOEXEC);
  ::syscall(SYS_close_range, error_place + 1, ~0u, 0);
  restore_descriptor_limit();  // not before: copies would have to be below it

  const char* const arguments[] = {"pipetop", kWorkerProcess, exec.uid.c_str(), exec.gid.c_str(),
                                   nullptr};
  // Before exec, so that it does not regain the capabilities of our file. Root needs its
  // capabilities until the worker has changed its user.
  if (::geteuid() == 0 || drop_capabilities())
    ::execv(exec.program, const_cast<char* const*>(arguments));
  report_failed_exec(error_place);
}

constexpr uint64_t kLongestDeath = 1'000 * kMs;
constexpr uint64_t kYoung = 1'000 * kMs;
constexpr uint64_t kLongestDelay = 2'000 * kMs;

}  // namespace

ControlMemory::ControlMemory(WorkloadKind workload, Role role) {
  fd_ = UniqueFd(::memfd_create("pipetop-control", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd_) throw SystemError("memfd_create", errno);
  if (::ftruncate(fd_.get(), sizeof(ControlBlock)) != 0) throw SystemError("ftruncate", errno);
  if (::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    throw SystemError("F_ADD_SEALS", errno);
  mapping_ = map_shared(fd_.get(), sizeof(ControlBlock));
  if (!mapping_) throw SystemError("mmap of the control block", errno);
  auto* block = new (mapping_.data()) ControlBlock{};
  block->workload = static_cast<uint32_t>(workload);
  block->role = static_cast<uint32_t>(role);
  block->parent_pid = static_cast<uint32_t>(::getpid());
}

std::string ProcessEnd::words() const {
  if (!by_signal) return fmt::format("exit status {}", code);
  // Which of them, only the kernel's log tells.
  if (code == SIGKILL) return "signal 9 (killed by somebody, or for lack of memory)";
  return fmt::format("signal {} ({})", code, ::strsignal(code));
}

WorkerProcess::WorkerProcess(const std::string& program, int control_fd, std::span<const int> fds) {
  if (fds.size() > kMostFds) throw SystemError("descriptors of a worker", E2BIG);
  const User user = user_to_become();
  const Exec exec = {program.c_str(), std::to_string(user.uid), std::to_string(user.gid)};
  StartedChild started =
      start_child([&](int error_fd) { become_worker(exec, control_fd, fds, error_fd); });
  if (started.exec_error != 0)
    throw SystemError(fmt::format("exec of {}", program), started.exec_error);
  child_ = std::make_unique<Child>(started.pid);
  child_->pidfd = std::move(started.pidfd);
}

void WorkerProcess::send(int signal) const {
  if (child_) child_->send(signal);
}

std::optional<ProcessEnd> WorkerProcess::poll() {
  while (child_) {
    siginfo_t info = {};
    const int options = WEXITED | WSTOPPED | WCONTINUED | WNOHANG;
    const auto pidfd = static_cast<id_t>(child_->pidfd.get());
    if (::waitid(static_cast<idtype_t>(P_PIDFD), pidfd, &info, options) != 0 || info.si_pid == 0)
      return {};
    if (info.si_code == CLD_STOPPED || info.si_code == CLD_CONTINUED) {
      child_->stopped = info.si_code == CLD_STOPPED;
      continue;
    }
    child_->pid = 0;
    child_.reset();  // or its pidfd stays readable forever
    return ProcessEnd{info.si_code != CLD_EXITED, info.si_status};
  }
  return {};
}

bool WorkerProcess::Child::runs() const {
  const auto stat = read_task_stat(pid);
  return stat && (stat->is_running() || stat->is_zombie());
}

void WorkerProcess::Child::send(int signal) {
  if (signal == SIGKILL && killed_at_ns == 0) killed_at_ns = monotonic_ns();
  ::kill(pid, signal);  // not reaped: the number is still its own
}

// The time counts from the first kill: who kills several first waits for all of them together.
void WorkerProcess::Child::kill() {
  constexpr int kLook_ms = 10;
  send(SIGKILL);
  pollfd end = {pidfd.get(), POLLIN, 0};
  for (uint64_t ran_ns = killed_at_ns; pidfd && ::poll(&end, 1, 0) <= 0;) {
    const uint64_t now_ns = monotonic_ns();
    if (runs()) ran_ns = now_ns;
    if (now_ns >= std::min(killed_at_ns + kLongestDeath, ran_ns + kStuckPatience_ns)) return;
    ::poll(&end, 1, kLook_ms);
  }
}

// One that has not ended by now is reaped by init when we are gone.
WorkerProcess::Child::~Child() {
  if (pid <= 0) return;
  kill();
  ::waitpid(pid, nullptr, pidfd ? WNOHANG : 0);
}

void WorkerProcess::kill() {
  if (child_) child_->kill();
  poll();
}

Worker::Worker(WorkloadKind workload, Role role, std::string program, std::vector<int> fds)
    : role_(role), program_(std::move(program)), fds_(std::move(fds)), control_(workload, role) {
  generation_ = publish_command(control_.block(), command_);
}

void Worker::start(uint64_t now_ns) {
  process_ = WorkerProcess(program_, control_.fd(), fds_);
  started_at_ns_ = now_ns;
  ++starts_;
}

void Worker::publish(const WorkerCommand& command) {
  if (command == command_) return;
  command_ = command;
  generation_ = publish_command(control_.block(), command);
  wake();
}

std::optional<WorkerReport> Worker::report() const {
  return read_report(control_.block(), generation_);
}

std::optional<ProcessEnd> Worker::reap(uint64_t now_ns) {
  const auto end = process_.poll();
  if (!end) return {};
  const bool young = now_ns - started_at_ns_ < kYoung;
  young_deaths_ = young ? young_deaths_ + 1 : 0;
  const uint64_t delay =
      young_deaths_ <= 1 ? 0 : std::min(kLongestDelay, 50 * kMs << std::min(young_deaths_, 8u));
  restart_at_ns_ = now_ns + delay;
  last_end_ = end->words();
  return end;
}

// Nearly all of the time it works, which costs no more than a look at its counters.
void Worker::look(uint64_t now_ns) {
  constexpr uint64_t kInterval = 200 * kMs;
  const uint64_t calls = counts().all_calls();
  if (std::exchange(seen_calls_, calls) != calls || !alive()) {
    frozen_by_.clear();
    looked_ns_ = now_ns;
  } else if (now_ns >= looked_ns_ + kInterval) {
    frozen_by_ = why_frozen(pid());
    looked_ns_ = now_ns;
  }
}

void Worker::put_off(uint64_t now_ns) { restart_at_ns_ = now_ns + kLongestDelay; }

}  // namespace pipetop
