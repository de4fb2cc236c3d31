// What this machine allows.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/host/host.h"
#include "engine/host/zero_copy_probe.h"
#include "engine/process/placement.h"

namespace pipetop {

struct Capabilities {
  ZeroCopyProbe probe;       // of vmsplice
  ZeroCopyProbe file_probe;  // of splice from a file
  ThpSetting thp = {"madvise", {}};
  ThpSetting shmem_thp = {"never", {}};  // of memfds
  uint64_t pipe_max_bytes = 1 << 20;     // if it cannot be read: the kernel's default
  bool may_exceed_pipe_max = false;      // CAP_SYS_RESOURCE
  std::vector<Cpu> cpus;                 // that this process may run on
};

// Of 2 MiB, reserved ones that are free, and those that may be reserved on demand; now.
uint64_t free_huge_pages();

// Queries the machine.
Capabilities read_capabilities();

}  // namespace pipetop
