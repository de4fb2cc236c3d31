#include "engine/process/command.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <vector>

#include "engine/base/error.h"
#include "engine/process/descriptor_limit.h"
#include "engine/process/exec_report.h"
#include "engine/process/inherited_signals.h"

namespace pipetop {
namespace {

// In the child, after fork: only async-signal-safe calls. Does not return; a failure is reported
// through error_fd, which exec closes.
[[noreturn]] void become_command(char* const* arguments, int error_fd) {
  restore_inherited_signals();  // exec resets only what has a handler
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  restore_descriptor_limit();
  ::execvp(arguments[0], arguments);
  report_failed_exec(error_fd);
}

std::vector<std::string> arguments_of(std::span<const std::string> words) {
  if (words.size() == 1) return {"/bin/sh", "-c", words[0]};
  return {words.begin(), words.end()};
}

[[noreturn]] void throw_exec_error(const std::string& program, int error_number) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  throw SystemError(program, error_number, missing ? Exit::not_found : Exit::not_executable);
}

}  // namespace

WatchedCommand::WatchedCommand(std::span<const std::string> words) {
  if (words.empty()) throw Error("no command: pipetop watch -- COMMAND ...");
  std::vector<std::string> strings = arguments_of(words);
  std::vector<char*> arguments;
  for (std::string& word : strings) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw SystemError("pipe2", errno);
  const UniqueFd reports(ends[0]);
  UniqueFd error_write(ends[1]);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  pid_ = ::fork();
  if (pid_ < 0) {
    const int error = errno;
    ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    throw SystemError("fork", error);
  }
  if (pid_ == 0) become_command(arguments.data(), error_write.get());
  error_write.reset();
  if (const int error = wait_for_exec(reports, pid_)) {
    ::waitpid(pid_, nullptr, 0);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    throw_exec_error(strings[0], error);
  }
  // Not reaped yet, so the pid cannot have been reused.
  pidfd_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (!pidfd_) throw SystemError("pidfd_open", errno);
}

WatchedCommand::~WatchedCommand() { ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); }

std::optional<int> WatchedCommand::exit_code() {
  int status = 0;
  for (pid_t child = 0; (child = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    if (child != pid_ || exit_code_) continue;  // one that we adopted may have the number again
    signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    exit_code_ = signal_ != 0 ? kSignalExit + signal_ : WEXITSTATUS(status);
  }
  return exit_code_;
}

}  // namespace pipetop
