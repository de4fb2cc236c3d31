#include "engine/host/machine_limits.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/base/system_files.h"
#include "engine/host/buffer.h"
#include "engine/host/host.h"
#include "engine/model/settings.h"
#include "engine/process/privileges.h"

namespace pipetop {
namespace {

ZeroCopyProbe unverifiable(const char* operation, int error_number) {
  return {ZeroCopy::unverifiable, 0, SystemError(operation, error_number).what()};
}

// Sandboxes often do not allow vmsplice.
ZeroCopyProbe vmsplice_refused(int error_number) {
  return {ZeroCopy::unverifiable, error_number,
          SystemError("vmsplice was refused", error_number).what()};
}

// write(byte) fills the page, lend(pipe_fd) puts it into the pipe. Both return false with errno set
// on failure. `owner` is the page's owner in the result's text.
template <class Write, class Lend>
ZeroCopyProbe watch_a_change(Write write, Lend lend, ZeroCopyProbe (*when_refused)(int),
                             std::string_view owner) {
  const PipeEnds pipe = open_pipe(O_CLOEXEC | O_NONBLOCK);
  if (!pipe) return unverifiable("pipe", errno);
  if (!write('o')) return unverifiable("write", errno);
  if (!lend(pipe.write.get())) return when_refused(errno);
  if (!write('n')) return unverifiable("write", errno);
  char seen = 0;
  if (read(pipe.read.get(), &seen, 1) != 1) return unverifiable("read", errno);
  if (seen == 'n')
    return {ZeroCopy::zero_copy, 0,
            fmt::format("the pipe holds the {}'s own page, not a copy", owner)};
  return {ZeroCopy::copied, 0, "the pipe holds a copy of the page"};
}

constexpr BufferRequest kOnePage = {Pages::k4, kPageBytes, true, false};

}  // namespace

ZeroCopyProbe probe_zero_copy() {
  const Buffer page = map_buffer(kOnePage);
  if (page.data == nullptr) return unverifiable("mmap", page.error_number);
  // Volatile: the kernel reads the byte behind the compiler's back.
  const auto write = [data = static_cast<volatile char*>(page.data)](char byte) {
    *data = byte;
    return true;
  };
  const auto lend = [&](int pipe_fd) {
    const iovec lent{page.data, kPageBytes};
    return vmsplice(pipe_fd, &lent, 1, SPLICE_F_NONBLOCK) >= 0;
  };
  return watch_a_change(write, lend, vmsplice_refused, "writer");
}

ZeroCopyProbe probe_file_zero_copy(int scratch_fd) {
  const auto write = [&](char byte) {
    const std::string page(kPageBytes, byte);
    return pwrite(scratch_fd, page.data(), page.size(), 0) == ssize_t{kPageBytes};
  };
  const auto lend = [&](int pipe_fd) {
    loff_t offset = 0;
    return splice(scratch_fd, &offset, pipe_fd, nullptr, kPageBytes, SPLICE_F_NONBLOCK) > 0;
  };
  return watch_a_change(
      write, lend, [](int error) { return unverifiable("splice from a file", error); }, "file");
}

ZeroCopyProbe probe_file_zero_copy() {
  const UniqueFd memory(memfd_create("pipetop-probe", MFD_CLOEXEC));
  return memory ? probe_file_zero_copy(memory.get()) : unverifiable("memfd_create", errno);
}

uint64_t free_huge_pages() {
  const auto number = [](const char* file) {
    return read_number(fmt::format("/sys/kernel/mm/hugepages/hugepages-2048kB/{}", file), 0);
  };
  const long long reserved = number("free_hugepages") - number("resv_hugepages");
  const long long on_demand = number("nr_overcommit_hugepages") - number("surplus_hugepages");
  return static_cast<uint64_t>(std::max(reserved, 0ll) + std::max(on_demand, 0ll));
}

Capabilities read_capabilities() {
  const HostInfo host = read_host();
  Capabilities machine;
  machine.probe = probe_zero_copy();
  machine.file_probe = probe_file_zero_copy();
  machine.thp = read_thp("enabled");
  machine.shmem_thp = read_thp("shmem_enabled");
  if (host.pipe_max_size != 0) machine.pipe_max_bytes = host.pipe_max_size;
  machine.may_exceed_pipe_max = (effective_capabilities() & capabilities({CAP_SYS_RESOURCE})) != 0;
  machine.cpus = read_topology();
  return machine;
}

}  // namespace pipetop
