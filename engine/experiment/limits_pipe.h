// A ring for one thread that fills and empties it by turns.
#pragma once

#include <cstdint>

#include "engine/process/pipe_owner.h"

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

}  // namespace pipetop
