#include "tui/tests/pty.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include <algorithm>
#include <cstdlib>

#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "tui/tests/processes.h"

namespace pipetop::tui {
namespace {

constexpr int kLook_ms = 20;
constexpr size_t kMostOutput = 5'000;

[[noreturn]] void become(int slave, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment) {
  login_tty(slave);
  for (const std::string& entry : environment) putenv(const_cast<char*>(entry.c_str()));
  exec_words(arguments);
}

}  // namespace

PtyProgram::PtyProgram(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& environment, int rows, int cols)
    : told_([this, command = fmt::format("{}", fmt::join(arguments, " "))] {
        const size_t begin = output_.size() - std::min(output_.size(), kMostOutput);
        return fmt::format("{}\n{}\nits last output: {}", command,
                           pid_ > 0 ? fmt::format("process {}, {}", pid_, state_of(pid_)) : "ended",
                           output_.substr(begin));
      }) {
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

// The program has ended. Once we have closed the slave, too, nobody has it, and what comes before
// the error is all that there was.
void PtyProgram::read_the_rest() {
  last_ = settings();
  slave_.reset();
  while (read_more(kLook_ms)) continue;
}

bool PtyProgram::found(const std::string& text) {
  const size_t at = output_.find(text, seen_);
  if (at == std::string::npos) return false;
  seen_ = at + text.size();
  return true;
}

bool PtyProgram::wait_until(const std::function<bool()>& is_so) {
  // What it writes has to be read, or it would wait for us.
  eventually([&] { return is_so() || has_ended(pid_); }, [&] { read_more(kLook_ms); });
  if (has_ended(pid_)) read_the_rest();
  return is_so();
}

bool PtyProgram::wait_for(const std::string& text) {
  bool is_found = false;
  return wait_until([&] { return is_found = is_found || found(text); });
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
  if (!wait_until([&] { return has_ended(pid_); })) return kStillRuns;
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return ending_of(status);
}

void PtyProgram::forget_output() {
  output_.clear();
  seen_ = 0;
}

bool PtyProgram::has_read_input() const {
  int unread = 0;
  return ioctl(slave_.get(), FIONREAD, &unread) != 0 || unread == 0;
}

termios PtyProgram::settings() const {
  termios settings = last_;
  if (slave_) tcgetattr(slave_.get(), &settings);
  return settings;
}

}  // namespace pipetop::tui
