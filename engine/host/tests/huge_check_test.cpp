#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <sstream>

#include "engine/base/handles.h"
#include "engine/host/buffer.h"

namespace pipetop {
namespace {

constexpr const char* kSmaps =
    "7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \n"
    "Size:               2048 kB\n"
    "KernelPageSize:        4 kB\n"
    "Rss:                2048 kB\n"
    "AnonHugePages:      2048 kB\n"
    "7f0000200000-7f0000400000 rw-p 00000000 00:00 0 \n"
    "Size:               2048 kB\n"
    "KernelPageSize:        4 kB\n"
    "Rss:                 128 kB\n"
    "AnonHugePages:         0 kB\n"
    "7f0000400000-7f0000600000 rw-p 00000000 00:0f 12 /anon_hugepage (deleted)\n"
    "KernelPageSize:     2048 kB\n"
    "AnonHugePages:         0 kB\n"
    "7f0000600000-7f0000800000 rw-s 00000000 00:01 13 /memfd:pipetop-source (deleted)\n"
    "KernelPageSize:        4 kB\n"
    "Rss:                2048 kB\n"
    "AnonHugePages:         0 kB\n"
    "ShmemPmdMapped:     2048 kB\n";

SmapsBytes found(uint64_t address, uint64_t bytes) {
  std::istringstream smaps(kSmaps);
  return bytes_in_smaps(smaps, address, bytes);
}
uint64_t huge_bytes(uint64_t address, uint64_t bytes) { return found(address, bytes).huge; }

TEST(HugeCheck, CountsTransparentHugePages) {
  EXPECT_EQ(huge_bytes(0x7f0000000000, 0x40000), 0x40000u);
  EXPECT_EQ(huge_bytes(0x7f0000200000, 0x40000), 0u);
}

TEST(HugeCheck, CountsHugetlbPages) { EXPECT_EQ(huge_bytes(0x7f0000400000, 0x40000), 0x40000u); }

TEST(HugeCheck, CountsHugePagesOfAMemfd) {
  EXPECT_EQ(huge_bytes(0x7f0000600000, 0x40000), 0x40000u);
}

TEST(HugeCheck, ARangeAcrossMappingsCountsItsParts) {
  EXPECT_EQ(huge_bytes(0x7f0000000000, 0x600000), 0x400000u);
  EXPECT_EQ(huge_bytes(0x600000, 0x1000), 0u);
}

TEST(HugeCheck, KnowsWhatIsInMemoryAtAll) {
  EXPECT_EQ(found(0x7f0000000000, 0x40000).present, 0x40000u);
  EXPECT_EQ(found(0x7f0000200000, 0x40000).present, 0x20000u);
  EXPECT_EQ(found(0x7f0000400000, 0x40000).present, 0x40000u);
}

TEST(HugeCheck, PagesThatWereNeverTouchedAreNoPages) {
  void* memory = ::mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const Mapping mapping(memory, 65536);
  ::madvise(memory, 65536, MADV_NOHUGEPAGE);
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const Reading<bool> untouched = check_huge(::getpid(), address, 65536);
  EXPECT_EQ(untouched.status, ReadingStatus::unavailable);
  EXPECT_NE(untouched.reason.find("0B of 64KiB"), std::string::npos) << untouched.reason;
  std::memset(memory, 'X', 65536);
  const Reading<bool> touched = check_huge(::getpid(), address, 65536);
  ASSERT_TRUE(touched.has_value()) << touched.reason;
  EXPECT_FALSE(*touched);
}

TEST(HugeCheck, AProcessThatIsGoneIsUnavailable) {
  EXPECT_EQ(check_huge(-1, 0, 4096).status, ReadingStatus::unavailable);
}

}  // namespace
}  // namespace pipetop
