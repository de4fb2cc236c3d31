// A buffer in the page cache. Uses a memfd, not a file on a disk: it needs no
// writable directory, leaves nothing behind, and stamps that change thousands of
// times a second are not written to a disk.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/memory/buffer.h"

namespace pipetop {
namespace {

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
  const uint64_t start = round_up(reinterpret_cast<uintptr_t>(range), kHugePageBytes);
  void* data = ::mmap(reinterpret_cast<void*>(start), bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_FIXED, buffer.file.get(), 0);
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

Buffer map_file_buffer(const BufferRequest& request) {
  const uint64_t bytes =
      round_up(request.bytes, request.pages == Pages::k4 ? kPageBytes : kHugePageBytes);
  Buffer buffer;
  buffer.file = make_file(bytes);
  if (!buffer.file || !map_file(buffer, bytes)) return refused(errno);
  choose_pages(buffer, request, bytes);
  if (request.touch && !populate(buffer.data, request.bytes)) return refused(ENOMEM);
  if (request.lock && ::mlock(buffer.data, request.bytes) != 0) buffer.lock_error = errno;
  if (request.touch) std::memset(buffer.data, 'X', request.bytes);
  return buffer;
}

}  // namespace pipetop
