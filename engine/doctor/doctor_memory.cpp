#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "engine/base/text.h"
#include "engine/base/unique_fd.h"
#include "engine/doctor/doctor_checks.h"
#include "engine/host/host_files.h"
#include "engine/memory/buffer.h"

namespace pipetop {
namespace {

constexpr const char* kThp = "/sys/kernel/mm/transparent_hugepage/enabled";

Check check_thp() {
  const std::string name = "huge pages (thp)";
  const std::string setting = bracketed(read_head(kThp));
  const std::string turn_on = fmt::format("echo madvise | sudo tee {}", kThp);
  if (setting.empty())
    return {name, CheckResult::missing, "none", "the kernel was built without them",
            "boot a kernel with CONFIG_TRANSPARENT_HUGEPAGE=y"};
  if (setting == "never")
    return {name, CheckResult::missing, "never", "they are turned off", turn_on};
  const Buffer buffer = map_buffer({.pages = Pages::thp, .bytes = kHugePageBytes});
  const auto address = reinterpret_cast<uintptr_t>(buffer.data);
  const Reading<bool> huge = check_huge(getpid(), address, kHugePageBytes);
  if (!huge.has_value())
    return {name, CheckResult::limited, setting + ", unverified", huge.reason, ""};
  if (*huge) return works(name, setting + ", granted");
  return {name, CheckResult::limited, setting + ", not granted",
          "2 MiB were requested but came as 4 KiB pages: memory is fragmented",
          "echo 1 | sudo tee /proc/sys/vm/compact_memory"};
}

Check check_hugetlb() {
  const std::string name = "huge pages (hugetlb)";
  const std::string meminfo = read_head("/proc/meminfo");
  const uint64_t free = meminfo_value(meminfo, "HugePages_Free");
  const std::string found =
      fmt::format("{} of {} free", free, meminfo_value(meminfo, "HugePages_Total"));
  const Buffer buffer = map_buffer({.pages = Pages::hugetlb, .bytes = kHugePageBytes});
  if (buffer.pages == Pages::hugetlb && buffer.data != nullptr) return works(name, found);
  const int error = buffer.pages_error != 0 ? buffer.pages_error : buffer.error_number;
  return {name, CheckResult::missing, found, free == 0 ? "none are reserved" : errno_text(error),
          "sudo sysctl vm.nr_hugepages=16"};
}

// Two buffers of the usual size.
Check check_lock() {
  const std::string name = "locked memory";
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const std::string found =
      limit.rlim_cur == RLIM_INFINITY ? "no limit" : "limit " + format_size(limit.rlim_cur);
  const Buffer buffer = map_buffer({.bytes = 2 * Settings{}.pipe.buf_size, .lock = true});
  if (buffer.lock_error == 0 && buffer.data != nullptr) return works(name, found);
  return {name, CheckResult::limited, found, errno_text(buffer.lock_error),
          "sudo prlimit --pid $$ --memlock=unlimited"};
}

constexpr uint64_t kPresent = 1ull << 63;
constexpr uint64_t kFrameMask = (1ull << 55) - 1;

// The frame number of the page at `address`; 0 if it is hidden.
uint64_t frame_of(int pagemap, const void* address) {
  uint64_t entry = 0;
  const auto offset = off_t(reinterpret_cast<uintptr_t>(address) / kPageBytes * sizeof entry);
  if (pread(pagemap, &entry, sizeof entry, offset) != ssize_t(sizeof entry)) return 0;
  return (entry & kPresent) != 0 ? entry & kFrameMask : 0;
}

Check check_page_flags() {
  const std::string name = "page flags";
  const UniqueFd pagemap(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  const UniqueFd flags(open("/proc/kpageflags", O_RDONLY | O_CLOEXEC));
  if (!flags)
    return {name, CheckResult::limited, "huge pages are detected from smaps only",
            "/proc/kpageflags: " + errno_text(errno), "run as root: sudo pipetop"};
  int here = 1;
  if (!pagemap || frame_of(pagemap.get(), &here) == 0)
    return {name, CheckResult::limited, "huge pages are detected from smaps only",
            "/proc/self/pagemap hides frame numbers", "run as root: sudo pipetop"};
  return works(name, "pagemap and kpageflags");
}

}  // namespace

Checks check_memory() { return {check_thp(), check_hugetlb(), check_lock(), check_page_flags()}; }

}  // namespace pipetop
