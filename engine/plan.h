// From what was asked to what can be: pure arithmetic over the knobs and what
// this machine allows, so that every fallback is tested without the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/host/zero_copy_probe.h"
#include "engine/process/placement.h"
#include "engine/settings.h"
#include "engine/snapshot.h"

namespace pipetop {

struct Capabilities {
  ZeroCopyProbe probe;              // of vmsplice
  ZeroCopyProbe file_probe;         // of splice from a file
  std::string thp = "madvise";      // "always", "madvise", "never"; "" without THP
  std::string shmem_thp = "never";  // of memfds: also "within_size", "force", "deny"
  uint64_t pipe_max_bytes = 1 << 20;
  bool may_exceed_pipe_max = false;  // CAP_SYS_RESOURCE
  std::vector<Cpu> cpus;             // that we may run on
};

// Asks the machine.
Capabilities read_capabilities();

struct Plan {
  Settings settings;        // what will be tried; pipe_size is never auto
  int writer_cpu = kNoCpu;  // kNoCpu: not pinned
  int reader_cpu = kNoCpu;
  std::vector<Mismatch> mismatches;
};

Plan make_plan(const Settings& requested, const Capabilities& machine);

}  // namespace pipetop
