#include "engine/process/watched_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/process/child.h"
#include "engine/process/privileges.h"

namespace pipetop {
namespace {

// In the child, after fork: only async-signal-safe calls. Does not return; a failure is reported
// through error_fd, which exec closes.
[[noreturn]] void become_command(char* const* arguments, int error_fd) {
  restore_inherited_signals();  // exec resets only what has a handler
  restore_descriptor_limit();
  ::execvp(arguments[0], arguments);
  report_failed_exec(error_fd);
}

// The words of a command as exec takes them; one alone is a line of sh.
class Arguments {
 public:
  explicit Arguments(std::span<const std::string> words)
      : strings_(words.size() == 1 ? std::vector<std::string>{"/bin/sh", "-c", words[0]}
                                   : std::vector<std::string>(words.begin(), words.end())) {
    for (std::string& word : strings_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  const std::string& program() const { return strings_[0]; }
  char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> pointers_;
};

int code_of(int status) {
  return WIFSIGNALED(status) ? kSignalExit + WTERMSIG(status) : WEXITSTATUS(status);
}

// ---- what keeps the command of a scene: after fork, only async-signal-safe calls ----

struct Keeper {
  pid_t parent;
  User user;
  std::vector<gid_t> groups;
  char* const* arguments;
  int errors_fd;  // becomes stderr
};

// For good. What is permitted, but not in effect, is needed to become another user.
bool give_up_privileges(const Keeper& keeper) {
  if (keeper.user.uid != 0) {
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
    if (::syscall(SYS_capget, &header, sets) != 0) return false;
    for (auto& set : sets) set.effective = set.permitted;
    if (::syscall(SYS_capset, &header, sets) != 0 ||
        ::syscall(SYS_setgroups, keeper.groups.size(), keeper.groups.data()) != 0 ||
        ::syscall(SYS_setresgid, keeper.user.gid, keeper.user.gid, keeper.user.gid) != 0 ||
        ::syscall(SYS_setresuid, keeper.user.uid, keeper.user.uid, keeper.user.uid) != 0)
      return false;
  }
  return drop_capabilities();
}

bool leave_our_files(int report_fd, int errors_fd) {
  const int null = ::open("/dev/null", O_RDWR);
  if (null < 0) return false;
  for (int fd = 0; fd <= 2; ++fd)
    if (::dup2(fd == STDERR_FILENO && errors_fd >= 0 ? errors_fd : null, fd) < 0) return false;
  // The rest but one: an end of a pipe of ours would be part of what is watched.
  return (report_fd == 3 || ::syscall(SYS_close_range, 3u, unsigned(report_fd) - 1, 0u) == 0) &&
         ::syscall(SYS_close_range, unsigned(report_fd) + 1, ~0u, 0u) == 0;
}

sigset_t signals(std::initializer_list<int> numbers) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : numbers) ::sigaddset(&set, number);
  return set;
}

// For all that descends from here. False if SIGTERM came first, or nothing for so long.
bool wait_for_all(const sigset_t& awaited, pid_t command, int& code, const timespec* at_most) {
  for (;;) {
    int status = 0;
    pid_t child = 0;
    while ((child = ::waitpid(-1, &status, WNOHANG)) > 0)
      if (child == command) code = code_of(status);
    if (child < 0 && errno == ECHILD) return true;
    const int number = ::sigtimedwait(&awaited, nullptr, at_most);
    if (number == SIGTERM || (number < 0 && errno == EAGAIN)) return false;
  }
}

// Ends the whole group.
[[noreturn]] void end_group(pid_t command, int code) {
  constexpr timespec kAtOnce = {0, 0}, kGrace = {0, 330'000'000};
  ::kill(0, SIGTERM);
  ::kill(0, SIGCONT);
  const sigset_t own = signals({SIGTERM});  // it was for us, too
  ::sigtimedwait(&own, nullptr, &kAtOnce);
  if (!wait_for_all(signals({SIGCHLD}), command, code, &kGrace)) ::kill(0, SIGKILL);
  ::_exit(code);
}

// Until all of it has ended, or somebody asks for that, or our parent has died.
[[noreturn]] void keep_command(const Keeper& keeper, int report_fd) {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::setsid();
  if (!give_up_privileges(keeper) || !leave_our_files(report_fd, keeper.errors_fd))
    report_failed_exec(report_fd);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);  // after the user was changed, which clears it
  if (::getppid() != keeper.parent) ::_exit(0);
  const pid_t command = ::fork();
  if (command < 0) report_failed_exec(report_fd);
  if (command == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    become_command(keeper.arguments, report_fd);
  }
  ::close(report_fd);
  int code = 0;
  if (wait_for_all(signals({SIGTERM, SIGCHLD}), command, code, nullptr)) ::_exit(code);
  end_group(command, code);
}

[[noreturn]] void throw_exec_error(const std::string& program, int error_number) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  throw SystemError(program, error_number, missing ? Exit::not_found : Exit::not_executable);
}

}  // namespace

