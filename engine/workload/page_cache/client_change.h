// The live-change protocol of one client and its pipe.
//
//   1. A pipe that should grow does so first, because a client never puts more into
//      it than fits; then the client gets its command. A client whose file is not
//      ready holds.
//   2. When it has drained its pipe and acknowledged, the pipe can shrink.
//
// Only a signal wakes a client: it may be reading from a disk.
#pragma once

#include <cstdint>

#include "engine/model/settings.h"
#include "engine/process/pipe_owner.h"
#include "engine/process/worker.h"
#include "engine/workload/page_cache/client.h"

namespace pipetop {

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
