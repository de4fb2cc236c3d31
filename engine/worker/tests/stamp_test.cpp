#include "engine/worker/stamp.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace pipetop {
namespace {

struct Stream {
  std::vector<char> pages;
  WorkerIntegrity integrity{};
  StampChecker checker{integrity};

  explicit Stream(uint64_t count, uint64_t epoch = 1, uint64_t first = 0)
      : pages(count * kPageBytes, 'X') {
    stamp_pages(page(0), pages.size(), {kStampMagic, epoch, 1, first});
  }
  char* page(uint64_t i) { return pages.data() + i * kPageBytes; }
  void stamp(uint64_t i, uint64_t epoch, uint64_t position, uint64_t series = 1) {
    stamp_pages(page(i), kPageBytes, {kStampMagic, epoch, series, position});
  }
  void check() { checker.check(pages.data(), pages.size(), 0); }
};

TEST(Stamp, InOrderIsVerified) {
  Stream stream(8);
  stream.checker.expect_epoch(1, true);
  stream.check();
  EXPECT_EQ(stream.integrity.verified, 8u);
  EXPECT_EQ(stream.integrity.misplaced, 0u);
}

// 2^32 pages pass in five minutes.
TEST(Stamp, PositionsHaveNoEndInADay) {
  constexpr uint64_t kAt = (1ull << 32) - 4;
  Stream stream(8, 1, kAt);
  stream.checker.expect_epoch(1, true);
  stream.checker.check(stream.page(0), stream.pages.size(), kAt * kPageBytes);
  EXPECT_EQ(stream.integrity.verified, 8u);
  stream.stamp(3, 1, kAt + 3 + (1ull << 32));  // the same in 32 bits
  stream.checker.check(stream.page(0), stream.pages.size(), kAt * kPageBytes);
  EXPECT_EQ(stream.integrity.misplaced, 1u);
}

TEST(Stamp, SwappedLostAndTornPagesAreSeen) {
  Stream stream(8);
  stream.stamp(2, 1, 3);
  stream.stamp(3, 1, 2);
  stream.page(5)[kPageBytes - 1] ^= 1;
  stream.page(6)[0] ^= 1;
  stream.checker.expect_epoch(1, true);
  stream.check();
  EXPECT_EQ(stream.integrity.misplaced, 2u);
  EXPECT_EQ(stream.integrity.torn, 1u);
  EXPECT_EQ(stream.integrity.unstamped, 1u);
  EXPECT_EQ(stream.integrity.verified, 4u);
}

TEST(Stamp, ConstantPagesBetweenTwoSeriesAreNoDamage) {
  Stream stream(8);
  std::memset(stream.page(3), 'X', 2 * kPageBytes);
  for (uint64_t i = 5; i < 8; ++i) stream.stamp(i, 1, i, 2);
  stream.checker.expect_epoch(1, true);
  stream.check();
  EXPECT_EQ(stream.integrity.verified, 6u);
  EXPECT_EQ(stream.integrity.unstamped, 0u);
}

TEST(Stamp, ConstantPagesAmidASeriesAreDamage) {
  Stream stream(8);
  std::memset(stream.page(3), 'X', 2 * kPageBytes);
  stream.checker.expect_epoch(1, true);
  stream.check();
  EXPECT_EQ(stream.integrity.verified, 6u);
  EXPECT_EQ(stream.integrity.unstamped, 2u);
}

TEST(Stamp, AStreamThatBeginsLateIsMisplaced) {
  Stream stream(2, 1, 1);
  stream.checker.expect_epoch(1, true);
  stream.check();
  EXPECT_EQ(stream.integrity.misplaced, 2u);
}

TEST(Stamp, BytesNotLookedAtStillCount) {
  Stream stream(4, 1, 100);
  stream.checker.expect_epoch(1, true);
  stream.checker.check(stream.pages.data(), stream.pages.size(), 100 * kPageBytes);
  EXPECT_EQ(stream.integrity.verified, 4u);
}

TEST(Stamp, ANewEpochBeginsWhereItsFirstPageSays) {
  Stream stream(4, 2, 77);
  stream.stamp(0, 1, 3);  // left over in the ring
  stream.checker.expect_epoch(2, false);
  stream.check();
  EXPECT_EQ(stream.integrity.epochs, 1u);
  EXPECT_EQ(stream.integrity.unstamped, 1u);
  EXPECT_EQ(stream.integrity.verified, 3u);
}

}  // namespace
}  // namespace pipetop
