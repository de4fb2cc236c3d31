#include "engine/process/exec_report.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace pipetop {
namespace {

constexpr int kLook_ms = 20;

void continue_if_stopped(pid_t child) {
  siginfo_t info = {};
  if (::waitid(P_PID, static_cast<id_t>(child), &info, WSTOPPED | WNOHANG) == 0 &&
      info.si_pid == child)
    ::kill(child, SIGCONT);
}

}  // namespace

int wait_for_exec(const UniqueFd& reports, pid_t child) {
  pollfd report = {reports.get(), POLLIN, 0};
  while (::poll(&report, 1, kLook_ms) <= 0) continue_if_stopped(child);
  int error_number = 0;
  ssize_t bytes = 0;
  do bytes = ::read(reports.get(), &error_number, sizeof error_number);
  while (bytes < 0 && errno == EINTR);
  return bytes == sizeof error_number ? error_number : 0;
}

void report_failed_exec(int report_fd) {
  const int error_number = errno;
  (void)!::write(report_fd, &error_number, sizeof error_number);
  ::_exit(127);
}

}  // namespace pipetop
