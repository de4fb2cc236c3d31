// Unnamed files, written and kept in the page cache: where they are created, and how much
// room there is for them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/handles.h"

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

}  // namespace pipetop
