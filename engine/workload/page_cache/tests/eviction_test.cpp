#include <gtest/gtest.h>

#include "engine/workload/page_cache/cached_share.h"

namespace pipetop {
namespace {

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
