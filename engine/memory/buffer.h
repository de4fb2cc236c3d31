// Memory that is piped from or read into: 4 KiB, transparent huge or hugetlb
// pages, and what was really granted of them.
#pragma once

#include <cstdint>

#include "engine/base/mapping.h"
#include "engine/base/unique_fd.h"
#include "engine/model/settings.h"

namespace pipetop {

struct BufferRequest {
  Pages pages = Pages::k4;
  uint64_t bytes = 0;
  bool touch = true;  // fault all of it in, filled with 'X'
  bool lock = false;  // mlock
  bool operator==(const BufferRequest&) const = default;
};

// Always its own mapping, never malloc: pages that still lie in a pipe may be
// unmapped (the pipe holds a reference) but must not be used for something else.
struct Buffer {
  UniqueFd file;  // of the same bytes, if it lies in the page cache
  Mapping mapping;
  char* data = nullptr;     // aligned to its kind of page; nullptr if refused
  Pages pages = Pages::k4;  // mapped as; whether THP were found is for smaps to say
  int error_number = 0;     // why there is no memory
  int pages_error = 0;      // why `pages` is less than requested
  int lock_error = 0;       // why it is not locked
};

// Falls back hugetlb -> thp -> 4k. Never throws.
Buffer map_buffer(const BufferRequest& request);

// In the page cache, where splice(2) finds it. There are no hugetlb pages of that
// kind that could be spliced: falls back to thp, which asks for them, and 4k. The
// memory is refused, never a SIGBUS later, if `touch`. Never throws.
Buffer map_file_buffer(const BufferRequest& request);

// To whole units.
constexpr uint64_t round_up(uint64_t bytes, uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace pipetop
