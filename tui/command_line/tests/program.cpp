#include "tui/command_line/tests/program.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "engine/copy/tests/streams.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "tui/tests/processes.h"

namespace pipetop::tui {
namespace {

constexpr size_t kMostTold = 20'000;

TwoEnds make_terminal() {
  int master = -1, slave = -1;
  if (openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) return {};
  fcntl(master, F_SETFD, FD_CLOEXEC);
  fcntl(slave, F_SETFD, FD_CLOEXEC);
  return {UniqueFd(master), UniqueFd(slave)};
}

void set_stdout(Stdout where, const TwoEnds& channel) {
  if (where == Stdout::closed) {
    close(STDOUT_FILENO);
    return;
  }
  const int fd = where == Stdout::full ? open("/dev/full", O_WRONLY) : channel.write.get();
  dup2(fd, STDOUT_FILENO);
}

// The end of a pipe is an end of file, that of a terminal an error.
void append_what_is_there(UniqueFd& fd, std::string& text) {
  std::array<char, 65536> chunk;
  const ssize_t got = read(fd.get(), chunk.data(), chunk.size());
  if (got > 0)
    text.append(chunk.data(), size_t(got));
  else
    fd.reset();
}

}  // namespace

Program::Program(std::vector<std::string> arguments, Stdout where, Stderr words)
    : Program(PIPETOP_PROGRAM, std::move(arguments), where, words) {}

Program::Program(const std::string& path, std::vector<std::string> arguments, Stdout where,
                 Stderr words, Group group)
    : told_([this, command = path + " " + fmt::format("{}", fmt::join(arguments, " "))] {
        return fmt::format("{}\n{}\nstdout: {}\nstderr: {}", command,
                           pid_ > 0 ? fmt::format("process {}, {}", pid_, state_of(pid_)) : "ended",
                           out_.substr(0, kMostTold), err_.substr(0, kMostTold));
      }) {
  arguments.insert(arguments.begin(), path);
  TwoEnds out = make_pipe();
  TwoEnds err = words == Stderr::terminal ? make_terminal() : make_pipe();
  if (where == Stdout::without_reader) out.read.reset();
  pid_ = fork();
  if (pid_ == 0) {
    if (group == Group::its_own) setpgid(0, 0);
    set_stdout(where, out);
    dup2(err.write.get(), STDERR_FILENO);
    if (words == Stderr::terminal) setenv("TERM", "xterm", 1);
    exec_words(arguments);
  }
  out_fd_ = std::move(out.read);
  err_fd_ = std::move(err.read);
}

Program::~Program() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Program::send(int signal) const { kill(pid_, signal); }

// False when nothing will come any more. A negative time is as long as it takes.
bool Program::read_more(int timeout_ms) {
  if (!out_fd_ && !err_fd_) return false;
  // A negative descriptor is left out by poll().
  std::array<pollfd, 2> fds = {pollfd{out_fd_.get(), POLLIN, 0}, pollfd{err_fd_.get(), POLLIN, 0}};
  if (poll(fds.data(), fds.size(), timeout_ms) < 0) return false;
  if (fds[0].revents != 0) append_what_is_there(out_fd_, out_);
  if (fds[1].revents != 0) append_what_is_there(err_fd_, err_);
  return true;
}

void Program::catch_up() {
  const auto size = [this] { return out_.size() + err_.size(); };
  for (size_t before = size(); read_more(0) && size() != before; before = size()) continue;
}

bool Program::wait_until(const std::function<bool()>& is_so) {
  constexpr int kLook_ms = 50;
  bool more = true;
  eventually([&] { return is_so() || !more; }, [&] { more = read_more(kLook_ms); });
  return is_so();
}

bool Program::wait_for(const std::string& text) {
  return wait_until([&] { return out_.find(text) != out_.npos || err_.find(text) != err_.npos; });
}

pid_t Program::wait_for_child(const std::string& name, pid_t other_than) {
  pid_t child = 0;
  wait_until([&] { return (child = child_of(pid_, name, other_than)) != 0; });
  return child;
}

bool Program::kill_children(const std::string& name, int times) {
  pid_t child = 0;
  for (int i = 0; i < times; ++i) {
    child = wait_for_child(name, child);
    if (child == 0) return false;
    kill(child, SIGKILL);
  }
  return true;
}

int Program::wait() {
  while (read_more(-1)) continue;
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
  return ending_of(status);
}

}  // namespace pipetop::tui
