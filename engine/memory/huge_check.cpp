#include "engine/memory/huge_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "engine/settings.h"

namespace pipetop {

uint64_t huge_bytes_in_smaps(std::istream& smaps, uint64_t address, uint64_t bytes) {
  uint64_t huge = 0, overlap = 0;
  std::string line;
  while (std::getline(smaps, line)) {
    uint64_t begin = 0, end = 0, kib = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " ", &begin, &end) == 2) {
      const uint64_t from = std::max(begin, address), to = std::min(end, address + bytes);
      overlap = to > from ? to - from : 0;
    } else if (overlap > 0 && std::sscanf(line.c_str(), "AnonHugePages: %" SCNu64, &kib) == 1) {
      huge += std::min(overlap, kib * 1024);
    } else if (overlap > 0 && std::sscanf(line.c_str(), "KernelPageSize: %" SCNu64, &kib) == 1 &&
               kib * 1024 > kPageBytes) {
      huge += overlap;  // hugetlb
    }
  }
  return huge;
}

Reading<bool> check_huge(pid_t pid, uint64_t address, uint64_t bytes) {
  std::ifstream smaps(fmt::format("/proc/{}/smaps", pid));
  if (!smaps)
    return Reading<bool>::unavailable(fmt::format("/proc/{}/smaps: {}", pid, std::strerror(errno)));
  return Reading<bool>::of(bytes > 0 && huge_bytes_in_smaps(smaps, address, bytes) >= bytes);
}

}  // namespace pipetop
