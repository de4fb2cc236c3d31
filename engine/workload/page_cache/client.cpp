#include "engine/workload/page_cache/client.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "engine/base/handles.h"
#include "engine/model/settings.h"
#include "engine/worker/worker_loop.h"
#include "engine/workload/page_cache/page_cache_settings.h"

namespace pipetop {
namespace {

// Nobody else drains this pipe, so no call may block on it.
constexpr unsigned kFlags = SPLICE_F_NONBLOCK;

class Client {
 public:
  Client(ControlBlock& block, const ClientFds& fds)
      : block_(block), fds_(fds), sink_(::open("/dev/null", O_WRONLY | O_CLOEXEC)) {}

  // Loops over the file.
  [[gnu::noinline]] LoopEnd splice_file(const PageCacheCommand& command, uint32_t generation) {
    offset_ = 0;
    if (!drain()) return LoopEnd::failed;  // left there by an earlier client
    for (;;) {
      if (is_changed(block_, generation)) return LoopEnd::changed;
      uint64_t held = 0;
      if (!fill(command, held) || !empty(held)) return LoopEnd::failed;
    }
  }

 private:
  // Puts a chunk into the pipe, or as much as fits; `held` says how much.
  bool fill(const PageCacheCommand& command, uint64_t& held) {
    const int file = command.own_file != 0 ? fds_.own_file : fds_.shared_file;
    while (held < command.chunk_bytes) {
      const auto left = command.file_bytes - static_cast<uint64_t>(offset_);
      const uint64_t asked = std::min({command.call_bytes, command.chunk_bytes - held, left});
      const ssize_t moved = ::splice(file, &offset_, fds_.pipe_write, nullptr, asked, kFlags);
      if (moved < 0) return count_error() && (errno != EAGAIN || held > 0 || drain());
      count(moved, asked);
      if (moved == 0 && offset_ == 0) return errno = ENODATA, false;
      held += static_cast<uint64_t>(moved);
      // At or behind its end: the file may shrink before the command says so.
      if (moved == 0 || static_cast<uint64_t>(offset_) >= command.file_bytes) offset_ = 0;
    }
    return true;
  }

  bool empty(uint64_t held) {
    while (held > 0) {
      const ssize_t moved = ::splice(fds_.pipe_read, nullptr, sink_.get(), nullptr, held, kFlags);
      if (moved < 0 && errno == EAGAIN) return true;  // there is no more
      if (moved < 0 && !count_error()) return false;
      if (moved < 0) continue;
      count(moved, held);
      add(block_.counts.items, static_cast<uint64_t>(moved));
      held -= static_cast<uint64_t>(moved);
    }
    return true;
  }

  // All that is there.
  bool drain() { return empty(kMaxPipeBytes); }

  void count(ssize_t moved, uint64_t asked) {
    add(block_.counts.syscalls, 1);
    if (static_cast<uint64_t>(moved) < asked) add(block_.counts.short_calls, 1);
  }

  // False if it failed permanently.
  bool count_error() {
    add(block_.counts.syscalls, 1);
    if (errno == EAGAIN) return add(block_.counts.eagain, 1), true;
    if (errno == EINTR) return add(block_.counts.interrupted, 1), true;
    return false;
  }

  ControlBlock& block_;
  const ClientFds fds_;
  const UniqueFd sink_;
  loff_t offset_ = 0;
};

}  // namespace

int run_client(ControlBlock& block, const ClientFds& fds) {
  Client client(block, fds);
  return run_worker<PageCacheCommand>(
      block, [](const PageCacheCommand&, uint32_t, WorkerReport&) { return true; },
      [&](const PageCacheCommand& command, uint32_t generation) {
        return client.splice_file(command, generation);
      });
}

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
