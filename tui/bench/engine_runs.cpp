#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <random>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/experiment/trial.h"
#include "engine/meter/process_stats.h"
#include "engine/process/pipe_owner.h"
#include "engine/process/worker.h"
#include "engine/registry/knobs.h"
#include "engine/worker/pipe_command.h"
#include "tui/bench/bench.h"

namespace pipetop::bench {
namespace {

// Whose benchmark no signal is to end but by ending all of it.
struct BenchSession {
  Interrupts none{{}};
  Session session;
  BenchSession(const Settings& settings, Observed observed)
      : session({.settings = settings,
                 .bpf = observed == Observed::yes ? BpfUse::automatic : BpfUse::off},
                none) {}
};

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

}  // namespace

double engine_rate(const Settings& settings, Observed observed, double seconds) {
  BenchSession bench(settings, observed);
  const auto length_ns = static_cast<uint64_t>((seconds + 0.2) * 1e9);
  const Trial trial = measure(bench.session, {300 * kMs, length_ns, 0});
  check_possible(trial.end);
  if (!trial.segment.rate.has_value()) throw Error(trial.segment.rate.reason);
  return trial.segment.rate->median;
}

std::vector<double> change_latencies_ms(const Settings& settings, int changes) {
  BenchSession bench(settings, Observed::yes);
  Session& session = bench.session;
  Engine& engine = session.engine();
  std::mt19937 random(7);
  std::vector<double> latencies;
  session.run_for(200 * kMs);
  for (int i = 0; i < changes; ++i) {
    Settings next = engine.tick().requested;
    // Except placement and stamps: with same_cpu and busy loops, bytes move only
    // when the scheduler switches, which is the technique's latency, not ours.
    const HotKey& key =
        hot_keys(WorkloadKind::pipe)[random() % hot_keys(WorkloadKind::pipe).size()];
    // The same goes for slow motion.
    if (key.knob == "placement" || key.knob == "payload" || key.knob == "slow_motion") continue;
    key.press(next);
    // Larger buffers would measure the kernel's page faults.
    if (next.pipe.buf_size > (1 << 20)) continue;
    const uint64_t pressed = monotonic_ns();
    engine.apply(next, "bench");
    const uint64_t bytes = session.run_until_settled().throughput.total_items;
    while (engine.tick().throughput.total_items <= bytes) session.serve(0);
    latencies.push_back(double(monotonic_ns() - pressed) / 1e6);
    session.run_for(20 * kMs);
  }
  return latencies;
}

std::vector<double> asleep_latencies_ms(Role asleep, int changes) {
  BenchSession bench({}, Observed::no);
  Session& session = bench.session;
  Engine& engine = session.engine();
  session.run_for(100 * kMs);
  const Role other = asleep == Role::writer ? Role::reader : Role::writer;
  ::kill(engine.tick().worker(other).pid, SIGSTOP);
  session.run_for(100 * kMs);
  std::vector<double> latencies;
  for (int i = 0; i < changes; ++i) {
    Settings next = engine.tick().requested;
    next.pipe.gift = false;
    next.pipe.lock_memory = !next.pipe.lock_memory;  // concerns both roles
    const uint64_t pressed = monotonic_ns();
    engine.apply(next, "bench");
    while (engine.tick().worker(asleep).state != ProcessState::flowing) session.serve(kMs);
    latencies.push_back(double(monotonic_ns() - pressed) / 1e6);
    session.run_for(5 * kMs);
  }
  return latencies;
}

uint64_t on_cpu_ns(pid_t pid) {
  const auto stats = read_process_stats(pid);
  if (!stats) throw Error("the measured process ended early");
  return stats->times.on_cpu_ns;
}

SlowPeerCost slow_peer_cost(Role role, Wait wait, double seconds) {
  PipeOwner pipe;
  const int end = role == Role::writer ? pipe.write_fd() : pipe.read_fd();
  Worker worker(WorkloadKind::pipe, role, "/proc/self/exe", {end});
  worker.start(monotonic_ns());
  worker.publish(command_for(wait, pipe.capacity_bytes()));
  SlowPeer peer(pipe, role);
  // It adapts during the first waits.
  for (int i = 0; i < 10; ++i) peer.serve();
  const uint64_t begin_ns = monotonic_ns(), cpu_before_ns = on_cpu_ns(worker.pid());
  const auto length_ns = static_cast<uint64_t>(seconds * 1e9);
  int operations = 0;
  for (; monotonic_ns() - begin_ns < length_ns; ++operations) peer.serve();
  const double passed_ns = double(monotonic_ns() - begin_ns);
  return {double(on_cpu_ns(worker.pid()) - cpu_before_ns) / passed_ns,
          operations / (passed_ns / 1e9)};
}

}  // namespace pipetop::bench
