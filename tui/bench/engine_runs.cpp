#include "tui/bench/engine_runs.h"

#include <signal.h>

#include <random>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/experiment/serve.h"
#include "engine/process/placement.h"
#include "engine/registry/knobs.h"

namespace pipetop::bench {
namespace {

EngineOptions options_for(const Settings& settings, Observed observed) {
  EngineOptions options;
  options.settings = settings;
  options.bpf = observed == Observed::yes ? BpfUse::automatic : BpfUse::off;
  return options;
}

bool moved_since(Engine& engine, uint64_t bytes) {
  return engine.tick().throughput.total_items > bytes;
}

}  // namespace

double engine_rate(const Settings& settings, Observed observed, double seconds) {
  Engine engine(options_for(settings, observed));
  run_until_settled(engine);
  run_for(engine, 300 * kMs);
  engine.begin_segment("measure");
  run_for(engine, static_cast<uint64_t>((seconds + 0.2) * 1e9));
  const auto rate = engine.tick().throughput.current.rate;
  if (!rate.has_value()) throw Error(rate.reason);
  return rate->median;
}

std::vector<double> change_latencies_ms(const Settings& settings, int changes) {
  Engine engine(options_for(settings, Observed::yes));
  std::mt19937 random(7);
  std::vector<double> latencies;
  run_for(engine, 200 * kMs);
  for (int i = 0; i < changes; ++i) {
    Settings next = engine.tick().requested;
    // Placement and stamps aside: same_cpu with busy loops moves a byte only when
    // the scheduler says so, which is the technique's latency, not ours.
    const HotKey& key =
        hot_keys(WorkloadKind::pipe)[random() % hot_keys(WorkloadKind::pipe).size()];
    // Nor is the pace of slow motion.
    if (key.knob == "placement" || key.knob == "payload" || key.knob == "slow_motion") continue;
    key.press(next);
    // Beyond that it is the kernel's time to fault in what was asked for.
    if (next.buf_size > (1 << 20)) continue;
    const uint64_t pressed = monotonic_ns();
    engine.apply(next, "bench");
    const uint64_t bytes = run_until_settled(engine).throughput.total_items;
    while (!moved_since(engine, bytes)) serve(engine, 0);
    latencies.push_back(double(monotonic_ns() - pressed) / 1e6);
    run_for(engine, 20 * kMs);
  }
  return latencies;
}

std::vector<double> asleep_latencies_ms(Role asleep, int changes) {
  Engine engine(options_for({}, Observed::no));
  run_for(engine, 100 * kMs);
  const Role other = asleep == Role::writer ? Role::reader : Role::writer;
  ::kill(engine.tick().worker(other).pid, SIGSTOP);
  run_for(engine, 100 * kMs);
  std::vector<double> latencies;
  for (int i = 0; i < changes; ++i) {
    Settings next = engine.tick().requested;
    next.gift = false;
    next.lock_memory = !next.lock_memory;  // concerns both roles
    const uint64_t pressed = monotonic_ns();
    engine.apply(next, "bench");
    while (engine.tick().worker(asleep).state != ProcessState::flowing) serve(engine, 1);
    latencies.push_back(double(monotonic_ns() - pressed) / 1e6);
    run_for(engine, 5 * kMs);
  }
  return latencies;
}

CpuPair cpus_of(const Settings& settings) {
  const auto choice = choose_cpus(settings.pipe, read_topology());
  return {choice.writer_cpu, choice.reader_cpu};
}

}  // namespace pipetop::bench
