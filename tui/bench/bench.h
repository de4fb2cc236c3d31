// What the benchmarks are made of.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/engine.h"
#include "engine/process/pipe_owner.h"

namespace pipetop::bench {

// A number from a forked process.
class ChildResult {
 public:
  void give(double value) { (void)!::write(pipe_.write_fd(), &value, sizeof value); }
  // Once the child has ended. Throws Error if it gave none.
  double take() {
    ::fcntl(pipe_.read_fd(), F_SETFL, O_NONBLOCK);
    double value = 0;
    if (::read(pipe_.read_fd(), &value, sizeof value) != sizeof value)
      throw Error("a measuring process failed");
    return value;
  }

 private:
  PipeOwner pipe_;
};

// ---- bare loop -------------------------------------------------------------

// The lower bound: the same system calls on the same buffers and CPUs, without
// control block, counters and engine.

// GiB/s of `bytes` through a fresh pipe between two forked processes, on the CPUs that
// `settings` result in.
double bare_rate(const Settings& settings, uint64_t bytes);

// ---- runs of the engine without a screen -----------------------------------

// The median of the 100 ms rates over `seconds`.
double engine_rate(const Settings& settings, BpfUse bpf, double seconds);

// Milliseconds from apply() to the first byte under the new settings, for `changes`
// random hot keys, with buffers of at most 1 MiB.
std::vector<double> change_latencies_ms(const Settings& settings, int changes);

// The same for a worker that sleeps in a system call because the other one
// is stopped: from apply() to its acknowledgement.
std::vector<double> asleep_latencies_ms(Role asleep, int changes);

// Needs a process that still runs. Throws Error if it has ended.
uint64_t on_cpu_ns(pid_t pid);

struct SlowPeerCost {
  double cpu_share;   // of one CPU, by the worker
  double operations;  // of the other side, a second
};

// Runs a single adaptive worker. The benchmark is its other side, and fills or drains the
// whole pipe ten times a second.
SlowPeerCost slow_peer_cost(Role role, double seconds);

// ---- view in a shell's pipelines ---------------------------------------------

// A shell's pipeline around a program that copies, $IT.
struct ViewShape {
  const char *name, *command;
  uint64_t bytes;  // that pass through it
};
std::span<const ViewShape> view_shapes();

// In GiB/s, of "pv -q" for instance.
double view_rate(const ViewShape& shape, const std::string& program);

// ---- runs of the dashboard on a pseudo-terminal ----------------------------

// The median of the 100 ms rates while the dashboard draws at 120x40 with BPF on.
double screen_rate(const Settings& settings, double seconds);

// It is in the benchmark's directory.
std::filesystem::path pipetop();

// From exec of pipetop to a screen on which no panel waits for data.
double first_full_frame_ms();

struct ScreenCost {
  double cpu_percent;  // of one CPU, by the main process
  double rss_mib;
  double recorded_mib;  // a minute
};
// At 120x40 and 20 frames a second, on the top rung, after the first two seconds.
ScreenCost screen_cost(double seconds, bool records);

// CPU time of drawing and showing a 200x60 frame whose numbers change.
double frame_cost_ms();

}  // namespace pipetop::bench
