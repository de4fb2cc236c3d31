#include <fcntl.h>
#include <unistd.h>

#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/meter/process_stats.h"
#include "engine/process/pipe_owner.h"
#include "engine/process/worker.h"
#include "engine/worker/pipe_command.h"
#include "tui/bench/bench.h"

namespace pipetop::bench {
namespace {

constexpr unsigned kIntervalUs = 100'000;

WorkerCommand command_for(Wait wait, uint64_t pipe_bytes) {
  PipeCommand command;  // write or read
  command.wait = static_cast<uint64_t>(wait);
  command.buf_bytes = command.ring_bytes = pipe_bytes;
  command.epoch = kFirstEpoch;
  return command_of(Order::flow, command);
}

// For the other end, which only this process uses.
class SlowPeer {
 public:
  SlowPeer(const PipeOwner& pipe, Role worker)
      : reads_(worker == Role::writer),
        fd_(reads_ ? pipe.read_fd() : pipe.write_fd()),
        bytes_(pipe.capacity_bytes(), 'X') {
    ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) | O_NONBLOCK);
  }
  void serve() {
    ::usleep(kIntervalUs);
    (void)(reads_ ? ::read(fd_, bytes_.data(), bytes_.size())
                  : ::write(fd_, bytes_.data(), bytes_.size()));
  }

 private:
  const bool reads_;
  const int fd_;
  std::vector<char> bytes_;
};

uint64_t on_cpu_ns(const Worker& worker) {
  const auto stats = read_process_stats(worker.pid());
  if (!stats) throw Error("the worker ended early");
  return stats->times.on_cpu_ns;
}

}  // namespace

SlowPeerCost slow_peer_cost(Role role, Wait wait, double seconds) {
  PipeOwner pipe;
  const int end = role == Role::writer ? pipe.write_fd() : pipe.read_fd();
  Worker worker(WorkloadKind::pipe, role, "/proc/self/exe", {end});
  worker.start(monotonic_ns());
  worker.publish(command_for(wait, pipe.capacity_bytes()));
  SlowPeer peer(pipe, role);
  // It adapts during the first waits.
  for (int i = 0; i < 10; ++i) peer.serve();
  const uint64_t begin_ns = monotonic_ns(), cpu_before_ns = on_cpu_ns(worker);
  const auto length_ns = static_cast<uint64_t>(seconds * 1e9);
  int operations = 0;
  for (; monotonic_ns() - begin_ns < length_ns; ++operations) peer.serve();
  const double passed_ns = double(monotonic_ns() - begin_ns);
  return {double(on_cpu_ns(worker) - cpu_before_ns) / passed_ns, operations / (passed_ns / 1e9)};
}

}  // namespace pipetop::bench
