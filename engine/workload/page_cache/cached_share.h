// How much of a file is in the page cache: from cachestat(2) if the kernel has it
// (6.5), else mincore(2); and whether pages of it were evicted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/reading.h"

namespace pipetop {

// Bytes of the page-aligned range that are in the page cache. Nothing, with errno
// set, on failure.
std::optional<uint64_t> cached_by_cachestat(int fd, uint64_t offset, uint64_t bytes);
std::optional<uint64_t> cached_by_mincore(int fd, uint64_t offset, uint64_t bytes);
std::optional<uint64_t> cached_bytes(int fd, uint64_t offset, uint64_t bytes);

struct FileSpan {
  int fd = -1;
  uint64_t bytes = 0;
};

// Checks files over and over, one piece per call, so that no call takes long.
class CachedShare {
 public:
  // Discards its results.
  void restart(std::span<const FileSpan> files);

  // Checks the next piece, if it is due. True if that was the last one of all files.
  bool sample(uint64_t now_ns);

  // The cached share of all files, from the last complete round.
  const Reading<double>& share() const { return share_; }

 private:
  void begin_round(uint64_t now_ns);

  std::vector<FileSpan> files_;
  size_t file_ = 0;
  uint64_t offset_ = 0;
  uint64_t seen_ = 0, cached_ = 0;  // bytes, of this round
  bool in_round_ = false;
  uint64_t round_began_ns_ = 0;
  Reading<double> share_;
};

// ---- eviction: clients read evicted pages back so soon that one sample per second
// misses it, but their disk reads are counted ----

// What processes read from disk, from /proc/PID/io.
class DiskReads {
 public:
  // Bytes since the last call; a process counts from the first call that includes it.
  uint64_t since_last(std::span<const pid_t> pids);
  void restart() { last_.clear(); }

 private:
  std::map<pid_t, uint64_t> last_;
};

class Eviction {
 public:
  // For cached files of this total size. Those of the same size are the same: what was said of them
  // is not said again.
  void restart(uint64_t file_bytes);

  // Takes the `cached` share of the files, and the `reread` bytes from disk since the last sample.
  // Returns what to say if it is new: how much is missing now, or was until it was read back.
  std::optional<std::string> add(const Reading<double>& cached, uint64_t reread);

 private:
  uint64_t file_bytes_ = 0;
  bool evicted_ = false;
};

}  // namespace pipetop
