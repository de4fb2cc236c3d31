// The live-change protocol: brings both workers and the ring to the planned settings while data
// flows.
//
//   1. Both get their commands, with an upper bound for the ring's capacity before
//      and after; workers re-allocate buffers whose safety depends on it.
//   2. When both have acknowledged, the ring is resized. On EBUSY it holds more than
//      will fit, so the writer is held until the reader has drained it.
//   3. The writer continues.
//
// A signal wakes sleeping workers. It may arrive between a worker's check and its sleep, so
// advance() repeats it until there is an acknowledgement.
#pragma once

#include <cstdint>

#include "engine/model/settings.h"
#include "engine/process/pipe_owner.h"
#include "engine/process/worker_process.h"
#include "engine/worker/pipe_command.h"

namespace pipetop {

class LiveChange {
 public:
  LiveChange(PipeOwner& pipe, Worker& writer, Worker& reader)
      : pipe_(pipe), writer_(writer), reader_(reader) {}

  // `planned` has a definite pipe_size.
  void begin(const PipeSettings& planned);

  // A worker was replaced: what it had not counted yet is unknown, so stamps start
  // a new epoch.
  void begin_epoch();

  // Tells both to finish and exit.
  void quit();

  // Does the next step if possible. True when everything is in effect.
  bool advance();

  // errno of the last failed resize, 0 if there was none.
  int resize_error() const { return resize_error_; }
  bool draining() const { return holding_; }

 private:
  void publish();
  WorkerCommand command_for(Role role) const;
  bool resize();

  PipeOwner& pipe_;
  Worker& writer_;
  Worker& reader_;
  PipeSettings planned_;
  uint64_t ring_bound_ = 0;
  uint64_t epoch_ = kFirstEpoch;
  Order order_ = Order::hold;
  bool holding_ = false;
  bool resize_refused_ = false;
  int resize_error_ = 0;
};

}  // namespace pipetop
