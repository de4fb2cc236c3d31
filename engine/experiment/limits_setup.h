// What the steps work on: rings that one thread alternately fills and drains, memory whose kind of
// pages is verified, and one CPU.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/memory/buffer.h"
#include "engine/process/pipe_owner.h"
#include "engine/process/placement.h"

namespace pipetop {

// Never blocks, so a short transfer is an error instead of a hang. Throws Error if
// the ring cannot have this size.
PipeOwner make_ring(uint64_t bytes);

// Throws Error unless a call moved everything; errno must be the call's.
void check_moved(const char* call, long moved, uint64_t bytes);

// Drains the whole ring. `sink_fd`: /dev/null.
long drain(const PipeOwner& ring, int sink_fd, uint64_t bytes);

// Throws SystemError.
UniqueFd open_dev_null();

// Touched pages. Throws Error, with the remedy, if there are no such pages.
Buffer map_certain(Pages pages, uint64_t bytes, bool touch = true);

// Pins the calling thread to one CPU while this object lives; on failure it stays where it was.
class Pinned {
 public:
  // `allowed`: where the thread goes back to.
  Pinned(int cpu, const std::vector<Cpu>& allowed) : allowed_(allowed) { pin(0, cpu, allowed_); }
  ~Pinned() { pin(0, kNoCpu, allowed_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  const std::vector<Cpu>& allowed_;
};

}  // namespace pipetop
