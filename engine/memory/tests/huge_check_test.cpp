#include "engine/memory/huge_check.h"

#include <gtest/gtest.h>

#include <sstream>

namespace pipetop {
namespace {

constexpr const char* kSmaps =
    "7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \n"
    "Size:               2048 kB\n"
    "KernelPageSize:        4 kB\n"
    "AnonHugePages:      2048 kB\n"
    "7f0000200000-7f0000400000 rw-p 00000000 00:00 0 \n"
    "Size:               2048 kB\n"
    "KernelPageSize:        4 kB\n"
    "AnonHugePages:         0 kB\n"
    "7f0000400000-7f0000600000 rw-p 00000000 00:0f 12 /anon_hugepage (deleted)\n"
    "KernelPageSize:     2048 kB\n"
    "AnonHugePages:         0 kB\n";

uint64_t huge_bytes(uint64_t address, uint64_t bytes) {
  std::istringstream smaps(kSmaps);
  return huge_bytes_in_smaps(smaps, address, bytes);
}

TEST(HugeCheck, CountsTransparentHugePages) {
  EXPECT_EQ(huge_bytes(0x7f0000000000, 0x40000), 0x40000u);
  EXPECT_EQ(huge_bytes(0x7f0000200000, 0x40000), 0u);
}

TEST(HugeCheck, CountsHugetlbPages) { EXPECT_EQ(huge_bytes(0x7f0000400000, 0x40000), 0x40000u); }

TEST(HugeCheck, ARangeAcrossMappingsCountsItsParts) {
  EXPECT_EQ(huge_bytes(0x7f0000000000, 0x600000), 0x400000u);
  EXPECT_EQ(huge_bytes(0x600000, 0x1000), 0u);
}

TEST(HugeCheck, AProcessThatIsGoneIsUnavailable) {
  EXPECT_EQ(check_huge(-1, 0, 4096).status, ReadingStatus::unavailable);
}

}  // namespace
}  // namespace pipetop
