// What the benchmarks are made of.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace pipetop::bench {

// ---- pairs -----------------------------------------------------------------

// Interleaved pairs: on a machine whose speed drifts, only A and B measured one
// right after the other compare, and only the median of many such ratios counts.

// Runs (A, B), (B, A), (A, B) ... and prints the median of A / B with its spread
// against the budget. One pair before them is not counted.
void compare(const std::string& name, int pairs, double budget, const std::function<double()>& a,
             const std::function<double()>& b);

// One line of figures.
void report(const std::string& name, const std::string& figures, const std::string& budget);

// ---- bare loop -------------------------------------------------------------

// The least that can be done: the same system calls on the same buffers and CPUs
// with no control block, no counters and no engine.

// GiB/s of `bytes` through a fresh pipe between two forked processes.
double bare_rate(const Settings& settings, int writer_cpu, int reader_cpu, uint64_t bytes);

// ---- engine runs -----------------------------------------------------------

// Runs of the engine without a screen.

enum class Observed { yes, no };

// The median of the 100 ms rates over `seconds`.
double engine_rate(const Settings& settings, Observed observed, double seconds);

// Milliseconds from apply() to the first byte that moves under the new settings,
// for `changes` random hot keys that keep buffers to 1 MiB.
std::vector<double> change_latencies_ms(const Settings& settings, int changes);

// The same for a worker that sleeps in a system call because the other one
// stands still: from apply() to its acknowledgement.
std::vector<double> asleep_latencies_ms(Role asleep, int changes);

// The CPUs that `settings` lead to.
struct CpuPair {
  int writer, reader;
};
CpuPair cpus_of(const Settings& settings);

// ---- screen runs -----------------------------------------------------------

// Runs of the dashboard on a pseudo-terminal.

// The median of the 100 ms rates while the dashboard draws at 120x40 with BPF on.
double screen_rate(const Settings& settings, double seconds);

// From exec of pipetop to a screen on which no panel waits for data any more.
double first_full_frame_ms();

struct ScreenCost {
  double cpu_percent;  // of one CPU, by the main process
  double rss_mib;
};
// At 120x40 and 20 frames a second, on the top rung.
ScreenCost screen_cost(double seconds);

// CPU time of drawing and showing a 200x60 frame whose numbers change.
double frame_cost_ms();

// ---- slow peer -------------------------------------------------------------

// A worker whose other side is slow.

struct SlowPeerCost {
  double cpu_share;   // of one CPU, by the worker
  double operations;  // of the other side, a second
};

// Runs a worker alone. The benchmark is its other side, and fills or empties the
// whole pipe ten times a second.
SlowPeerCost slow_peer_cost(Role role, Wait wait, double seconds);

}  // namespace pipetop::bench
