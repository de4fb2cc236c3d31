// A client: a process that splices a cached file into its own pipe, and from there
// to /dev/null.
#pragma once

#include <cstdint>

#include "engine/model/control_block.h"
#include "engine/model/settings.h"

namespace pipetop {

inline constexpr Role kClient{};  // the only role

struct PageCacheCommand {
  uint64_t own_file = 0;     // 1: not the shared file
  uint64_t file_bytes = 0;   // of it
  uint64_t chunk_bytes = 0;  // put into the pipe before it is drained; they fit into it
  uint64_t call_bytes = 0;   // requested per call
  uint64_t life = 0;         // a new number means that a client died
};

// The descriptors of a client, in this order.
struct ClientFds {
  int pipe_read = -1, pipe_write = -1;
  int shared_file = -1, own_file = -1;
};

// Runs to the end; returns the exit status.
int run_client(ControlBlock& block, const ClientFds& fds);

}  // namespace pipetop
