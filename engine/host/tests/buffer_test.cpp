#include "engine/host/buffer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace pipetop {
namespace {

uint64_t address_of(const Buffer& buffer) { return reinterpret_cast<uintptr_t>(buffer.data); }

TEST(Buffer, IsAlignedTouchedAndFilled) {
  for (const Pages pages : {Pages::k4, Pages::thp}) {
    const Buffer buffer = map_buffer({pages, 256 * 1024, true, false});
    ASSERT_NE(buffer.data, nullptr);
    EXPECT_EQ(address_of(buffer) % (pages == Pages::k4 ? kPageBytes : kHugePageBytes), 0u);
    EXPECT_TRUE(
        std::all_of(buffer.data, buffer.data + 256 * 1024, [](char c) { return c == 'X'; }));
  }
}

TEST(Buffer, SmallPagesAreNeverHuge) {
  const Buffer buffer = map_buffer({Pages::k4, 4 * kHugePageBytes, true, false});
  const auto huge = check_huge(::getpid(), address_of(buffer), 4 * kHugePageBytes);
  ASSERT_TRUE(huge.has_value());
  EXPECT_FALSE(*huge);
}

TEST(Buffer, FallsBackWhenThereIsNoHugetlbPage) {
  const Buffer buffer = map_buffer({Pages::hugetlb, 1ull << 40, false, false});
  // Nobody has half a million free huge pages: mapped as something less.
  ASSERT_NE(buffer.data, nullptr);
  EXPECT_NE(buffer.pages, Pages::hugetlb);
  EXPECT_EQ(buffer.pages_error, ENOMEM);
}

TEST(Buffer, ARefusalIsAValueNotAThrow) {
  const Buffer buffer = map_buffer({Pages::k4, 1ull << 62, false, false});
  EXPECT_EQ(buffer.data, nullptr);
  EXPECT_EQ(buffer.error_number, ENOMEM);
}

TEST(FileBuffer, TheFileHoldsWhatTheMemoryDoes) {
  for (const Pages pages : {Pages::k4, Pages::thp, Pages::hugetlb}) {
    const Buffer buffer = map_file_buffer({pages, 256 * 1024, true, false});
    ASSERT_NE(buffer.data, nullptr);
    EXPECT_LE(buffer.pages, Pages::thp);
    EXPECT_EQ(address_of(buffer) % kHugePageBytes, 0u);
    buffer.data[7 * kPageBytes] = 'Y';
    char seen[2] = {};
    ASSERT_EQ(::pread(buffer.file.get(), seen, 2, 7 * kPageBytes), 2);
    EXPECT_EQ(std::string(seen, 2), "YX");
  }
}

TEST(FileBuffer, ARefusalIsAValueNotAThrow) {
  const Buffer buffer = map_file_buffer({Pages::k4, 1ull << 62, true, false});
  EXPECT_EQ(buffer.data, nullptr);
  EXPECT_NE(buffer.error_number, 0);
}

TEST(Mapping, OwnsOnceAcrossMoves) {
  Buffer buffer = map_buffer({Pages::k4, kPageBytes, true, false});
  Mapping mapping = std::move(buffer.mapping);
  EXPECT_FALSE(buffer.mapping);
  auto& same = mapping;
  mapping = std::move(same);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(*static_cast<char*>(mapping.data()), 'X');
}

}  // namespace
}  // namespace pipetop