WatchedCommand::WatchedCommand(std::span<const std::string> words) {
  if (words.empty()) throw Error("no command: pipetop watch -- COMMAND ...");
  const Arguments arguments(words);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  try {
    StartedChild child = start_child([&](int fd) { become_command(arguments.data(), fd); });
    if (child.exec_error != 0) throw_exec_error(arguments.program(), child.exec_error);
    pid_ = child.pid;
    pidfd_ = std::move(child.pidfd);
  } catch (...) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    throw;
  }
}

ShellOutput output_of_shell(const std::string& command, size_t most_bytes, int signal_fd,
                            const std::function<bool()>& goes_on) {
  const Arguments arguments({&command, 1});
  PipeEnds pipe = open_pipe();
  if (!pipe) throw SystemError("pipe2", errno);
  const StartedChild child = start_child([&](int fd) {
    ::dup2(pipe.write.get(), STDOUT_FILENO);
    become_command(arguments.data(), fd);
  });
  if (child.exec_error != 0) throw_exec_error(arguments.program(), child.exec_error);
  pipe.write.reset();
  ShellOutput output;
  std::array<pollfd, 2> events = {{{pipe.read.get(), POLLIN, 0}, {signal_fd, POLLIN, 0}}};
  std::array<char, 65536> chunk;
  for (;;) {
    if (::poll(events.data(), events.size(), -1) < 0) continue;
    if (events[1].revents != 0 && !goes_on()) {
      ::kill(child.pid, SIGTERM);
      events[1].fd = -1;
    }
    if (events[0].revents == 0) continue;
    const ssize_t got = ::read(pipe.read.get(), chunk.data(), chunk.size());
    if (got == 0) break;
    if (got > 0) output.text.append(chunk.data(), static_cast<size_t>(got));
    if (output.text.size() <= most_bytes) continue;
    ::kill(child.pid, SIGTERM);
    break;
  }
  pipe.read.reset();  // who writes on gets SIGPIPE
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  output.status = code_of(status);
  return output;
}

WatchedCommand::~WatchedCommand() { ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); }

std::optional<int> WatchedCommand::exit_code() {
  int status = 0;
  for (pid_t child = 0; (child = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    if (child != pid_ || exit_code_) continue;  // one that we adopted may have the number again
    signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    exit_code_ = code_of(status);
  }
  return exit_code_;
}

SceneCommand::SceneCommand(const std::string& line) {
  const Arguments arguments({&line, 1});
  const User user = user_to_become();
  errors_.reset(::memfd_create("stderr", MFD_CLOEXEC));
  const Keeper keeper{::getpid(), user, groups_of(user), arguments.data(), errors_.get()};
  StartedChild child = start_child([&](int report_fd) { keep_command(keeper, report_fd); });
  if (child.exec_error != 0) throw_exec_error(arguments.program(), child.exec_error);
  pid_ = child.pid;
  pidfd_ = std::move(child.pidfd);
}

SceneCommand::~SceneCommand() {
  constexpr int kMostWait_ms = 2'000;
  if (exit_code()) return;
  ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGTERM, nullptr, 0);
  pollfd ended = {pidfd_.get(), POLLIN, 0};
  if (::poll(&ended, 1, kMostWait_ms) <= 0) ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

std::string SceneCommand::first_error() const {
  std::array<char, 256> text;
  const ssize_t bytes = errors_ ? ::pread(errors_.get(), text.data(), text.size(), 0) : 0;
  const std::string_view read(text.data(), size_t(std::max<ssize_t>(bytes, 0)));
  return one_line(read.substr(0, read.find('\n')));
}

std::optional<int> SceneCommand::exit_code() {
  // Who goes on to write there must not fill the memory.
  constexpr off_t kMostErrors = 1 << 20;
  struct stat status_of_errors;
  if (errors_ && ::fstat(errors_.get(), &status_of_errors) == 0 &&
      status_of_errors.st_blocks * 512 > kMostErrors)
    ::fallocate(errors_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, kMostErrors / 2,
                status_of_errors.st_size);
  int status = 0;
  if (!exit_code_ && ::waitpid(pid_, &status, WNOHANG) == pid_) exit_code_ = code_of(status);
  return exit_code_;
}

}  // namespace pipetop
