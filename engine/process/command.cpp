#include "engine/process/command.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/process/child.h"

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

  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  try {
    StartedChild child = start_child([&](int fd) { become_command(arguments.data(), fd); });
    if (child.exec_error != 0) throw_exec_error(strings[0], child.exec_error);
    pid_ = child.pid;
    pidfd_ = std::move(child.pidfd);
  } catch (...) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    throw;
  }
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
