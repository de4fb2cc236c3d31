// A file without a name, written and kept in the page cache. It is gone with the
// last process that has it open, however that ends.
#pragma once

#include <cstdint>

#include "engine/base/unique_fd.h"

namespace pipetop {

class CachedFile {
 public:
  // Of an open file, which is empty. `in_memory`: of no disk, so there is nothing to
  // write back.
  explicit CachedFile(UniqueFd fd, bool in_memory) : fd_(std::move(fd)), in_memory_(in_memory) {}

  // Gives it so many bytes, a multiple of the page size, that fill() then fills. What
  // is there stays. Returns 0, or errno, the size being as before.
  int resize(uint64_t bytes);

  // Writes, or reads, about `bytes` more of what is not yet in the page cache. It
  // waits for the disk to have them, for the pages of a file that is still being
  // written cannot be thrown out, and writing would go on while one measures. True
  // when all of it is cached. Throws SystemError.
  bool fill(uint64_t bytes);
  bool is_filled() const { return warmed_ == bytes_ && bytes_ > 0; }
  double filled_share() const;  // how far fill() has come

  // Whether all of it is still cached, which fill() will see to if not.
  void check();

  // Another open file of it, to read, as if another process had opened it by its
  // name. Throws SystemError.
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
