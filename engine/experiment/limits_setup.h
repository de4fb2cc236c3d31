// What the steps work on: rings for one thread that fills and empties them by turns, and
// memory of which it is certain what it is made of, and one CPU.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/memory/buffer.h"
#include "engine/process/pipe_owner.h"
#include "engine/process/placement.h"

namespace pipetop {

// Never blocks, so that a call that moved less than it should is an error, not a
// hang. Throws Error when the ring cannot have this size.
PipeOwner make_ring(uint64_t bytes);

// Throws Error unless a call moved everything; errno must be its own.
void check_moved(const char* call, long moved, uint64_t bytes);

// All of the ring, to nobody. `sink_fd`: /dev/null.
long drain(const PipeOwner& ring, int sink_fd, uint64_t bytes);

// Throws SystemError.
UniqueFd open_dev_null();

// Touched pages. Throws Error, with what can be done, when there are no such pages.
Buffer map_certain(Pages pages, uint64_t bytes, bool touch = true);

// The calling thread on one CPU, for as long as this lives; where that is refused it
// stays where it was.
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
