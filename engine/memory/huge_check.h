// Checks whether a process's memory is really in huge pages.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <istream>

#include "engine/base/reading.h"

namespace pipetop {

struct SmapsBytes {
  uint64_t present = 0;  // resident; the zero page, which untouched pages read as, does not count
  uint64_t huge = 0;     // in huge pages
};

// Of [address, address + bytes), from text in the format of /proc/PID/smaps. A
// mapping counts up to its overlap with the range.
SmapsBytes bytes_in_smaps(std::istream& smaps, uint64_t address, uint64_t bytes);

// Whether the whole range is in huge pages; unavailable if smaps cannot be read, or
// while part of the range is not resident.
Reading<bool> check_huge(pid_t pid, uint64_t address, uint64_t bytes);

}  // namespace pipetop
