// A client: the process that splices a cached file into a pipe of its own, and what
// lies in the pipe to /dev/null.
#pragma once

#include <cstdint>

#include "engine/model/control_block.h"
#include "engine/model/role.h"

namespace pipetop {

inline constexpr Role kClient{};  // the only role

struct PageCacheCommand {
  uint64_t own_file = 0;     // 1: not the file that all share
  uint64_t file_bytes = 0;   // of it
  uint64_t chunk_bytes = 0;  // that lie in the pipe before it is emptied; they fit into it
  uint64_t call_bytes = 0;   // asked of one call
  uint64_t life = 0;         // another number: somebody died meanwhile
};

// What a client is given, in this order.
struct ClientFds {
  int pipe_read = -1, pipe_write = -1;
  int shared_file = -1, own_file = -1;
};

// To its end; returns the exit status.
int run_client(ControlBlock& block, const ClientFds& fds);

}  // namespace pipetop
