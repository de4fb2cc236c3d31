#include "engine/workload/page_cache/splice_probe.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "engine/base/unique_fd.h"
#include "engine/model/settings.h"

namespace pipetop {
namespace {

ZeroCopyProbe unverifiable(const char* operation, int error_number) {
  ZeroCopyProbe probe;
  probe.reason = fmt::format("{}: {}", operation, std::generic_category().message(error_number));
  return probe;
}

bool write_page(int fd, char byte) {
  const std::string page(kPageBytes, byte);
  return ::pwrite(fd, page.data(), page.size(), 0) == static_cast<ssize_t>(page.size());
}

}  // namespace

ZeroCopyProbe probe_splice(int scratch_fd) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return unverifiable("pipe", errno);
  const UniqueFd read_end(ends[0]), write_end(ends[1]);
  if (!write_page(scratch_fd, 'o')) return unverifiable("write", errno);
  loff_t offset = 0;
  if (::splice(scratch_fd, &offset, write_end.get(), nullptr, kPageBytes, SPLICE_F_NONBLOCK) <= 0)
    return unverifiable("splice", errno);
  if (!write_page(scratch_fd, 'n')) return unverifiable("write", errno);
  char seen = 0;
  if (::read(read_end.get(), &seen, 1) != 1) return unverifiable("read", errno);
  if (seen == 'n') return {ZeroCopy::zero_copy, 0, "the pipe saw a change of the file's page"};
  return {ZeroCopy::copied, 0,
          "this kernel's splice copies what it reads from the file (copy_splice_read)"};
}

}  // namespace pipetop
