// How much of a file is in the page cache: from cachestat(2) if the kernel has it
// (6.5), else mincore(2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
  void finish_round();

  std::vector<FileSpan> files_;
  size_t file_ = 0;
  uint64_t offset_ = 0;
  uint64_t seen_ = 0, cached_ = 0;  // bytes, of this round
  bool in_round_ = false;
  uint64_t round_began_ns_ = 0;
  Reading<double> share_;
};

}  // namespace pipetop
