#include "engine/workload/page_cache/cached_share.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/handles.h"
#include "engine/base/system_files.h"
#include "engine/model/settings.h"
#include "engine/process/proc_files.h"

// The headers may be older than the kernel.
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

namespace pipetop {
namespace {

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
