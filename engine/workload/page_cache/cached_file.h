// An unnamed file, written and kept in the page cache. It disappears with the last
// process that has it open, however that ends.
#pragma once

#include <cstdint>

#include "engine/base/unique_fd.h"

namespace pipetop {

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

}  // namespace pipetop
