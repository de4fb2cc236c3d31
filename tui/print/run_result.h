// The result of a headless run: all that printers and the exit code need, as
// values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/experiment/trial.h"
#include "engine/model/snapshot.h"
#include "engine/registry/terms.h"

namespace pipetop::tui {

// In units of this many items per second; 0 if no time passed.
double rate_of(uint64_t count, uint64_t duration_ns, const Unit& unit);

struct Interval {
  uint64_t since_start_ns = 0;  // of the measurement, to this interval's end
  uint64_t duration_ns = 0;
  std::array<WorkerCounts, kRoles> workers;  // by Role
  Settings settings;

  uint64_t bytes() const { return workers[static_cast<size_t>(counting_role(settings))].items; }
  double rate() const { return rate_of(bytes(), duration_ns, unit_of(settings)); }
};

struct RunResult {
  std::string name;                       // of the preset, or "custom"
  uint64_t bytes_wanted = 0;              // of --bytes; 0 without
  Snapshot begin;                         // when the measurement began
  Snapshot end;                           // when it ended, with data still flowing
  Snapshot last;                          // after both workers finished
  std::array<TimeShares, kRoles> shares;  // by Role, over the measurement
  Reading<double> steal_share;            // of all CPUs' time during the measurement
  int ended_by_signal = 0;

  // Or whatever else the workload counts. By the role that counts, so that they equal its own
  // figures.
  uint64_t bytes() const;
  uint64_t duration_ns() const { return end.now_ns - begin.now_ns; }
  double rate() const;  // the mean, in the workload's unit
};

// A trial as a run, with data still flowing.
RunResult run_result(const std::string& name, const Trial& trial, uint64_t bytes_wanted);

Interval interval_between(const Snapshot& begin, const Snapshot& before, const Snapshot& after);

// The exit code for a result, and messages for the user.
struct Assessment {
  Exit exit = Exit::ok;
  std::vector<std::string> warnings;  // one line each; some without an exit code

  // The first exit code counts: later ones follow from it, or matter less.
  void warn(Exit exit, std::string warning);
  // If the host stole much of the time; `consequence` is "the rate is unreliable".
  void warn_of_steal(const Reading<double>& steal_share, std::string_view consequence);
};
Assessment assess(const RunResult& result);

}  // namespace pipetop::tui
