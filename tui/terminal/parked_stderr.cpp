#include "tui/terminal/parked_stderr.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>

#include "engine/base/error.h"

namespace pipetop::tui {

ParkedStderr::ParkedStderr() {
  if (isatty(STDERR_FILENO) == 0) return;
  original_ = UniqueFd(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
  memory_ = UniqueFd(memfd_create("pipetop-stderr", MFD_CLOEXEC));
  if (original_.get() < 0 || memory_.get() < 0)
    throw SystemError("keeping standard error off the screen", errno);
  park();
}

ParkedStderr::~ParkedStderr() { release(); }

void ParkedStderr::park() const {
  if (memory_.get() >= 0) dup2(memory_.get(), STDERR_FILENO);
}

void ParkedStderr::release() const {
  if (memory_.get() < 0) return;
  dup2(original_.get(), STDERR_FILENO);
  char buffer[4096];
  lseek(memory_.get(), 0, SEEK_SET);
  for (ssize_t n; (n = read(memory_.get(), buffer, sizeof buffer)) > 0;) {
    if (write(STDERR_FILENO, buffer, static_cast<size_t>(n)) != n) break;
  }
  lseek(memory_.get(), 0, SEEK_SET);
  (void)!ftruncate(memory_.get(), 0);
}

}  // namespace pipetop::tui
