// ./dev bench [PAIRS] [PART ...]: pipetop's overhead on this machine, compared with its budgets.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/experiment/overhead.h"
#include "engine/meter/statistics.h"
#include "engine/observe/sampler.h"
#include "engine/process/worker_process.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"
#include "tui/bench/bench.h"

namespace pipetop::bench {
namespace {

int g_pairs = 9;
constexpr double kSeconds = 1.0;

// One line of figures.
void report(const std::string& name, const std::string& figures, const std::string& budget) {
  fmt::print("{:<44} {:<52} {}\n", name, figures, budget);
  std::fflush(stdout);
}

// Interleaved pairs: on a machine whose speed drifts, A and B are only comparable
// if measured right after each other, and only the median of many such ratios
// counts.
//
// Runs (A, B), (B, A), (A, B) ... and prints the median of A / B with its spread
// and the budget. The first pair is not counted.
void compare(const std::string& name, double budget, const std::function<double()>& a,
             const std::function<double()>& b) {
  std::vector<double> ratios, of_a, of_b;
  for (int i = -1; i < g_pairs; ++i) {
    const bool a_first = i % 2 == 0;
    double value_a = 0, value_b = 0;
    if (a_first) value_a = a();
    value_b = b();
    if (!a_first) value_a = a();
    if (i < 0) continue;
    of_a.push_back(value_a);
    of_b.push_back(value_b);
    ratios.push_back(value_a / value_b);
  }
  report(name,
         fmt::format("{:.3f}  [{:.3f} .. {:.3f}]  {:.2f} / {:.2f} GiB/s", median(ratios),
                     quantile(ratios, 0), quantile(ratios, 1), median(of_a), median(of_b)),
         fmt::format("budget >= {:.2f}, {} pairs", budget, g_pairs));
}

const Settings& rung(std::string_view name) {
  const Preset* preset = find_preset(article_presets(), name);
  if (preset == nullptr) throw Error("no such rung");
  return preset->settings;
}

void worker_against_bare(const char* name) {
  const Settings& settings = rung(name);
  // About as long as the worker's run.
  const double rate = engine_rate(settings, BpfUse::off, 0.3);
  const auto bytes = static_cast<uint64_t>(rate * kSeconds * kGiB);
  compare(
      fmt::format("worker loop / bare loop, {}", name), 0.99,
      [&] { return engine_rate(settings, BpfUse::off, kSeconds); },
      [&] { return bare_rate(settings, bytes); });
}

void observers_on_off(const char* name, uint32_t hz, double budget) {
  Interrupts interrupts{{}};  // none: ^C ends the benchmark
  OverheadOptions options;
  options.engine.settings = rung(name);
  options.engine.frequency_hz = hz;
  const Overhead found = measure_overhead(options, interrupts, [](int) {});
  const auto line = [&](const char* what, double OverheadRound::*phase, const std::string& wanted) {
    const std::vector<double> ratios = found.ratios(phase);
    report(fmt::format("{} / off at {}, {}", what, found.event.rate(), name),
           fmt::format("{:.3f}  [{:.3f} .. {:.3f}]", median(ratios), quantile(ratios, 0.25),
                       quantile(ratios, 0.75)),
           wanted);
  };
  line("observers on", &OverheadRound::on,
       fmt::format("budget >= {:.2f}, {} rounds", budget, found.rounds.size()));
  line("timers alone", &OverheadRound::timers, "what any sampling costs here");
}

void screen_on_off(const char* name) {
  const Settings& settings = rung(name);
  compare(
      fmt::format("dashboard and BPF on / off, {}", name), 0.99,
      [&] { return screen_rate(settings, kSeconds); },
      [&] { return engine_rate(settings, BpfUse::off, kSeconds); });
}

void counter_layouts() {
  const auto percpu = observe::measure_counter_cost(BpfCounters::percpu);
  const auto shared = observe::measure_counter_cost(BpfCounters::shared);
  if (!percpu.has_value()) return report("BPF counters", percpu.reason, "");
  if (!shared.has_value()) return report("BPF counters", shared.reason, "");
  for (const auto& [cpus, ns] : percpu->ns_by_cpus)
    report(fmt::format("BPF counters, {} counting", counted(uint64_t(cpus), "CPU")),
           fmt::format("percpu {:.1f} ns per add, {} bytes  shared {:.1f} ns, {} bytes", ns,
                       percpu->bytes, shared->ns_by_cpus.at(cpus), shared->bytes),
           "");
}

void latencies(const std::string& name, const std::vector<double>& ms) {
  report(name,
         fmt::format("p50 {:.2f} ms  p99 {:.2f} ms  worst {:.2f} ms  ({} changes)", median(ms),
                     quantile(ms, 0.99), quantile(ms, 1), ms.size()),
         "budget <= 20 ms p99");
}

void screen_costs() {
  std::vector<double> starts;
  for (int i = 0; i < 9; ++i) starts.push_back(first_full_frame_ms());
  report("start to first full frame",
         fmt::format("median {:.0f} ms  worst {:.0f} ms", median(starts), quantile(starts, 1)),
         "budget <= 200 ms");
  const ScreenCost cost = screen_cost(10.0, false);
  report("main process at 120x40, 20 frames/s",
         fmt::format("{:.2f} % of a CPU, {:.1f} MiB resident", cost.cpu_percent, cost.rss_mib),
         "budget <= 2 %, <= 32 MiB");
  report("a frame at 200x60", fmt::format("median {:.3f} ms", frame_cost_ms()), "");
}

void recording_costs() {
  std::vector<double> percent, mib;
  for (int i = 0; i < g_pairs; ++i) {
    const double before = screen_cost(4.0, false).cpu_percent;
    const ScreenCost cost = screen_cost(4.0, true);
    percent.push_back(cost.cpu_percent - before);
    mib.push_back(cost.recorded_mib);
  }
  report("a recording",
         fmt::format("{:.2f} % of a CPU  [{:.2f} .. {:.2f}], {:.2f} MiB a minute", median(percent),
                     quantile(percent, 0), quantile(percent, 1), median(mib)),
         fmt::format("budget <= 0.5 %, <= 1 MiB, {} pairs", g_pairs));
}

// As fast as the busy loop if both sides run, and as cheap as sleeping if one waits
// for the other.
void adaptive_waits() {
  const Settings& busy = rung("busy_loop_huge");
  Settings adaptive = busy;
  adaptive.pipe.writer_wait = adaptive.pipe.reader_wait = Wait::adaptive;
  compare(
      "adaptive / busy, busy_loop_huge", 0.95,
      [&] { return engine_rate(adaptive, BpfUse::off, kSeconds); },
      [&] { return engine_rate(busy, BpfUse::off, kSeconds); });
  for (const Role role : {Role::writer, Role::reader}) {
    const SlowPeerCost cost = slow_peer_cost(role, 5.0);
    report(fmt::format("adaptive {}, a slow other side", to_text(role)),
           fmt::format("{:.3f} % of a CPU at {:.1f} operations/s", cost.cpu_share * 100,
                       cost.operations),
           "budget <= 5 %");
  }
}

void worker_loops() {
  for (const char* name : {"busy_loop_huge", "vmsplice_splice_huge", "write_read"})
    worker_against_bare(name);
  adaptive_waits();
}

void observing() {
  for (const char* name : {"busy_loop_huge", "vmsplice_splice_huge"}) {
    observers_on_off(name, 0, 0.99);
    observers_on_off(name, 4999, 0.97);
    screen_on_off(name);
  }
  counter_layouts();
}

void keys() {
  latencies("key to effect, blocking", change_latencies_ms(rung("write_read"), 200));
  latencies("key to effect, busy", change_latencies_ms(rung("busy_loop_huge"), 200));
  latencies("key to effect, writer asleep", asleep_latencies_ms(Role::writer, 200));
  latencies("key to effect, reader asleep", asleep_latencies_ms(Role::reader, 200));
}

// Not slower than the better of them.
void views() {
  const std::string view = pipetop().string() + " view -q";
  for (const ViewShape& shape : view_shapes())
    for (const char* other : {"pv -q", "cat"})
      compare(
          fmt::format("view / {}, {}", other, shape.name), 1,
          [&] { return view_rate(shape, view); }, [&] { return view_rate(shape, other); });
}

struct Part {
  std::string_view name;
  void (*run)();
};
constexpr std::array kParts = {
    Part{"workers", worker_loops}, Part{"observers", observing},       Part{"keys", keys},
    Part{"screen", screen_costs},  Part{"recording", recording_costs}, Part{"view", views}};

// A number of pairs, or names of parts: all of them if there is none. Throws Error.
void run(std::span<const char* const> arguments) {
  std::vector<Part> chosen;
  for (const std::string_view argument : arguments) {
    const auto part = std::ranges::find(kParts, argument, &Part::name);
    int pairs = 0;
    const auto [end, error] =
        std::from_chars(argument.data(), argument.data() + argument.size(), pairs);
    const bool is_number = error == std::errc() && end == argument.data() + argument.size();
    if (part != kParts.end())
      chosen.push_back(*part);
    else if (is_number && pairs > 0)
      g_pairs = pairs;
    else
      throw Error(fmt::format("\"{}\" is neither a number of pairs nor one of the parts workers, "
                              "observers, keys, screen, recording, view",
                              argument),
                  Exit::usage);
  }
  if (chosen.empty()) chosen.assign(kParts.begin(), kParts.end());
  for (const Part& part : chosen) part.run();
}

}  // namespace
}  // namespace pipetop::bench

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == pipetop::kWorkerProcess)
    return pipetop::worker_main(argc, argv);
  try {
    pipetop::bench::run({argv + 1, static_cast<size_t>(argc - 1)});
    return 0;
  } catch (const pipetop::Error& error) {
    fmt::print(stderr, "bench: {}\n", error.what());
    return static_cast<int>(error.exit());
  }
}
