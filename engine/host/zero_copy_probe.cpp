#include "engine/host/zero_copy_probe.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "engine/base/unique_fd.h"
#include "engine/memory/buffer.h"
#include "engine/model/settings.h"

namespace pipetop {
namespace {

ZeroCopyProbe unverifiable(const char* operation, int error_number) {
  ZeroCopyProbe probe;
  probe.reason = fmt::format("{}: {}", operation, std::generic_category().message(error_number));
  return probe;
}

// vmsplice is not part of the core of Linux: sandboxes leave it out.
ZeroCopyProbe refused(int error_number) {
  ZeroCopyProbe probe = unverifiable("vmsplice was refused", error_number);
  probe.vmsplice_errno = error_number;
  return probe;
}

// lend(pipe_fd) puts the page at `memory` into the pipe; -1 with errno.
template <class Lend>
ZeroCopyProbe watch_a_change(char* memory, Lend lend, ZeroCopyProbe (*when_refused)(int)) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return unverifiable("pipe", errno);
  const UniqueFd read_end(ends[0]), write_end(ends[1]);
  // Volatile: the kernel reads the byte behind the compiler's back.
  volatile char* byte = memory;
  *byte = 'o';
  if (lend(write_end.get()) < 0) return when_refused(errno);
  *byte = 'n';
  char seen = 0;
  if (read(read_end.get(), &seen, 1) != 1) return unverifiable("read", errno);
  if (seen == 'n') return {ZeroCopy::zero_copy, 0, "the pipe saw a change of the page it was lent"};
  return {ZeroCopy::copied, 0, "the pipe kept what the page held before a change"};
}

constexpr BufferRequest kOnePage = {Pages::k4, kPageBytes, true, false};

}  // namespace

ZeroCopyProbe probe_zero_copy() {
  const Buffer page = map_buffer(kOnePage);
  if (page.data == nullptr) return unverifiable("mmap", page.error_number);
  const auto lend = [&](int pipe_fd) {
    const iovec lent{page.data, kPageBytes};
    return vmsplice(pipe_fd, &lent, 1, SPLICE_F_NONBLOCK);
  };
  return watch_a_change(page.data, lend, refused);
}

ZeroCopyProbe probe_file_zero_copy() {
  const Buffer page = map_file_buffer(kOnePage);
  if (page.data == nullptr) return unverifiable("memfd_create", page.error_number);
  const auto lend = [&](int pipe_fd) {
    loff_t offset = 0;
    return splice(page.file.get(), &offset, pipe_fd, nullptr, kPageBytes, SPLICE_F_NONBLOCK);
  };
  return watch_a_change(page.data, lend,
                        [](int error) { return unverifiable("splice from a memfd", error); });
}

}  // namespace pipetop
