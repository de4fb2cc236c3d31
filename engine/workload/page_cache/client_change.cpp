#include "engine/workload/page_cache/client_change.h"

#include <algorithm>
#include <cerrno>

#include "engine/workload/page_cache/page_cache_plan.h"

namespace pipetop {

void ClientChange::publish(Order order) {
  order_ = order;
  worker_.publish(command_of(order, command_));
}

void ClientChange::begin(const PageCacheSettings& planned, bool has_file) {
  ring_bytes_ = ring_bytes_for(planned.chunk_size);
  resize_error_ = ring_bytes_ > pipe_.capacity_bytes() ? pipe_.resize(ring_bytes_) : 0;
  command_.own_file = planned.files == Files::own;
  command_.file_bytes = planned.file_size;
  command_.chunk_bytes = std::min(planned.chunk_size, pipe_.capacity_bytes());
  command_.call_bytes = std::min(planned.gang_size * kPageBytes, command_.chunk_bytes);
  publish(has_file ? Order::flow : Order::hold);
}

void ClientChange::flow() { publish(Order::flow); }

void ClientChange::begin_anew() {
  ++command_.life;
  publish(order_);
}

void ClientChange::quit() { publish(Order::quit); }

bool ClientChange::advance() {
  if (!worker_.report()) {
    worker_.wake();
    return false;
  }
  if (order_ != Order::flow) return false;
  if (resize_error_ != 0 || pipe_.capacity_bytes() <= ring_bytes_) return true;
  const int error = pipe_.resize(ring_bytes_);
  if (error != EBUSY) resize_error_ = error;
  return error != EBUSY;
}

}  // namespace pipetop
