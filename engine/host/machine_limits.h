// What this machine allows; whether vmsplice, and splice from a file, are zero copy on this kernel
// is tested instead of checking its version.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/host/host.h"
#include "engine/model/snapshot.h"
#include "engine/process/placement.h"

namespace pipetop {

struct ZeroCopyProbe {
  ZeroCopy result = ZeroCopy::unverifiable;
  int vmsplice_errno = 0;  // why vmsplice failed; 0 if it did not
  std::string reason;      // in words, whatever the result
};

// Lends a page to a temporary pipe, changes the page, and reads the pipe: if the
// byte has changed, the pipe held the page itself.
ZeroCopyProbe probe_zero_copy();

// The same with splice from a temporary file or a memfd.
ZeroCopyProbe probe_file_zero_copy(int scratch_fd);
ZeroCopyProbe probe_file_zero_copy();

// ---- what this machine allows ----

struct Capabilities {
  ZeroCopyProbe probe;       // of vmsplice
  ZeroCopyProbe file_probe;  // of splice from a file
  ThpSetting thp = {"madvise", {}};
  ThpSetting shmem_thp = {"never", {}};  // of memfds
  uint64_t pipe_max_bytes = 1 << 20;     // if it cannot be read: the kernel's default
  bool may_exceed_pipe_max = false;      // CAP_SYS_RESOURCE
  std::vector<Cpu> cpus;                 // that this process may run on
};

// Counts pages of 2 MiB: reserved ones that are free, and those that may be reserved now.
uint64_t free_huge_pages();

// Queries the machine.
Capabilities read_capabilities();

}  // namespace pipetop
