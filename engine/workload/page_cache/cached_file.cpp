#include "engine/workload/page_cache/cached_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/base/numbers.h"
#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/model/settings.h"
#include "engine/process/proc_files.h"
#include "engine/workload/workload.h"

// The headers may be older than the kernel.
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

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

// A quarter of a million pages: some milliseconds if each is looked up separately.
constexpr uint64_t kPiece = 1ull << 30;
constexpr uint64_t kCachedInterval = 1'000'000'000;

// As in the kernel's linux/mman.h.
struct CacheRange {
  uint64_t offset, length;
};
struct CacheCounts {
  uint64_t cached, dirty, writeback, evicted, recently_evicted;  // pages
};

// A client that has just started may have read pages of its own program.
constexpr double kWorthSaying = 0.005;

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
  room.available_memory = available_memory_bytes();
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

std::optional<uint64_t> cached_by_cachestat(int fd, uint64_t offset, uint64_t bytes) {
  const CacheRange range = {offset, bytes};
  CacheCounts counts = {};
  if (::syscall(SYS_cachestat, fd, &range, &counts, 0) != 0) return {};
  return counts.cached * kPageBytes;
}

std::optional<uint64_t> cached_by_mincore(int fd, uint64_t offset, uint64_t bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (data == MAP_FAILED) return {};
  const Mapping mapping(data, bytes);
  std::vector<unsigned char> pages(bytes / kPageBytes);
  if (::mincore(data, bytes, pages.data()) != 0) return {};
  const auto here = std::ranges::count_if(pages, [](unsigned char page) { return page & 1; });
  return static_cast<uint64_t>(here) * kPageBytes;
}

std::optional<uint64_t> cached_bytes(int fd, uint64_t offset, uint64_t bytes) {
  if (const auto found = cached_by_cachestat(fd, offset, bytes)) return found;
  return cached_by_mincore(fd, offset, bytes);
}

void CachedShare::restart(std::span<const FileSpan> files) {
  files_.assign(files.begin(), files.end());
  in_round_ = false;
  round_began_ns_ = 0;
  share_ = Reading<double>::warming("not sampled yet");
}

void CachedShare::begin_round(uint64_t now_ns) {
  in_round_ = true;
  round_began_ns_ = now_ns;
  file_ = 0;
  offset_ = seen_ = cached_ = 0;
}

bool CachedShare::sample(uint64_t now_ns) {
  if (files_.empty()) return false;
  if (!in_round_) {
    if (round_began_ns_ != 0 && now_ns < round_began_ns_ + kCachedInterval) return false;
    begin_round(now_ns);
  }
  const FileSpan& file = files_[file_];
  const uint64_t bytes = std::min(kPiece, file.bytes - offset_);
  const auto cached = cached_bytes(file.fd, offset_, bytes);
  if (!cached) {
    in_round_ = false;
    share_ = Reading<double>::unavailable(
        fmt::format("neither cachestat nor mincore: {}", std::strerror(errno)));
    return true;
  }
  cached_ += *cached;
  seen_ += bytes;
  offset_ += bytes;
  if (offset_ < file.bytes) return false;
  offset_ = 0;
  if (++file_ < files_.size()) return false;
  in_round_ = false;
  share_ = Reading<double>::of(static_cast<double>(cached_) / static_cast<double>(seen_));
  return true;
}

uint64_t DiskReads::since_last(std::span<const pid_t> pids) {
  std::map<pid_t, uint64_t> now;
  uint64_t bytes = 0;
  for (const pid_t pid : pids) {
    const auto read = keyed_number(read_proc_file(pid, "io"), "read_bytes");
    if (!read) continue;  // it is gone, or hidden
    now[pid] = *read;
    const auto before = last_.find(pid);
    if (before != last_.end() && *read > before->second) bytes += *read - before->second;
  }
  last_ = std::move(now);
  return bytes;
}

void Eviction::restart(uint64_t file_bytes) {
  if (file_bytes != file_bytes_) evicted_ = false;
  file_bytes_ = file_bytes;
}

std::optional<std::string> Eviction::add(const Reading<double>& cached, uint64_t reread) {
  const double missing = cached.has_value() ? 1 - *cached : 0;
  const double back = std::min(1.0, static_cast<double>(reread) / static_cast<double>(file_bytes_));
  const bool before = evicted_, misses = missing >= kWorthSaying;
  evicted_ = misses || back >= kWorthSaying;
  if (!evicted_ || before) return {};
  const double share = misses ? missing : back;
  return fmt::format("{} % of the file {}",
                     share < 0.01 ? "less than 1" : fmt::format("{:.0f}", 100 * share),
                     misses ? "was evicted and is not in the page cache now"
                            : "was evicted, but has been read from disk again");
}

}  // namespace pipetop
