#include "tui/terminal/gathered_output.h"

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
    if (written <= 0) return false;  // the terminal is gone; the event loop sees to that
    bytes += written;
    count -= static_cast<size_t>(written);
  }
  return true;
}

}  // namespace

GatheredOutput::GatheredOutput() : memory_(memfd_create("pipetop-frame", MFD_CLOEXEC)) {
  UniqueFd terminal(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  file_ = memory_ && terminal ? fdopen(terminal.get(), "w") : nullptr;
  if (!file_) throw SystemError("opening the terminal once more", errno);
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

}  // namespace pipetop::tui
