// The pipe that tee(2) duplicates: the writer's own, filled by vmsplice, so that its
// slots refer to the pages of the writer's buffers.
#pragma once

#include <cstdint>

#include "engine/base/unique_fd.h"

namespace pipetop {

class TeeSource {
 public:
  // Opens an empty pipe for `bytes`, or for as much as the kernel grants. False,
  // with errno set, on failure.
  bool open(uint64_t bytes);
  // Releases the pages that it holds.
  void close() { *this = {}; }

  // Its size, 0 if closed. Each page takes one slot, so this is also its capacity
  // in whole pages.
  uint64_t capacity_bytes() const { return capacity_bytes_; }
  int fd() const { return read_.get(); }

  // Fills it up to at least `bytes`; what it already holds is at the beginning of
  // `data`. False, with errno set, if vmsplice fails.
  bool hold(const char* data, uint64_t bytes) { return held_ >= bytes || fill(data, bytes); }

  // Removes `bytes` from its head, where the next tee begins. False, with errno set, if splice
  // fails.
  bool drop(uint64_t bytes);

 private:
  bool fill(const char* data, uint64_t bytes);

  UniqueFd read_, write_, sink_;
  uint64_t capacity_bytes_ = 0;
  uint64_t held_ = 0;
};

}  // namespace pipetop
