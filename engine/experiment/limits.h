// What each step of a pipe's work costs on this machine, the roof that follows for
// the rate, and how near whole pipes come to it.
//
// Every figure is of a slice of a millisecond (a run: of 200 ms), and the slices of all
// steps take turns in short rounds. The process is pinned to one CPU meanwhile, except
// in the runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/experiment/interrupts.h"
#include "engine/experiment/limits_runs.h"
#include "engine/experiment/limits_steps.h"
#include "engine/experiment/roof.h"
#include "engine/meter/statistics.h"

namespace pipetop {

struct LimitsOptions {
  EngineOptions engine;                            // of the runs
  std::vector<Preset> presets = limits_presets();  // the runs
  uint32_t rounds = 9;
};

// In ns a page, in calls that fill and empty a whole ring.
struct LentPagesCost {
  LentPagesKind kind;
  uint64_t ring_bytes = 0;
  Reading<Spread> vmsplice_ns;
  Reading<Spread> get_ns;      // of it at least: the rest fills the slot
  Reading<Spread> release_ns;  // splice to /dev/null
};

// The kernel's own figures, in ns a page.
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
  // Where it was measured, and where a partner was woken; kNoCpu: nowhere in particular.
  int cpu = kNoCpu, other_cpu = kNoCpu;

  Reading<Spread> syscall_ns;
  Reading<Spread> wakeup_two_cpus_ns, wakeup_one_cpu_ns;
  std::vector<LentPagesCost> pages;  // of every kind, all with the same ring
  Reading<Spread> tee_ns, move_ns;   // of a slot, with that ring
  std::vector<GupTestCost> gup_test;
  std::vector<CopyCost> copies;
  std::vector<LentPagesCost> rings;  // of every size, all with the roof's pages
  Reading<Roof> roof;                // of the lower quartiles of `rings`
  std::vector<LimitsRun> runs;
};

// A run's median rate, of the roof for its CPUs.
Reading<double> share_of_roof(const LimitsRun& run, const Reading<Roof>& roof);

// Where it is: the round from 1, and what it measures.
using LimitsProgress = std::function<void(uint32_t round, const std::string& step)>;

// Blocks, at about a second per round. Throws Error when there can be no pipe; a step
// that is refused is a Reading. What was measured until it is interrupted is kept.
Limits measure_limits(const LimitsOptions& options, Interrupts& interrupts,
                      const LimitsProgress& progress);

// The roof alone, in about a second. For who wants no more.
Reading<Roof> measure_roof();

}  // namespace pipetop
