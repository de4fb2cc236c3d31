// The pipe that tee(2) duplicates: the writer's own, filled by vmsplice, so that its
// slots are the pages of the writer's buffers, whatever those are made of.
#pragma once

#include <cstdint>

#include "engine/base/unique_fd.h"

namespace pipetop {

class TeeSource {
 public:
  // An empty pipe for `bytes`, or for as much as the kernel grants. False, with
  // errno set, when there can be none.
  bool open(uint64_t bytes);
  // Lets go of the pages that it holds.
  void close() { *this = {}; }

  // Its size, 0 when closed: a page lies in a slot of its own, so this is also the
  // most that it holds of whole pages.
  uint64_t capacity_bytes() const { return capacity_bytes_; }
  int fd() const { return read_.get(); }

  // Makes it hold at least `bytes`, of which what it holds already lies at the
  // beginning of `data`. False, with errno set, when vmsplice fails.
  bool hold(const char* data, uint64_t bytes) { return held_ >= bytes || fill(data, bytes); }

  // Takes `bytes` out at its head, where the next tee begins. False, with errno set,
  // when splice fails.
  bool drop(uint64_t bytes);

 private:
  bool fill(const char* data, uint64_t bytes);

  UniqueFd read_, write_, sink_;
  uint64_t capacity_bytes_ = 0;
  uint64_t held_ = 0;
};

}  // namespace pipetop
