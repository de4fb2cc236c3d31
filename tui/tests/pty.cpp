#include "tui/tests/pty.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include <chrono>
#include <cstdlib>

namespace pipetop::tui {
namespace {

constexpr int kPatience_ms = 20'000;  // for a machine that is busy with other things

[[noreturn]] void become(int slave, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment) {
  login_tty(slave);
  for (const std::string& entry : environment) putenv(const_cast<char*>(entry.c_str()));
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

PtyProgram::PtyProgram(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& environment, int rows, int cols) {
  int master = -1, slave = -1;
  winsize size{};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(cols);
  if (openpty(&master, &slave, nullptr, nullptr, &size) != 0) return;
  fcntl(master, F_SETFD, FD_CLOEXEC);
  master_ = UniqueFd(master);
  slave_ = UniqueFd(slave);
  before_ = settings();
  pid_ = fork();
  if (pid_ == 0) become(slave, arguments, environment);
}

PtyProgram::~PtyProgram() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool PtyProgram::read_more(int timeout_ms) {
  pollfd ready{master_.get(), POLLIN, 0};
  if (poll(&ready, 1, timeout_ms) <= 0) return false;
  char buffer[4096];
  const ssize_t n = read(master_.get(), buffer, sizeof buffer);
  if (n <= 0) return false;
  output_.append(buffer, static_cast<size_t>(n));
  return true;
}

bool PtyProgram::wait_for(const std::string& text) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatience_ms);
  for (;;) {
    const size_t at = output_.find(text, seen_);
    if (at != std::string::npos) {
      seen_ = at + text.size();
      return true;
    }
    // A program that draws for ever must not keep us here for ever.
    if (!read_more(kPatience_ms) || std::chrono::steady_clock::now() > give_up) return false;
  }
}

void PtyProgram::send(const std::string& keys) {
  (void)!write(master_.get(), keys.data(), keys.size());
}

void PtyProgram::resize(int rows, int cols) {
  winsize size{};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(cols);
  ioctl(master_.get(), TIOCSWINSZ, &size);
}

void PtyProgram::signal(int number) { kill(pid_, number); }

void PtyProgram::hang_up() {
  slave_ = UniqueFd();
  master_ = UniqueFd();
}

int PtyProgram::wait_for_end() {
  int status = -1;
  for (int waited = 0; waited < kPatience_ms; waited += 10) {
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) {
      pid_ = -1;
      while (master_.get() >= 0 && read_more(50)) {
      }
      return status;
    }
    if (master_.get() < 0 || !read_more(10)) usleep(10'000);
  }
  return -1;
}

termios PtyProgram::settings() const {
  termios settings{};
  tcgetattr(slave_.get(), &settings);
  return settings;
}

}  // namespace pipetop::tui
