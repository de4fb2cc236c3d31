// The live-change protocol of one client and its pipe.
//
//   1. A pipe that is to grow does so first, for a client never puts more into it
//      than fits; then the client is told. One whose file is not there yet holds.
//   2. When it has acknowledged, having emptied its pipe, that shrinks.
//
// Nothing wakes a client but a signal: it may read from a disk.
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

  // `planned`, whose own file, if that is to be read, is not the one of all.
  void begin(const PageCacheSettings& planned, bool has_file);
  // The file has come to be there.
  void flow();
  // Its process has died: what it acknowledged, its successor has not.
  void begin_anew();
  // It shall finish and exit.
  void quit();

  // Does the next step if it can be done. True when everything is in force.
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
