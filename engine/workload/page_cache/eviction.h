// Notices that pages of a file were thrown out of the page cache. Clients that go
// round and round bring them back so soon that one sample per second misses it, but
// that they read from a disk is counted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "engine/base/reading.h"

namespace pipetop {

// What processes read from disks, by /proc/PID/io.
class DiskReads {
 public:
  // Bytes since the last call; a process counts from the first call that names it.
  uint64_t since_last(std::span<const pid_t> pids);
  void restart() { last_.clear(); }

 private:
  std::map<pid_t, uint64_t> last_;
};

class Eviction {
 public:
  // Of files of so many bytes in all, which are cached.
  void restart(uint64_t file_bytes);

  // `cached` of the files, after `reread` bytes of disk reads since the last sample.
  // The share that was evicted, when it was not so at the last sample.
  std::optional<double> add(const Reading<double>& cached, uint64_t reread);

 private:
  uint64_t file_bytes_ = 0;
  bool evicted_ = false;
};

std::string eviction_text(double share);

}  // namespace pipetop
