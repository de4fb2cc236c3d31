#include "engine/host/buffer.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "engine/base/text.h"

namespace pipetop {
namespace {

// False, with errno in `error`, if there is no memory.
bool map_anonymous(Buffer& buffer, uint64_t bytes, int flags, int& error) {
  void* data =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (data == MAP_FAILED) {
    error = errno;
    return false;
  }
  buffer.mapping = Mapping(data, bytes);
  buffer.data = static_cast<char*>(data);
  return true;
}

char* align_huge(void* data) {
  return reinterpret_cast<char*>(round_up(reinterpret_cast<uintptr_t>(data), kHugePageBytes));
}

bool map_hugetlb(Buffer& buffer, uint64_t bytes) {
  // Reserved at once, so that a missing huge page is ENOMEM here, not SIGBUS later.
  if (!map_anonymous(buffer, round_up(bytes, kHugePageBytes), MAP_HUGETLB | (21 << MAP_HUGE_SHIFT),
                     buffer.pages_error))
    return false;
  buffer.pages = Pages::hugetlb;
  return true;
}

// One huge page more than needed, to align the start.
void map_thp(Buffer& buffer, uint64_t bytes) {
  const uint64_t rounded = round_up(bytes, kHugePageBytes);
  if (!map_anonymous(buffer, rounded + kHugePageBytes, MAP_NORESERVE, buffer.error_number)) return;
  buffer.data = align_huge(buffer.data);
  if (::madvise(buffer.data, rounded, MADV_HUGEPAGE) == 0) {
    buffer.pages = Pages::thp;
  } else {
    buffer.pages_error = errno;  // a kernel without THP
  }
}

void map_small(Buffer& buffer, uint64_t bytes) {
  if (!map_anonymous(buffer, bytes, 0, buffer.error_number)) return;
  // If THP are always on, 4k pages must be requested. In a kernel without THP this
  // fails, but pages are small anyway.
  ::madvise(buffer.data, bytes, MADV_NOHUGEPAGE);
}

Buffer lock_and_fill(Buffer buffer, const BufferRequest& request) {
  if (request.lock && ::mlock(buffer.data, request.bytes) != 0) buffer.lock_error = errno;
  if (request.touch) std::memset(buffer.data, 'X', request.bytes);
  return buffer;
}

// ---- in the page cache -------------------------------------------------------
// A memfd, not a file on a disk: it needs no writable directory, leaves nothing behind,
// and stamps that change thousands of times a second are not written to a disk.

Buffer refused(int error_number) {
  Buffer buffer;
  buffer.error_number = error_number;
  return buffer;
}

UniqueFd make_file(uint64_t bytes) {
  UniqueFd file(::memfd_create("pipetop-source", MFD_CLOEXEC));
  if (file && ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) file.reset();
  return file;
}

// Aligned, because the kernel makes huge pages only then: within an address range that is larger by
// one huge page.
bool map_file(Buffer& buffer, uint64_t bytes) {
  const uint64_t reserved = bytes + kHugePageBytes;
  void* range =
      ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return false;
  buffer.mapping = Mapping(range, reserved);
  void* data = ::mmap(align_huge(range), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                      buffer.file.get(), 0);
  if (data == MAP_FAILED) return false;
  buffer.data = static_cast<char*>(data);
  return true;
}

void choose_pages(Buffer& buffer, const BufferRequest& request, uint64_t bytes) {
  const bool huge = request.pages != Pages::k4;
  const bool granted =
      ::madvise(buffer.data, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0 && huge;
  if (huge && !granted) buffer.pages_error = errno;
  buffer.pages = granted ? Pages::thp : Pages::k4;
}

// Just writing would end in SIGBUS without memory. Kernels before 5.14 have no
// other way.
bool populate(char* data, uint64_t bytes) {
  return ::madvise(data, bytes, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
}

}  // namespace

Buffer map_buffer(const BufferRequest& request) {
  Buffer buffer;
  const bool hugetlb = request.pages == Pages::hugetlb && map_hugetlb(buffer, request.bytes);
  if (request.pages == Pages::k4) {
    map_small(buffer, request.bytes);
  } else if (!hugetlb) {
    map_thp(buffer, request.bytes);
  }
  if (!buffer.data) return buffer;
  return lock_and_fill(std::move(buffer), request);
}

Buffer map_file_buffer(const BufferRequest& request) {
  const uint64_t bytes =
      round_up(request.bytes, request.pages == Pages::k4 ? kPageBytes : kHugePageBytes);
  Buffer buffer;
  buffer.file = make_file(bytes);
  if (!buffer.file || !map_file(buffer, bytes)) return refused(errno);
  choose_pages(buffer, request, bytes);
  if (request.touch && !populate(buffer.data, request.bytes)) return refused(ENOMEM);
  return lock_and_fill(std::move(buffer), request);
}

SmapsBytes bytes_in_smaps(std::istream& smaps, uint64_t address, uint64_t bytes) {
  SmapsBytes found;
  uint64_t overlap = 0;
  std::string line;
  while (std::getline(smaps, line)) {
    uint64_t begin = 0, end = 0, kib = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " ", &begin, &end) == 2) {
      if (begin >= address + bytes) break;  // sorted; the kernel works for every line
      const uint64_t from = std::max(begin, address), to = std::min(end, address + bytes);
      overlap = to > from ? to - from : 0;
    } else if (overlap == 0) {
      continue;
    } else if (std::sscanf(line.c_str(), "Rss: %" SCNu64, &kib) == 1) {
      found.present += std::min(overlap, kib * 1024);
    } else if (std::sscanf(line.c_str(), "AnonHugePages: %" SCNu64, &kib) == 1 ||
               std::sscanf(line.c_str(), "ShmemPmdMapped: %" SCNu64, &kib) == 1) {
      found.huge += std::min(overlap, kib * 1024);
    } else if (std::sscanf(line.c_str(), "KernelPageSize: %" SCNu64, &kib) == 1 &&
               kib * 1024 > kPageBytes) {
      found.present += overlap;  // hugetlb, which Rss leaves out
      found.huge += overlap;
    }
  }
  return found;
}

Reading<bool> check_huge(pid_t pid, uint64_t address, uint64_t bytes) {
  std::ifstream smaps(fmt::format("/proc/{}/smaps", pid));
  if (!smaps)
    return Reading<bool>::unavailable(fmt::format("/proc/{}/smaps: {}", pid, std::strerror(errno)));
  const SmapsBytes found = bytes_in_smaps(smaps, address, bytes);
  const bool huge = bytes > 0 && found.huge >= bytes;
  if (huge || found.present >= bytes) return Reading<bool>::of(huge);
  return Reading<bool>::unavailable(
      fmt::format("{} of {} are in memory, the rest was never touched; set touch_pages true",
                  format_size(found.present), format_size(bytes)));
}

}  // namespace pipetop
