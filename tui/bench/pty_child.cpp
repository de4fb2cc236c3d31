#include "tui/bench/pty_child.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "engine/base/clock.h"
#include "engine/base/error.h"

namespace pipetop::bench {

PtyChild::PtyChild(int rows, int cols, const std::function<int()>& body) {
  winsize size = {};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(cols);
  int master = -1;
  pid_ = ::forkpty(&master, nullptr, nullptr, &size);
  if (pid_ < 0) throw SystemError("forkpty", errno);
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setenv("TERM", "xterm-256color", 1);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    ::_exit(body());
  }
  master_ = UniqueFd(master);
}

PtyChild::~PtyChild() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void PtyChild::type(const std::string& keys) {
  (void)!::write(master_.get(), keys.data(), keys.size());
}

void PtyChild::drain(double seconds, const std::function<bool(const std::string&)>& done) {
  const uint64_t end = monotonic_ns() + static_cast<uint64_t>(seconds * 1e9);
  std::array<char, 65536> bytes;
  while (monotonic_ns() < end) {
    pollfd readable = {master_.get(), POLLIN, 0};
    if (::poll(&readable, 1, 5) == 0) continue;
    const ssize_t got = ::read(master_.get(), bytes.data(), bytes.size());
    if (got <= 0) return;  // the child closed its terminal
    if (!done) continue;
    output_.append(bytes.data(), static_cast<size_t>(got));
    if (done(output_)) return;
  }
}

}  // namespace pipetop::bench
