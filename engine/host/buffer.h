// Memory to write from or read into: 4 KiB, transparent huge or hugetlb pages, and
// what was really granted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <iosfwd>

#include "engine/base/handles.h"
#include "engine/base/reading.h"
#include "engine/model/settings.h"

namespace pipetop {

struct BufferRequest {
  Pages pages = Pages::k4;
  uint64_t bytes = 0;
  bool touch = true;  // fault in everything, filled with 'X'
  bool lock = false;  // mlock
  bool operator==(const BufferRequest&) const = default;
};

// Always its own mapping, never malloc: pages that are still in a pipe may be
// unmapped (the pipe holds a reference) but must not be reused.
struct Buffer {
  UniqueFd file;  // of the same bytes, if they are in the page cache
  Mapping mapping;
  char* data = nullptr;     // aligned to its kind of page; nullptr on failure
  Pages pages = Pages::k4;  // as mapped; smaps shows whether THP were granted
  int error_number = 0;     // why there is no memory
  int pages_error = 0;      // why `pages` is less than requested
  int lock_error = 0;       // why it is not locked
};

// Falls back hugetlb -> thp -> 4k. Never throws.
Buffer map_buffer(const BufferRequest& request);

// In the page cache, for splice(2). hugetlb pages cannot be spliced from: falls
// back to thp, then 4k. With `touch`, missing memory is an error here and not a
// SIGBUS later. Never throws.
Buffer map_file_buffer(const BufferRequest& request);

struct SmapsBytes {
  uint64_t present = 0;  // resident; the zero page, which untouched pages read as, does not count
  uint64_t huge = 0;     // in huge pages
};

// Sums up [address, address + bytes), from text in the format of /proc/PID/smaps. A
// mapping counts up to its overlap with the range.
SmapsBytes bytes_in_smaps(std::istream& smaps, uint64_t address, uint64_t bytes);

// Whether the whole range of a process is in huge pages; unavailable if smaps cannot be
// read, or while part of the range is not resident.
Reading<bool> check_huge(pid_t pid, uint64_t address, uint64_t bytes);

// To whole units.
constexpr uint64_t round_up(uint64_t bytes, uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace pipetop
