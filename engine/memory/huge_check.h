// Do a process's pages really lie in huge pages? Asked of the kernel.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <istream>

#include "engine/base/reading.h"

namespace pipetop {

struct SmapsBytes {
  uint64_t present = 0;  // in memory; the zero page, which reads of untouched pages get, is not
  uint64_t huge = 0;     // in huge pages
};

// Of [address, address + bytes), from text in the format of /proc/PID/smaps. A
// mapping that sticks out of the range counts up to its overlap.
SmapsBytes bytes_in_smaps(std::istream& smaps, uint64_t address, uint64_t bytes);

// Whether all of the range lies in huge pages; unavailable when smaps cannot be
// read, or while part of the range is not in memory at all.
Reading<bool> check_huge(pid_t pid, uint64_t address, uint64_t bytes);

}  // namespace pipetop
