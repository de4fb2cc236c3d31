#include "engine/worker/tee_source.h"

#include <fcntl.h>
#include <sys/uio.h>

#include <cerrno>

namespace pipetop {

bool TeeSource::open(uint64_t bytes) {
  close();
  // Without O_NONBLOCK: tee honours it on either pipe, and would never sleep.
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  read_ = UniqueFd(ends[0]);
  write_ = UniqueFd(ends[1]);
  sink_ = UniqueFd(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!sink_) return false;
  // On failure it keeps its size.
  ::fcntl(write_.get(), F_SETPIPE_SZ, static_cast<int>(bytes));
  const int granted = ::fcntl(write_.get(), F_GETPIPE_SZ);
  if (granted < 0) return false;
  capacity_bytes_ = static_cast<uint64_t>(granted);
  return true;
}

bool TeeSource::fill(const char* data, uint64_t bytes) {
  while (held_ < bytes) {
    const iovec range = {const_cast<char*>(data) + held_, bytes - held_};
    const ssize_t lent = ::vmsplice(write_.get(), &range, 1, SPLICE_F_NONBLOCK);
    if (lent < 0 && errno == EINTR) continue;
    if (lent < 0 && errno == EAGAIN) errno = ENOSPC;  // never blocks: there is no other reader
    if (lent <= 0) return false;
    held_ += static_cast<uint64_t>(lent);
  }
  return true;
}

bool TeeSource::drop(uint64_t bytes) {
  while (bytes > 0) {
    const ssize_t gone =
        ::splice(read_.get(), nullptr, sink_.get(), nullptr, bytes, SPLICE_F_NONBLOCK);
    if (gone < 0 && errno == EINTR) continue;
    if (gone <= 0) return false;
    bytes -= static_cast<uint64_t>(gone);
    held_ -= static_cast<uint64_t>(gone);
  }
  return true;
}

}  // namespace pipetop
