#include "engine/memory/buffer.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace pipetop {
namespace {

Mapping map_anonymous(uint64_t bytes, int flags) {
  void* data =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return data == MAP_FAILED ? Mapping() : Mapping(data, bytes);
}

bool map_hugetlb(Buffer& buffer, uint64_t bytes) {
  // Reserved at once, so that a missing huge page is ENOMEM here, not SIGBUS later.
  buffer.mapping =
      map_anonymous(round_up(bytes, kHugePageBytes), MAP_HUGETLB | (21 << MAP_HUGE_SHIFT));
  if (!buffer.mapping) {
    buffer.pages_error = errno;
    return false;
  }
  buffer.data = static_cast<char*>(buffer.mapping.data());
  buffer.pages = Pages::hugetlb;
  return true;
}

// One huge page more than needed, to align the start.
bool map_thp(Buffer& buffer, uint64_t bytes) {
  const uint64_t rounded = round_up(bytes, kHugePageBytes);
  buffer.mapping = map_anonymous(rounded + kHugePageBytes, MAP_NORESERVE);
  if (!buffer.mapping) {
    buffer.error_number = errno;
    return false;
  }
  const uint64_t start = reinterpret_cast<uintptr_t>(buffer.mapping.data());
  buffer.data = reinterpret_cast<char*>(round_up(start, kHugePageBytes));
  if (::madvise(buffer.data, rounded, MADV_HUGEPAGE) != 0) {
    buffer.pages_error = errno;  // a kernel without THP
    buffer.pages = Pages::k4;
  } else {
    buffer.pages = Pages::thp;
  }
  return true;
}

bool map_small(Buffer& buffer, uint64_t bytes) {
  buffer.mapping = map_anonymous(bytes, 0);
  if (!buffer.mapping) {
    buffer.error_number = errno;
    return false;
  }
  // If THP are always on, 4k pages must be requested. In a kernel without THP this
  // fails, but pages are small anyway.
  ::madvise(buffer.mapping.data(), bytes, MADV_NOHUGEPAGE);
  buffer.data = static_cast<char*>(buffer.mapping.data());
  buffer.pages = Pages::k4;
  return true;
}

bool map_pages(Buffer& buffer, const BufferRequest& request) {
  if (request.pages == Pages::hugetlb && map_hugetlb(buffer, request.bytes)) return true;
  if (request.pages != Pages::k4) return map_thp(buffer, request.bytes);
  return map_small(buffer, request.bytes);
}

}  // namespace

Buffer map_buffer(const BufferRequest& request) {
  Buffer buffer;
  if (!map_pages(buffer, request)) return buffer;
  if (request.lock && ::mlock(buffer.data, request.bytes) != 0) buffer.lock_error = errno;
  if (request.touch) std::memset(buffer.data, 'X', request.bytes);
  return buffer;
}

}  // namespace pipetop
