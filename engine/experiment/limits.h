// What each step of a transfer costs on this machine, the resulting roof (upper bound) of the rate,
// and how close real pipes get to it: real writers and readers, measured between the steps.
//
// Every figure comes from a slice of a millisecond (of 200 ms for a run), and the slices of all
// steps are interleaved in short rounds. The process is pinned to one CPU, except during the runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/limits_steps.h"
#include "engine/experiment/trial.h"
#include "engine/meter/statistics.h"
#include "engine/model/functions.h"
#include "engine/model/tables.h"

namespace pipetop {

// The article's top rung, the same with a larger ring, and the fastest way for two
// processes on one CPU.
std::vector<Preset> limits_presets();

// From samples, another way to the cost of a call: the share of the total weight in functions whose
// name contains `call`, without waiting and waking (mutex, scheduler, wait queue), which is not a
// cost of the page. 0 without samples.
double working_share(const CallTree& tree, std::string_view call);

struct LimitsRun {
  std::string name;
  Settings settings;
  Reading<Spread> gib_per_s;
  bool one_cpu = false;  // both workers were pinned to one; else they have two or more
  // ns per page in vmsplice, and in splice to /dev/null, without waiting and waking, but including
  // calls of a busy loop that moved nothing.
  Reading<double> vmsplice_ns, release_ns;
};

struct LimitsOptions {
  EngineOptions engine;                            // of the runs
  std::vector<Preset> presets = limits_presets();  // the runs
  uint32_t rounds = 9;
};

// In ns per page, in calls that fill and drain a whole ring.
struct LentPagesCost {
  LentPagesKind kind;
  uint64_t ring_bytes = 0;
  Reading<Spread> vmsplice_ns;
  Reading<Spread> get_ns;      // at least this much of it; the rest fills the slot
  Reading<Spread> release_ns;  // splice to /dev/null
};

// The kernel's own figures, in ns per page.
struct GupTestCost {
  Pages pages = Pages::k4;
  Reading<Spread> get_ns, put_ns;
};

struct CopyCost {
  uint64_t buffer_bytes = 0;
  Reading<Spread> in_gib_per_s, out_gib_per_s;
};

struct Limits {
  uint32_t rounds = 0;          // that were begun
  Reading<double> steal_share;  // of all CPUs' time
  // The CPU of the measurement, and the CPU of the woken partner; kNoCpu: any.
  int cpu = kNoCpu, other_cpu = kNoCpu;

  Reading<Spread> syscall_ns;
  Reading<Spread> wakeup_two_cpus_ns, wakeup_one_cpu_ns;
  std::vector<LentPagesCost> pages;  // of each kind, all with the same ring
  Reading<Spread> tee_ns, move_ns;   // of a slot, with that ring
  std::vector<GupTestCost> gup_test;
  std::vector<CopyCost> copies;
  std::vector<LentPagesCost> rings;  // of each size, all with the roof's pages
  Reading<Roof> roof;                // of the lower quartiles of `rings`
  std::vector<LimitsRun> runs;
};

// A run's median rate as a share of the roof for its CPUs.
Reading<double> share_of_roof(const LimitsRun& run, const Reading<Roof>& roof);

// Blocks, for about one second per round. Throws Error if no pipe can be created; a step that fails
// is an unavailable Reading. An interruption keeps what was measured so far.
Limits measure_limits(const LimitsOptions& options, Interrupts& interrupts,
                      const StepReport& progress);

// The roof alone, in about a second.
Reading<Roof> measure_roof();

}  // namespace pipetop
