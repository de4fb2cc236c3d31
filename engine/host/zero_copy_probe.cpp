#include "engine/host/zero_copy_probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "engine/mapping.h"
#include "engine/settings.h"
#include "engine/unique_fd.h"

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

}  // namespace

ZeroCopyProbe probe_zero_copy() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return unverifiable("pipe", errno);
  const UniqueFd read_end(ends[0]), write_end(ends[1]);
  void* memory =
      mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return unverifiable("mmap", errno);
  const Mapping page(memory, kPageBytes);
  // Volatile: the kernel reads the byte behind the compiler's back.
  volatile char* byte = static_cast<char*>(memory);
  *byte = 'o';
  const iovec lent{memory, kPageBytes};
  if (vmsplice(write_end.get(), &lent, 1, SPLICE_F_NONBLOCK) < 0) return refused(errno);
  *byte = 'n';
  char seen = 0;
  if (read(read_end.get(), &seen, 1) != 1) return unverifiable("read", errno);
  if (seen == 'n') return {ZeroCopy::zero_copy, 0, "the pipe saw a change of the page it was lent"};
  return {ZeroCopy::copied, 0, "the pipe kept what the page held before a change"};
}

}  // namespace pipetop
