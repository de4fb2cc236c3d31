// Unnamed files, written and kept in the page cache: where they are created, how much room there is
// for them, how much of them is cached, and whether pages of them were evicted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/handles.h"
#include "engine/base/reading.h"

namespace pipetop {

// It disappears with the last process that has it open, however that ends.
class CachedFile {
 public:
  // Takes an open, empty file. `in_memory`: it is not on a disk, so there is nothing to write back.
  explicit CachedFile(UniqueFd fd, bool in_memory) : fd_(std::move(fd)), in_memory_(in_memory) {}

  // Sets its size, a multiple of the page size, for fill() to fill. Existing contents stay. Returns
  // 0, or errno with the size unchanged.
  int resize(uint64_t bytes);

  // Writes or reads about `bytes` more of what is not yet in the page cache. Waits
  // for writeback, because dirty pages cannot be evicted, and writeback would
  // continue during the measurement. True when everything is cached. Throws
  // SystemError.
  bool fill(uint64_t bytes);
  bool is_filled() const { return warmed_ == bytes_ && bytes_ > 0; }
  double filled_share() const;  // the progress of fill()

  // Records whether all of it is still cached; if not, fill() continues.
  void check();

  // Opens it again for reading, as if another process had opened it by name. Throws
  // SystemError.
  UniqueFd open_again() const;

  int fd() const { return fd_.get(); }
  uint64_t bytes() const { return bytes_; }

 private:
  int allocate(uint64_t bytes) const;
  void write_some(uint64_t bytes);
  void warm_some(uint64_t bytes);

  UniqueFd fd_;
  bool in_memory_;
  uint64_t bytes_ = 0;
  uint64_t written_ = 0;
  uint64_t warmed_ = 0;  // written back and cached
};

// $TMPDIR, /var/tmp, /tmp.
std::vector<std::string> temporary_directories();

struct FileRoom {
  uint64_t available_memory = 0;  // available bytes, including those of the files
  uint64_t free_disk = 0;         // bytes, without it
};

class FileStore {
 public:
  // The first of `directories` on a file system that is not in memory and supports
  // unnamed files; without one, files are memfds.
  explicit FileStore(std::span<const std::string> directories);

  CachedFile make() const;  // empty; throws SystemError
  bool in_memory() const { return directory_.empty(); }
  const std::string& directory() const { return directory_; }

  // `held`: bytes in existing files.
  FileRoom room(uint64_t held) const;

 private:
  std::string directory_;  // "": none
};

// Why `count` files of `bytes` each do not fit, of which `held` bytes exist already; "" if they do.
// `directory` "": in memory.
std::string why_no_room(uint64_t count, uint64_t bytes, uint64_t held, const FileRoom& room,
                        const std::string& directory);

// ---- how much of a file is cached ----

// Bytes of the page-aligned range that are in the page cache: from cachestat(2) if the kernel has
// it (6.5), else mincore(2). Nothing, with errno set, on failure.
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
