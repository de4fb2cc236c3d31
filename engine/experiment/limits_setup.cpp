#include "engine/experiment/limits_setup.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace pipetop {

PipeOwner make_ring(uint64_t bytes) {
  PipeOwner ring;
  const int error = ring.resize(bytes);
  if (error != 0 || ring.capacity_bytes() != bytes)
    throw SystemError(fmt::format("a pipe of {}", format_size(bytes)), error ? error : EPERM);
  for (const int fd : {ring.read_fd(), ring.write_fd()})
    if (::fcntl(fd, F_SETFL, O_NONBLOCK) != 0) throw SystemError("O_NONBLOCK", errno);
  return ring;
}

void check_moved(const char* call, long moved, uint64_t bytes) {
  if (moved < 0) throw SystemError(call, errno);
  if (uint64_t(moved) != bytes)
    throw Error(fmt::format("{} moved {} of {} bytes", call, moved, bytes), Exit::refused);
}

long drain(const PipeOwner& ring, int sink_fd, uint64_t bytes) {
  return ::splice(ring.read_fd(), nullptr, sink_fd, nullptr, bytes, SPLICE_F_NONBLOCK);
}

UniqueFd open_dev_null() {
  UniqueFd fd(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!fd) throw SystemError("/dev/null", errno);
  return fd;
}

Buffer map_certain(Pages pages, uint64_t bytes, bool touch) {
  Buffer buffer = map_buffer({pages, bytes, touch, false});
  if (!buffer.data) throw SystemError("mmap", buffer.error_number);
  if (pages == Pages::hugetlb && buffer.pages != pages)
    throw Error("no free huge pages; sudo sysctl vm.nr_hugepages=16", Exit::refused);
  if (pages != Pages::thp) return buffer;
  const Reading<bool> huge =
      check_huge(::getpid(), reinterpret_cast<uintptr_t>(buffer.data), bytes);
  if (!huge.has_value()) throw Error(huge.reason, Exit::refused);
  if (!*huge) throw Error("the kernel gave no huge page; see pipetop doctor", Exit::refused);
  return buffer;
}

}  // namespace pipetop
