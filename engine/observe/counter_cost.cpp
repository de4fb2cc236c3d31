#include <counter_cost.skel.h>
#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <barrier>
#include <limits>
#include <numeric>
#include <span>
#include <string>

#include "bpf/sampler.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/system_files.h"
#include "engine/model/settings.h"
#include "engine/observe/libbpf.h"
#include "engine/observe/sampler.h"
#include "engine/observe/together.h"
#include "engine/process/placement.h"

namespace pipetop::observe {
namespace {

constexpr int kRepeats = 5;  // the minimum counts: interruptions only add time

// Kernel memory of a map in bytes, from its fdinfo.
uint64_t memory_of(int map_fd) {
  const std::string info = read_head(fmt::format("/proc/self/fdinfo/{}", map_fd));
  if (const auto bytes = keyed_number(info, "memlock"); bytes.value_or(0) > 0) return *bytes;
  throw Error("the kernel does not report the memory of a BPF map");
}

class CounterProgram {
 public:
  explicit CounterProgram(BpfCounters layout) {
    const bool shared = layout == BpfCounters::shared;
    skeleton_ = load_skeleton<counter_cost_bpf>("the counters", [&](counter_cost_bpf& counters) {
      counters.rodata->cpu_count = shared ? 0 : possible_cpus();
      bpf_map__set_max_entries(counters.maps.records, shared ? 1 : possible_cpus());
    });
    skeleton_->bss->counters_shared = shared;
  }

  int records_fd() const { return bpf_map__fd(skeleton_->maps.records); }

  // Nanoseconds per add on this CPU.
  double run() const {
    LIBBPF_OPTS(bpf_test_run_opts, options);
    const uint64_t begin = monotonic_ns();
    const int error = bpf_prog_test_run_opts(bpf_program__fd(skeleton_->progs.add_many), &options);
    const uint64_t end = monotonic_ns();
    if (error != 0 || options.retval != SAMPLER_COST_ADDS)
      return std::numeric_limits<double>::quiet_NaN();
    return double(end - begin) / double{SAMPLER_COST_ADDS};
  }

 private:
  Skeleton<counter_cost_bpf> skeleton_;
};

// All CPUs at once; returns the mean of what each measured.
double run_on(const CounterProgram& program, std::span<const Cpu> cpus) {
  std::vector<double> ns(cpus.size());
  run_together(
      cpus.size(), [&](size_t i) { pin(0, cpus[i].number, cpus); },
      [&](size_t i) { ns[i] = program.run(); });
  return std::accumulate(ns.begin(), ns.end(), 0.0) / double(ns.size());
}

double least_ns(const CounterProgram& program, std::span<const Cpu> cpus) {
  double least = run_on(program, cpus);
  for (int i = 1; i < kRepeats; ++i) least = std::min(least, run_on(program, cpus));
  return least;
}

}  // namespace

Reading<CounterCost> measure_counter_cost(BpfCounters layout) {
  const std::vector<Cpu> cpus = read_topology();
  CounterCost cost;
  try {
    const CounterProgram program(layout);
    cost.bytes = memory_of(program.records_fd());
    for (const size_t n : {size_t{1}, std::min<size_t>(2, cpus.size()), cpus.size()})
      if (!cost.ns_by_cpus.contains(n))
        cost.ns_by_cpus[n] = least_ns(program, std::span(cpus).first(n));
  } catch (const Error& refused) {
    return Reading<CounterCost>::unavailable(refused.what());
  }
  return Reading<CounterCost>::of(std::move(cost));
}

}  // namespace pipetop::observe
