// A client: a process that splices a cached file into its own pipe, and from there
// to /dev/null; and how the engine changes its settings.
#pragma once

#include <cstdint>

#include "engine/model/control_block.h"
#include "engine/model/settings.h"
#include "engine/process/pipe_owner.h"
#include "engine/process/worker_process.h"

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

// The live-change protocol of one client and its pipe.
//
//   1. A pipe that should grow does so first, because a client never puts more into
//      it than fits; then the client gets its command. A client whose file is not
//      ready holds.
//   2. When it has drained its pipe and acknowledged, the pipe can shrink.
//
// Only a signal wakes a client: it may be reading from a disk.
class ClientChange {
 public:
  ClientChange(PipeOwner& pipe, Worker& worker) : pipe_(pipe), worker_(worker) {}

  // Begins the change to `planned`. A client that reads its own file does not use the shared one.
  void begin(const PageCacheSettings& planned, bool has_file);
  // The file is ready.
  void flow();
  // Its process has died: its successor has acknowledged nothing.
  void begin_anew();
  // Tells it to finish and exit.
  void quit();

  // Does the next step if possible. True when everything is in effect.
  bool advance();

  bool holds() const { return order_ == Order::hold; }
  uint64_t chunk_bytes() const { return command_.chunk_bytes; }  // that fit into its pipe
  int resize_error() const { return resize_error_; }             // errno; 0: there was none

 private:
  void publish(Order order);

  PipeOwner& pipe_;
  Worker& worker_;
  PageCacheCommand command_;
  Order order_ = Order::hold;
  uint64_t ring_bytes_ = 0;  // wanted
  int resize_error_ = 0;
};

}  // namespace pipetop
