#include "engine/host/quota.h"

#include <gtest/gtest.h>

#include "engine/tests/support/scratch_directory.h"

namespace pipetop {
namespace {

struct Quota : testing::Test {
  void put(const std::string& file, const std::string& text) const { scratch.put(file, text); }
  const ScratchDirectory scratch;
  const std::string root = scratch.path();
};

TEST_F(Quota, IsThatOfOurCgroupAndOfThoseAroundIt) {
  put("/a/cpu.max", "50000 100000\n");
  put("/a/cpu.stat", "usage_usec 7\nnr_periods 30\nnr_throttled 12\nthrottled_usec 9\n");
  put("/a/b/cpu.max", "max 100000\n");
  put("/a/b/cpu.stat", "usage_usec 7\nnr_periods 0\nnr_throttled 0\n");
  const auto quotas = read_quotas("0::/a/b\n", root);
  ASSERT_EQ(quotas.size(), 1u);
  EXPECT_EQ(quotas[0].cgroup, root + "/a");
  EXPECT_EQ(quotas[0].cpus, 0.5);
  EXPECT_EQ(quotas[0].periods, 30u);
  EXPECT_EQ(quotas[0].throttled, 12u);
}

TEST_F(Quota, IsReadFromTheFirstVersionToo) {
  put("/cpu/a/cpu.cfs_quota_us", "150000\n");
  put("/cpu/a/cpu.cfs_period_us", "100000\n");
  put("/cpu/a/cpu.stat", "nr_periods 5\nnr_throttled 3\nthrottled_time 9\n");
  put("/cpu/cpu.cfs_quota_us", "-1\n");
  put("/cpu/cpu.cfs_period_us", "100000\n");
  const auto quotas = read_quotas("3:cpuset:/x\n2:cpu,cpuacct:/a/gone\n0::/\n", root);
  ASSERT_EQ(quotas.size(), 1u);
  EXPECT_EQ(quotas[0].cpus, 1.5);
  EXPECT_EQ(quotas[0].throttled, 3u);
  EXPECT_TRUE(read_quotas("nonsense\n\n0:\n0::a\n0::", root).empty());
}

TEST(Throttling, IsTheShareOfThePeriodsInBetween) {
  const auto found = throttling_between({{"a", 1, 10, 10}, {"b", 2, 10, 0}},
                                        {{"a", 1, 20, 12}, {"b", 2, 20, 5}, {"new", 1, 9, 9}});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->cgroup, "b");
  EXPECT_EQ(found->share, 0.5);
  EXPECT_FALSE(throttling_between({}, {}).has_value());
  EXPECT_FALSE(throttling_between({{"a", 1, 10, 10}}, {{"a", 1, 10, 10}}).has_value());
}

}  // namespace
}  // namespace pipetop
