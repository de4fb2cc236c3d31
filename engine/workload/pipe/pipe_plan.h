// From the requested to possible settings: pure arithmetic over the knobs and the
// machine's limits, so that every fallback can be tested without such a machine. From these to
// the effective ones, by the workers' reports, the ring's granted size and slots, and what the
// kernel says about huge pages and CPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/worker/pipe_command.h"
#include "engine/workload/workload.h"

namespace pipetop {

// The settings that will be tried, where pipe_size is never auto, and their mismatches.
Effective make_plan(const Settings& requested, const Capabilities& machine);

// Why this machine does not have the value of that knob; "" if it does. Only of `pages` and
// `placement`: other knobs depend on each other more than on the machine.
std::string obstacle_of(const Settings& requested, std::string_view knob,
                        const Capabilities& machine, uint64_t free_huge_pages);

struct EffectiveFacts {
  std::optional<PipeReport> writer, reader;  // of the newest command
  uint64_t pipe_bytes = 0;                   // F_GETPIPE_SZ
  int resize_error = 0;
  bool draining = false;     // waiting for the reader to drain the ring
  Reading<bool> huge;        // the writer's buffers, by smaps
  ZeroCopyProbe probe;       // of vmsplice
  ZeroCopyProbe file_probe;  // of splice from a memfd
  Seen seen;
};

Effective make_effective(const Settings& requested, const Effective& plan,
                         const EffectiveFacts& facts);

}  // namespace pipetop
