// Detects that pages of a file were evicted from the page cache. The clients read
// them back so soon that one sample per second misses it, but their disk reads are
// counted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "engine/base/reading.h"

namespace pipetop {

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
  // For cached files of this total size.
  void restart(uint64_t file_bytes);

  // Takes the `cached` share of the files, and the `reread` bytes from disk since the last sample.
  // Returns the evicted share if it is new.
  std::optional<double> add(const Reading<double>& cached, uint64_t reread);

 private:
  uint64_t file_bytes_ = 0;
  bool evicted_ = false;
};

std::string eviction_text(double share);

}  // namespace pipetop
