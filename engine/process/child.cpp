#include "engine/process/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "engine/base/error.h"

namespace pipetop {
namespace {

constexpr int kLook_ms = 20;

void continue_if_stopped(pid_t child) {
  siginfo_t info = {};
  if (::waitid(P_PID, static_cast<id_t>(child), &info, WSTOPPED | WNOHANG) == 0 &&
      info.si_pid == child)
    ::kill(child, SIGCONT);
}

// 0: exec has succeeded, and closed the other end; or the child has ended without a word.
int wait_for_exec(const UniqueFd& reports, pid_t child) {
  pollfd report = {reports.get(), POLLIN, 0};
  int ready = 0;
  while ((ready = ::poll(&report, 1, kLook_ms)) == 0 || (ready < 0 && errno == EINTR))
    continue_if_stopped(child);
  int error_number = 0;
  ssize_t bytes = 0;
  do bytes = ::read(reports.get(), &error_number, sizeof error_number);
  while (bytes < 0 && errno == EINTR);
  return bytes == sizeof error_number ? error_number : 0;
}

struct Inherited {
  int number;
  void (*ours)(int);
  struct sigaction theirs;
};

std::array<Inherited, 3> g_inherited = {
    {{SIGPIPE, SIG_IGN, {}}, {SIGXFSZ, SIG_IGN, {}}, {SIGCHLD, SIG_DFL, {}}}};
sigset_t g_mask;  // none, until it is set
bool g_set = false;

rlim_t soft_before = RLIM_INFINITY;  // RLIM_INFINITY: not raised

}  // namespace

StartedChild start_child(const std::function<void(int report_fd)>& become) {
  PipeEnds report = open_pipe();
  if (!report) throw SystemError("pipe2", errno);
  StartedChild child{.pid = ::fork(), .pidfd = {}};
  if (child.pid < 0) throw SystemError("fork", errno);
  if (child.pid == 0) {
    become(report.write.get());
    report_failed_exec(report.write.get());
  }
  report.write.reset();
  child.exec_error = wait_for_exec(report.read, child.pid);
  // Not reaped yet, so the pid cannot have been reused.
  if (child.exec_error == 0)
    child.pidfd = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0)));
  if (child.pidfd) return child;
  const int error = errno;
  ::kill(child.pid, SIGKILL);
  ::waitpid(child.pid, nullptr, 0);
  if (child.exec_error == 0) throw SystemError("pidfd_open", error);
  return child;
}

void report_failed_exec(int report_fd) {
  const int error_number = errno;
  (void)!::write(report_fd, &error_number, sizeof error_number);
  ::_exit(127);
}

void set_own_signals() {
  for (Inherited& signal : g_inherited) {
    struct sigaction ours {};
    ours.sa_handler = signal.ours;
    ::sigaction(signal.number, &ours, &signal.theirs);
  }
  ::sigprocmask(SIG_BLOCK, nullptr, &g_mask);
  g_set = true;
}

void restore_inherited_signals() {
  if (g_set)
    for (const Inherited& signal : g_inherited) ::sigaction(signal.number, &signal.theirs, nullptr);
  ::sigprocmask(SIG_SETMASK, &g_mask, nullptr);
}

void raise_descriptor_limit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  if (soft_before == RLIM_INFINITY) soft_before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void restore_descriptor_limit() {
  rlimit limit = {};
  if (soft_before == RLIM_INFINITY || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = soft_before;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace pipetop
