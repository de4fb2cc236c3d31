#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "engine/host/buffer.h"
#include "engine/worker/writer_memory.h"

namespace pipetop {
namespace {

class TeeSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(source_.open(kPages * kPageBytes));
    for (uint64_t i = 0; i < kPages; ++i) buffer_.data[i * kPageBytes] = static_cast<char>('a' + i);
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    read_ = UniqueFd(ends[0]);
    write_ = UniqueFd(ends[1]);
  }
  uint64_t held() const {
    int bytes = 0;
    EXPECT_EQ(::ioctl(source_.fd(), FIONREAD, &bytes), 0);
    return static_cast<uint64_t>(bytes);
  }
  // The first byte of the page that tee gives next.
  char next_page() {
    char page[kPageBytes] = {};
    EXPECT_EQ(::tee(source_.fd(), write_.get(), kPageBytes, 0), ssize_t{kPageBytes});
    EXPECT_EQ(::read(read_.get(), page, sizeof page), ssize_t{kPageBytes});
    return page[0];
  }

  static constexpr uint64_t kPages = 8;
  Buffer buffer_ = map_buffer({Pages::k4, kPages* kPageBytes, true, false});
  TeeSource source_;
  uint64_t calls_ = 0;  // of hold() and drop()
  UniqueFd read_, write_;
};

TEST_F(TeeSourceTest, IsFilledOnce) {
  EXPECT_GE(source_.capacity_bytes(), kPages * kPageBytes);
  ASSERT_TRUE(source_.hold(buffer_.data, kPages * kPageBytes, calls_));
  ASSERT_TRUE(source_.hold(buffer_.data, kPages * kPageBytes, calls_));
  EXPECT_EQ(calls_, 1u);
  EXPECT_EQ(held(), kPages * kPageBytes);
  EXPECT_EQ(next_page(), 'a');
  EXPECT_EQ(next_page(), 'a');
}

TEST_F(TeeSourceTest, GoesOnWhereATeeStopped) {
  ASSERT_TRUE(source_.hold(buffer_.data, 4 * kPageBytes, calls_));
  EXPECT_EQ(next_page(), 'a');
  ASSERT_TRUE(source_.drop(kPageBytes, calls_));
  EXPECT_EQ(next_page(), 'b');
  ASSERT_TRUE(source_.drop(kPageBytes, calls_));
  // It holds two pages more, and is asked for three.
  ASSERT_TRUE(source_.hold(buffer_.data + 2 * kPageBytes, 3 * kPageBytes, calls_));
  EXPECT_EQ(held(), 3 * kPageBytes);
  for (const char expected : {'c', 'd', 'e'}) {
    EXPECT_EQ(next_page(), expected);
    ASSERT_TRUE(source_.drop(kPageBytes, calls_));
  }
  EXPECT_EQ(held(), 0u);
  EXPECT_EQ(calls_, 2u + 5u) << "two to fill it, and one for each page that is dropped";
}

TEST_F(TeeSourceTest, HoldsNoMoreThanItsSize) {
  EXPECT_FALSE(source_.hold(buffer_.data, source_.capacity_bytes() + kPageBytes, calls_));
  EXPECT_EQ(errno, ENOSPC);
}

TEST_F(TeeSourceTest, ClosedItIsNothing) {
  source_.close();
  EXPECT_EQ(source_.capacity_bytes(), 0u);
  EXPECT_EQ(source_.fd(), -1);
  EXPECT_TRUE(source_.open(kPageBytes));
  ASSERT_TRUE(source_.hold(buffer_.data, kPageBytes, calls_));
  EXPECT_EQ(held(), kPageBytes);
}

}  // namespace
}  // namespace pipetop
