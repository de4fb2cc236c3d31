// The live-change protocol: brings both workers and the ring from whatever they
// do now to the planned settings, while data flows.
//
//   1. Commands go to both, with an upper bound of what the ring can hold before
//      and after; buffers whose safety depends on it are re-made by the worker.
//   2. When both have acknowledged, the ring gets its size. EBUSY: more lies in
//      it than will fit, so the writer is held until the reader has drained it.
//   3. The writer flows again.
//
// Sleeping workers are woken by a signal. It may arrive between a worker's check
// and its sleep, hence advance() repeats it until the acknowledgement is there.
#pragma once

#include <cstdint>

#include "engine/model/pipe_settings.h"
#include "engine/process/pipe_owner.h"
#include "engine/process/worker.h"
#include "engine/worker/pipe_command.h"

namespace pipetop {

class LiveChange {
 public:
  LiveChange(PipeOwner& pipe, Worker& writer, Worker& reader)
      : pipe_(pipe), writer_(writer), reader_(reader) {}

  // `planned` has a definite pipe_size.
  void begin(const PipeSettings& planned);

  // A worker was replaced: whatever it had not yet counted is unknown, so stamps
  // start a new epoch.
  void begin_epoch();

  // Both shall finish and exit.
  void quit();

  // Does the next step if it can be done. True when everything is in force.
  bool advance();

  // errno of the last refused resize, 0 if there was none.
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
