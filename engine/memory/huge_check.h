// Do a process's pages really lie in huge pages? Asked of the kernel.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <istream>

#include "engine/reading.h"

namespace pipetop {

// Bytes of [address, address + bytes) that lie in huge pages, from text in the
// format of /proc/PID/smaps. A mapping that sticks out of the range counts up
// to its overlap.
uint64_t huge_bytes_in_smaps(std::istream& smaps, uint64_t address, uint64_t bytes);

// Whether all of the range lies in huge pages; unavailable when smaps cannot be read.
Reading<bool> check_huge(pid_t pid, uint64_t address, uint64_t bytes);

}  // namespace pipetop
