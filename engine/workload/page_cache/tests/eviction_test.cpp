#include <gtest/gtest.h>

#include "engine/workload/page_cache/cached_share.h"
#include "engine/workload/page_cache/page_cache_plan.h"

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

std::shared_ptr<const Segment> segment(const Settings& s, double rate) {
  auto one = std::make_shared<Segment>();
  one->effective = s;
  one->rate = Reading<RateStats>::of({.mean = rate, .samples = 10});
  return one;
}

TEST(Efficiency, IsAgainstOneClientWithTheSameSettings) {
  Settings one, two;
  two.page_cache.clients = 2;
  two.page_cache.files = Files::own;
  Throughput t;
  t.current.rate = Reading<RateStats>::of({.mean = 15, .samples = 10});
  EXPECT_EQ(efficiency_of(t, two).reason, "run with 1 client first");
  t.segments.push_back(segment(one, 10));
  Settings other = one;
  other.page_cache.gang_size = 1;
  t.segments.push_back(segment(other, 5));
  t.segments.push_back(segment(two, 1));
  ASSERT_TRUE(efficiency_of(t, two).has_value());
  EXPECT_DOUBLE_EQ(*efficiency_of(t, two), 0.75);
  other.page_cache.clients = 3;
  EXPECT_DOUBLE_EQ(*efficiency_of(t, other), 1);
  t.current.rate = Reading<RateStats>::warming("too early");
  EXPECT_EQ(efficiency_of(t, two).reason, "too early");
}

}  // namespace
}  // namespace pipetop
