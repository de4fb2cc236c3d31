#include "engine/workload/page_cache/cached_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>

#include "engine/workload/page_cache/tests/scratch_file.h"

namespace pipetop {
namespace {

constexpr uint64_t kMiB = 1 << 20;

TEST(CachedFile, IsFilledStepByStep) {
  CachedFile file = FileStore(temporary_directories()).make();
  ASSERT_EQ(file.resize(4 * kMiB), 0);
  EXPECT_FALSE(file.is_filled());
  EXPECT_FALSE(file.fill(kMiB));
  EXPECT_DOUBLE_EQ(file.filled_share(), 0.125);
  while (!file.fill(kMiB)) {
  }
  EXPECT_DOUBLE_EQ(file.filled_share(), 1);
  EXPECT_EQ(cached_bytes(file.fd(), 0, 4 * kMiB), 4 * kMiB);
}

TEST(CachedFile, GrowsAndShrinks) {
  CachedFile file = filled_file(2 * kMiB);
  ASSERT_EQ(file.resize(4 * kMiB), 0);
  EXPECT_FALSE(file.is_filled());
  while (!file.fill(kMiB)) {
  }
  ASSERT_EQ(file.resize(kMiB), 0);
  EXPECT_TRUE(file.is_filled());
  struct stat status = {};
  ASSERT_EQ(::fstat(file.fd(), &status), 0);
  EXPECT_EQ(static_cast<uint64_t>(status.st_size), kMiB);
}

TEST(CachedFile, HasNoName) {
  const CachedFile file = filled_file(kMiB);
  struct stat status = {};
  ASSERT_EQ(::fstat(file.fd(), &status), 0);
  EXPECT_EQ(status.st_nlink, 0u);
}

TEST(CachedFile, IsReadAgainWhenItWasEvicted) {
  CachedFile file = filled_file(4 * kMiB);
  if (FileStore(temporary_directories()).in_memory()) GTEST_SKIP() << "no disk to read from";
  evict(file);
  ASSERT_LT(cached_bytes(file.fd(), 0, 4 * kMiB), 4 * kMiB);
  file.check();
  EXPECT_FALSE(file.is_filled());
  while (!file.fill(kMiB)) {
  }
  EXPECT_EQ(cached_bytes(file.fd(), 0, 4 * kMiB), 4 * kMiB);
}

// Eight pages of a file in memory, four of which were never written.
TEST(CachedBytes, BothWaysCountWholePages) {
  const std::vector<std::string> nowhere;
  const CachedFile file = FileStore(nowhere).make();
  ASSERT_EQ(::ftruncate(file.fd(), 8 * 4096), 0);
  const std::string pages(4 * 4096, 'X');
  ASSERT_EQ(::pwrite(file.fd(), pages.data(), pages.size(), 2 * 4096), 4 * 4096);
  EXPECT_EQ(cached_by_mincore(file.fd(), 0, 8 * 4096), 4u * 4096);
  EXPECT_EQ(cached_by_mincore(file.fd(), 4 * 4096, 4 * 4096), 2u * 4096);
  const auto counted = cached_by_cachestat(file.fd(), 0, 8 * 4096);
  if (!counted && errno == ENOSYS) GTEST_SKIP() << "no cachestat before Linux 6.5";
  EXPECT_EQ(counted, 4u * 4096);
  EXPECT_EQ(cached_by_cachestat(file.fd(), 4 * 4096, 4 * 4096), 2u * 4096);
}

TEST(CachedShare, IsOfAllFilesOnceAllWereSeen) {
  const CachedFile whole = filled_file(kMiB);
  const CachedFile hollow = FileStore({}).make();
  ASSERT_EQ(::ftruncate(hollow.fd(), kMiB), 0);
  CachedShare share;
  EXPECT_FALSE(share.sample(1));
  const std::vector<FileSpan> files = {{whole.fd(), kMiB}, {hollow.fd(), kMiB}};
  share.restart(files);
  EXPECT_FALSE(share.sample(1));
  EXPECT_FALSE(share.share().has_value());
  EXPECT_TRUE(share.sample(2));
  ASSERT_TRUE(share.share().has_value());
  EXPECT_DOUBLE_EQ(*share.share(), 0.5);
  EXPECT_FALSE(share.sample(3));              // too early
  EXPECT_FALSE(share.sample(1'000'000'001));  // the first file of the next round
  EXPECT_TRUE(share.sample(1'000'000'002));
}

TEST(FileStore, PrefersADirectoryOnADisk) {
  const std::vector<std::string> none = {"/proc", "/nonexistent"};
  EXPECT_TRUE(FileStore(none).in_memory());
  const CachedFile memory = FileStore(none).make();
  EXPECT_GE(memory.fd(), 0);
}

TEST(FileStore, SaysWhyThereIsNoRoom) {
  constexpr uint64_t kGiBytes = 1ull << 30;
  const FileRoom room = {.available_memory = 10 * kGiBytes, .free_disk = 3 * kGiBytes};
  EXPECT_EQ(why_no_room(3, kGiBytes, 0, room, "/var/tmp"), "");
  EXPECT_EQ(why_no_room(8, kGiBytes, 5 * kGiBytes, room, "/var/tmp"), "");
  EXPECT_EQ(why_no_room(8, kGiBytes, 0, room, ""), "");
  const std::string memory = why_no_room(9, kGiBytes, 9 * kGiBytes, room, "/var/tmp");
  EXPECT_NE(memory.find("9 files of 1GiB"), std::string::npos) << memory;
  EXPECT_NE(memory.find("9.0 GiB needed, 8.0 GiB allowed"), std::string::npos) << memory;
  const std::string disk = why_no_room(4, kGiBytes, 0, room, "/var/tmp");
  EXPECT_NE(disk.find("/var/tmp: 4.0 GiB more needed, 3.0 GiB free"), std::string::npos) << disk;
}

Reading<double> share(double value) { return Reading<double>::of(value); }

TEST(Eviction, IsToldOnceUntilAllIsCachedAgain) {
  Eviction eviction;
  eviction.restart(1000);
  EXPECT_FALSE(eviction.add(share(1), 0));
  EXPECT_EQ(eviction.add(share(0.75), 0),
            "25 % of the file was evicted and is not in the page cache now");
  EXPECT_FALSE(eviction.add(share(0.5), 0));
  EXPECT_FALSE(eviction.add(share(1), 0));
  EXPECT_TRUE(eviction.add(share(0.5), 0));
}

TEST(Eviction, IsSeenInDiskReadsWhenTheCacheIsWholeAgain) {
  Eviction eviction;
  eviction.restart(1000);
  EXPECT_EQ(eviction.add(share(1), 120),
            "12 % of the file was evicted, but has been read from disk again");
  eviction.restart(2000);
  EXPECT_EQ(eviction.add(Reading<double>::unavailable("no"), 5000),
            "100 % of the file was evicted, but has been read from disk again");
}

// A preset that uses the same files would say it again and again.
TEST(Eviction, IsNotToldAgainForTheSameFiles) {
  Eviction eviction;
  eviction.restart(1000);
  EXPECT_TRUE(eviction.add(share(1), 120));
  eviction.restart(1000);
  EXPECT_FALSE(eviction.add(share(1), 120));
}

TEST(DiskReads, CountFromTheFirstSample) {
  DiskReads reads;
  const std::vector<pid_t> self = {getpid()};
  EXPECT_EQ(reads.since_last(self), 0u);
  EXPECT_EQ(reads.since_last(self), 0u);
  EXPECT_EQ(reads.since_last({}), 0u);
}

}  // namespace

}  // namespace pipetop
