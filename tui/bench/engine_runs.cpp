#include <signal.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "engine/experiment/trial.h"
#include "engine/process/proc_files.h"
#include "engine/process/worker_process.h"
#include "engine/worker/pipe_command.h"
#include "engine/workload/table/workloads.h"
#include "tui/bench/bench.h"

namespace pipetop::bench {
namespace {

// Whose benchmark no signal is to end but by ending all of it.
struct BenchSession {
  Interrupts none{{}};
  Session session;
  BenchSession(const Settings& settings, BpfUse bpf)
      : session({.settings = settings, .bpf = bpf}, none) {}
};

constexpr unsigned kInterval_us = 100'000;

WorkerCommand adaptive_command(uint64_t pipe_bytes) {
  PipeCommand command;  // write or read
  command.wait = Wait::adaptive;
  command.buf_bytes = command.ring_bytes = pipe_bytes;
  command.epoch = kFirstEpoch;
  return command_of(Order::flow, command);
}

double ms_since(uint64_t begin_ns) { return double(monotonic_ns() - begin_ns) / 1e6; }

}  // namespace

double engine_rate(const Settings& settings, BpfUse bpf, double seconds) {
  BenchSession bench(settings, bpf);
  const auto length_ns = static_cast<uint64_t>((seconds + 0.2) * 1e9);
  const Trial trial = measure(bench.session, {300 * kMs, length_ns, 0});
  check_possible(trial.end);
  if (!trial.segment.rate.has_value()) throw Error(trial.segment.rate.reason);
  return trial.segment.rate->median;
}

std::vector<double> change_latencies_ms(const Settings& settings, int changes) {
  BenchSession bench(settings, BpfUse::automatic);
  Session& session = bench.session;
  Engine& engine = session.engine();
  const auto keys = hot_keys(WorkloadKind::pipe);
  std::mt19937 random(7);
  std::vector<double> latencies;
  session.run_for(200 * kMs);
  for (int i = 0; i < changes; ++i) {
    Settings next = engine.tick().requested;
    // Except placement and stamps: with same_cpu and busy loops, bytes move only
    // when the scheduler switches, which is the technique's latency, not ours.
    const HotKey& key = keys[random() % keys.size()];
    // The same goes for slow motion, and for more pairs than there are CPUs. Observers are no part
    // of the pipe.
    constexpr std::string_view kNotOurs[] = {"placement",   "payload", "slow_motion",
                                             "single_step", "pairs",   "observers"};
    if (std::ranges::find(kNotOurs, key.knob) != std::end(kNotOurs)) continue;
    key.press(next);
    // Larger buffers would measure the kernel's page faults.
    if (next.pipe.buf_size > (1 << 20)) continue;
    const uint64_t pressed = monotonic_ns();
    engine.apply(next, "bench");
    const uint64_t bytes = session.run_until_settled().throughput.total_items;
    // Not without a pause: it would take the CPU of the worker that it waits for.
    while (engine.tick().throughput.total_items <= bytes) session.serve(kMs / 4);
    latencies.push_back(ms_since(pressed));
    session.run_for(20 * kMs);
  }
  return latencies;
}

std::vector<double> asleep_latencies_ms(Role asleep, int changes) {
  BenchSession bench({}, BpfUse::off);
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
    latencies.push_back(ms_since(pressed));
    session.run_for(5 * kMs);
  }
  return latencies;
}

uint64_t on_cpu_ns(pid_t pid) {
  const auto stats = read_process_stats(pid);
  if (!stats) throw Error("the measured process ended early");
  return stats->times.on_cpu_ns;
}

SlowPeerCost slow_peer_cost(Role role, double seconds) {
  PipeOwner pipe;
  const bool writes = role == Role::writer;
  const int fd = writes ? pipe.write_fd() : pipe.read_fd();
  const int other_fd = writes ? pipe.read_fd() : pipe.write_fd();  // only this process uses it
  ::fcntl(other_fd, F_SETFL, ::fcntl(other_fd, F_GETFL) | O_NONBLOCK);
  std::vector<char> bytes(pipe.capacity_bytes(), 'X');
  const auto serve = [&] {
    ::usleep(kInterval_us);
    (void)(writes ? ::read(other_fd, bytes.data(), bytes.size())
                  : ::write(other_fd, bytes.data(), bytes.size()));
  };
  Worker worker(WorkloadKind::pipe, role, "/proc/self/exe", {fd});
  worker.start(monotonic_ns());
  worker.publish(adaptive_command(pipe.capacity_bytes()));
  // It adapts during the first waits.
  for (int i = 0; i < 10; ++i) serve();
  const uint64_t begin_ns = monotonic_ns(), cpu_before_ns = on_cpu_ns(worker.pid());
  const auto length_ns = static_cast<uint64_t>(seconds * 1e9);
  int operations = 0;
  for (; monotonic_ns() - begin_ns < length_ns; ++operations) serve();
  const double passed_ns = double(monotonic_ns() - begin_ns);
  return {double(on_cpu_ns(worker.pid()) - cpu_before_ns) / passed_ns,
          operations / (passed_ns / 1e9)};
}

}  // namespace pipetop::bench
