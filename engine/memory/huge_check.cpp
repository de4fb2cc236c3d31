#include "engine/memory/huge_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "engine/base/text.h"
#include "engine/model/settings.h"

namespace pipetop {

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
