#include "engine/workload/page_cache/cached_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/model/settings.h"
#include "engine/workload/page_cache/cached_share.h"

namespace pipetop {
namespace {

constexpr uint64_t kCall = 1 << 20;

// The contents do not matter, but a page of zeros might not be written.
std::string& scratch() {
  static std::string bytes(kCall, 'X');
  return bytes;
}

// The rest is for everything else; with less free memory the kernel begins to reclaim.
constexpr double kMostOfMemory = 0.8;

UniqueFd open_nameless(const std::string& directory) {
  return UniqueFd(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
}

bool is_memory(int fd) {
  struct statfs system = {};
  if (::fstatfs(fd, &system) != 0) return true;
  return system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC;
}

std::string gib_text(uint64_t bytes) { return fmt::format("{:.1f} GiB", double(bytes) / kGiB); }

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

std::vector<std::string> temporary_directories() {
  std::vector<std::string> directories = {"/var/tmp", "/tmp"};
  const char* chosen = std::getenv("TMPDIR");
  if (chosen != nullptr && *chosen != '\0') directories.emplace(directories.begin(), chosen);
  return directories;
}

FileStore::FileStore(std::span<const std::string> directories) {
  for (const std::string& directory : directories) {
    const UniqueFd file = open_nameless(directory);
    if (!file || is_memory(file.get())) continue;
    directory_ = directory;
    return;
  }
}

CachedFile FileStore::make() const {
  if (in_memory()) {
    UniqueFd file(::memfd_create("pipetop-file", MFD_CLOEXEC));
    if (!file) throw SystemError("memfd_create", errno);
    return CachedFile(std::move(file), true);
  }
  UniqueFd file = open_nameless(directory_);
  if (!file) throw SystemError("an unnamed file in " + directory_, errno);
  return CachedFile(std::move(file), false);
}

FileRoom FileStore::room(uint64_t held) const {
  FileRoom room;
  // It includes the page cache of files, but not memfds.
  room.available_memory =
      1024 * keyed_number(read_head("/proc/meminfo"), "MemAvailable").value_or(0);
  if (in_memory()) room.available_memory += held;
  struct statvfs system = {};
  if (!in_memory() && ::statvfs(directory_.c_str(), &system) == 0)
    room.free_disk = system.f_bavail * system.f_frsize;
  return room;
}

std::string why_no_room(uint64_t count, uint64_t bytes, uint64_t held, const FileRoom& room,
                        const std::string& directory) {
  const uint64_t wanted = count * bytes;
  const std::string what = fmt::format("{} of {}", counted(count, "file"), format_size(bytes));
  const auto most = static_cast<uint64_t>(kMostOfMemory * double(room.available_memory));
  if (wanted > most)
    return fmt::format(
        "{} must stay in memory: {} needed, {} allowed, {:.0f} % of the available memory; make "
        "file_size smaller",
        what, gib_text(wanted), gib_text(most), 100 * kMostOfMemory);
  if (!directory.empty() && wanted > held && wanted - held > room.free_disk)
    return fmt::format(
        "{} in {}: {} more needed, {} free; make file_size smaller, or set TMPDIR to another "
        "directory",
        what, directory, gib_text(wanted - held), gib_text(room.free_disk));
  return {};
}

}  // namespace pipetop
