#include "tui/terminal/streams.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/base/error.h"

namespace pipetop::tui {
namespace {

bool write_all(int fd, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = write(fd, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;  // the terminal is gone; the event loop handles this
    bytes += written;
    count -= static_cast<size_t>(written);
  }
  return true;
}

}  // namespace

GatheredOutput::GatheredOutput() : memory_(memfd_create("pipetop-frame", MFD_CLOEXEC)) {
  UniqueFd terminal(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  file_ = memory_ && terminal ? fdopen(terminal.get(), "w") : nullptr;
  if (!file_) throw SystemError("reopening the terminal", errno);
  terminal.release();  // closed with the file
}

GatheredOutput::~GatheredOutput() { std::fclose(file_); }

void GatheredOutput::begin() const {
  lseek(memory_.get(), 0, SEEK_SET);
  dup3(memory_.get(), fileno(file_), O_CLOEXEC);
}

void GatheredOutput::end() const {
  dup3(STDOUT_FILENO, fileno(file_), O_CLOEXEC);
  std::array<char, 16384> bytes;
  const off_t total = lseek(memory_.get(), 0, SEEK_CUR);
  for (off_t done = 0; done < total;) {
    const size_t want = std::min(bytes.size(), static_cast<size_t>(total - done));
    const ssize_t got = pread(memory_.get(), bytes.data(), want, done);
    if (got <= 0 || !write_all(STDOUT_FILENO, bytes.data(), static_cast<size_t>(got))) return;
    done += got;
  }
}

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
