#include "engine/workload/pipe/live_change.h"

#include <algorithm>
#include <cerrno>

namespace pipetop {

void LiveChange::begin(const PipeSettings& planned) {
  // A step that was still allowed when the last single steps ended is not made in the next ones.
  if (!planned_.single_step)
    for (Worker* worker : {&writer_, &reader_}) worker->revoke_step();
  planned_ = planned;
  order_ = Order::flow;
  ring_bound_ = std::max(pipe_.capacity_bytes(), planned.pipe_size);
  resize_refused_ = false;
  resize_error_ = 0;
  publish();
}

void LiveChange::begin_epoch() {
  ++epoch_;
  publish();
}

void LiveChange::quit() {
  order_ = Order::quit;
  publish();
}

WorkerCommand LiveChange::command_for(Role role) const {
  const bool writes = role == Role::writer;
  const Order order = writes && holding_ && order_ == Order::flow ? Order::hold : order_;
  PipeCommand command;
  command.technique =
      writes ? static_cast<uint8_t>(planned_.write_with) : static_cast<uint8_t>(planned_.read_with);
  command.wait = wait_of(planned_, role);
  command.pages = planned_.pages;
  command.buffers = planned_.buffers;
  command.payload = planned_.payload;
  command.gift = planned_.gift;
  command.touch_pages = planned_.touch_pages;
  command.lock_memory = planned_.lock_memory;
  command.buf_bytes = planned_.buf_size;
  // Only the writer's buffers depend on the ring's size.
  command.ring_bytes = writes ? ring_bound_ : 0;
  command.epoch = epoch_;
  // Drains as fast as possible while we wait for it.
  if (planned_.slow_motion && !holding_) {
    command.slow_ring_bytes = resize_refused_ ? pipe_.capacity_bytes() : planned_.pipe_size;
    command.single_step = planned_.single_step;
  }
  return command_of(order, command);
}

void LiveChange::publish() {
  writer_.publish(command_for(Role::writer));
  reader_.publish(command_for(Role::reader));
}

bool LiveChange::advance() {
  bool acknowledged = true;
  for (const Worker* worker : {&writer_, &reader_}) {
    if (worker->report()) continue;
    worker->wake();
    acknowledged = false;
  }
  if (!acknowledged || order_ != Order::flow || !resize()) return false;
  if (!holding_) return true;
  holding_ = false;
  publish();
  return false;
}

// False while the ring is still too full.
bool LiveChange::resize() {
  if (resize_refused_ || pipe_.capacity_bytes() == planned_.pipe_size) return true;
  const int error = pipe_.resize(planned_.pipe_size);
  if (error == EBUSY) {
    holding_ = true;
    publish();
    return false;
  }
  resize_error_ = error;
  resize_refused_ = error != 0;
  if (!resize_refused_) return true;
  publish();  // slow motion uses the actual size
  return false;
}

}  // namespace pipetop
