#include "tui/command_line/tests/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

namespace pipetop::tui {
namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
  }
  UniqueFd read_end, write_end;
};

void set_stdout(Stdout where, const Pipe& pipe) {
  if (where == Stdout::closed) {
    close(STDOUT_FILENO);
    return;
  }
  const int fd = where == Stdout::full ? open("/dev/full", O_WRONLY) : pipe.write_end.get();
  dup2(fd, STDOUT_FILENO);
}

[[noreturn]] void become(std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
  _exit(127);
}

std::string first_line_of(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

void append_what_is_there(UniqueFd& fd, std::string& text) {
  std::array<char, 65536> chunk;
  const ssize_t got = read(fd.get(), chunk.data(), chunk.size());
  if (got > 0)
    text.append(chunk.data(), size_t(got));
  else
    fd.reset();
}

}  // namespace

Program::Program(std::vector<std::string> arguments, Stdout where)
    : Program(PIPETOP_PROGRAM, std::move(arguments), where) {}

Program::Program(const std::string& path, std::vector<std::string> arguments, Stdout where) {
  arguments.insert(arguments.begin(), path);
  Pipe out, err;
  if (where == Stdout::without_reader) out.read_end.reset();
  pid_ = fork();
  if (pid_ == 0) {
    set_stdout(where, out);
    dup2(err.write_end.get(), STDERR_FILENO);
    become(arguments);
  }
  out_fd_ = std::move(out.read_end);
  err_fd_ = std::move(err.read_end);
}

Program::~Program() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Program::send(int signal) const { kill(pid_, signal); }

pid_t Program::wait_for_child(const std::string& name) const {
  const std::string process = "/proc/" + std::to_string(pid_);
  for (int i = 0; i < 500; ++i) {
    std::istringstream children(
        first_line_of(process + "/task/" + std::to_string(pid_) + "/children"));
    for (pid_t child = 0; children >> child;)
      if (first_line_of("/proc/" + std::to_string(child) + "/comm") == name) return child;
    usleep(10'000);
  }
  return 0;
}

int Program::wait() {
  while (out_fd_ || err_fd_) {
    // A negative descriptor is left out by poll().
    std::array<pollfd, 2> fds = {pollfd{out_fd_.get(), POLLIN, 0},
                                 pollfd{err_fd_.get(), POLLIN, 0}};
    if (poll(fds.data(), fds.size(), -1) < 0) break;
    if (fds[0].revents != 0) append_what_is_there(out_fd_, out_);
    if (fds[1].revents != 0) append_what_is_there(err_fd_, err_);
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace pipetop::tui
