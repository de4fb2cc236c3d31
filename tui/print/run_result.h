// What a run without a screen measured; all that printers and the exit code
// need, as values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/snapshot.h"

namespace pipetop::tui {

// Of one worker, over some interval.
struct WorkerCounts {
  uint64_t bytes = 0, syscalls = 0, eagain = 0, short_calls = 0, interrupted = 0;
};

// Of the wall time of the measurement.
struct WorkerShares {
  Reading<double> on_cpu, runnable, blocked;
};

struct Interval {
  uint64_t since_start_ns = 0;  // of the measurement, to this interval's end
  uint64_t duration_ns = 0;
  std::array<WorkerCounts, kRoles> workers;  // by Role

  uint64_t bytes() const { return workers[static_cast<size_t>(Role::reader)].bytes; }
};

struct RunResult {
  std::string name;           // of the preset, or "custom"
  uint64_t bytes_wanted = 0;  // of --bytes; 0 without
  Snapshot begin;             // when the measurement began
  Snapshot end;               // when it ended, with everything still flowing
  Snapshot last;              // after both workers had finished
  std::array<WorkerShares, kRoles> shares;
  Reading<double> steal_share;  // of all CPUs' time during the measurement
  int ended_by_signal = 0;

  // By the reader, so that they equal its own figures.
  uint64_t bytes() const;
  uint64_t duration_ns() const { return end.now_ns - begin.now_ns; }
};

WorkerCounts counts_between(const WorkerView& before, const WorkerView& after);
Interval interval_between(const Snapshot& begin, const Snapshot& before, const Snapshot& after);

// Bytes over time; 0 when no time passed.
double gib_per_s(uint64_t bytes, uint64_t duration_ns);

// The exit code that a result deserves, and for the person, why.
struct Judgement {
  Exit exit = Exit::ok;
  std::vector<std::string> words;  // one line each; warnings without an exit code, too
};
Judgement judge(const RunResult& result);
// That of the host alone.
void judge_steal(const Reading<double>& steal_share, Judgement& judgement);

}  // namespace pipetop::tui
