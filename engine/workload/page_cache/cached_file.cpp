#include "engine/workload/page_cache/cached_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "engine/base/error.h"
#include "engine/workload/page_cache/cached_share.h"

namespace pipetop {
namespace {

constexpr uint64_t kCall = 1 << 20;

// The contents do not matter, but a page of zeros might not be written.
std::string& scratch() {
  static std::string bytes(kCall, 'X');
  return bytes;
}

}  // namespace

// Allocates disk blocks now, so that a full disk is noticed before data flows.
int CachedFile::allocate(uint64_t bytes) const {
  const auto from = static_cast<off_t>(bytes_), more = static_cast<off_t>(bytes - bytes_);
  if (in_memory_ || ::fallocate(fd_.get(), 0, from, more) == 0) return 0;
  return errno == EOPNOTSUPP ? 0 : errno;
}

int CachedFile::resize(uint64_t bytes) {
  if (bytes == bytes_) return 0;
  int error = bytes > bytes_ ? allocate(bytes) : 0;
  const uint64_t now = error == 0 ? bytes : bytes_;
  if (::ftruncate(fd_.get(), static_cast<off_t>(now)) != 0 && error == 0) error = errno;
  if (error != 0) return error;
  bytes_ = bytes;
  written_ = std::min(written_, bytes);
  warmed_ = std::min(warmed_, bytes);
  return 0;
}

void CachedFile::write_some(uint64_t bytes) {
  const uint64_t from = written_, to = std::min(bytes_, from + bytes);
  while (written_ < to) {
    const ssize_t n = ::pwrite(fd_.get(), scratch().data(), std::min(kCall, to - written_),
                               static_cast<off_t>(written_));
    if (n > 0) written_ += static_cast<uint64_t>(n);
    if (n < 0 && errno != EINTR) throw SystemError("write of the cached file", errno);
  }
  // Starts writeback while the rest is being written.
  if (!in_memory_)
    ::sync_file_range(fd_.get(), static_cast<off_t>(from), static_cast<off_t>(to - from),
                      SYNC_FILE_RANGE_WRITE);
}

void CachedFile::warm_some(uint64_t bytes) {
  const uint64_t from = warmed_, to = std::min(bytes_, from + bytes);
  const auto offset = static_cast<off_t>(from), length = static_cast<off_t>(to - from);
  if (!in_memory_)
    ::sync_file_range(
        fd_.get(), offset, length,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
  if (cached_bytes(fd_.get(), from, to - from) == to - from) {
    warmed_ = to;
    return;
  }
  while (warmed_ < to) {
    const ssize_t n = ::pread(fd_.get(), scratch().data(), std::min(kCall, to - warmed_),
                              static_cast<off_t>(warmed_));
    if (n > 0) warmed_ += static_cast<uint64_t>(n);
    if (n == 0) errno = EIO;  // the file is too short
    if (n <= 0 && errno != EINTR) throw SystemError("read of the cached file", errno);
  }
}

bool CachedFile::fill(uint64_t bytes) {
  if (written_ < bytes_)
    write_some(bytes);
  else if (warmed_ < bytes_)
    warm_some(bytes);
  return is_filled();
}

double CachedFile::filled_share() const {
  return bytes_ == 0 ? 0
                     : static_cast<double>(written_ + warmed_) / static_cast<double>(2 * bytes_);
}

void CachedFile::check() {
  if (is_filled() && cached_bytes(fd_.get(), 0, bytes_) != bytes_) warmed_ = 0;
}

UniqueFd CachedFile::open_again() const {
  const std::string path = fmt::format("/proc/self/fd/{}", fd_.get());
  UniqueFd again(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!again) throw SystemError("open of " + path, errno);
  return again;
}

}  // namespace pipetop
