#include "engine/process/cgroups.h"

#include <gtest/gtest.h>

#include "engine/tests/support/scratch_directory.h"

namespace pipetop {
namespace {

struct Cgroups : testing::Test {
  void put(const std::string& file, const std::string& text) const { scratch.put(file, text); }
  const ScratchDirectory scratch;
  const std::string root = scratch.path();
};

TEST_F(Cgroups, TheOneThatFreezesIsNamedWithWhatThawsIt) {
  put("/a/cgroup.freeze", "1\n");
  put("/a/b/cgroup.freeze", "0\n");
  put("/a/b/cgroup.events", "populated 1\nfrozen 1\n");
  EXPECT_EQ(why_frozen("0::/a/b\n", root),
            "its frozen cgroup; echo 0 > " + root + "/a/cgroup.freeze");
  put("/a/b/cgroup.events", "populated 1\nfrozen 0\n");
  EXPECT_EQ(why_frozen("0::/a/b\n", root), "");
}

TEST_F(Cgroups, TheFirstVersionFreezesToo) {
  put("/freezer/x/freezer.state", "FROZEN\n");
  put("/freezer/x/freezer.self_freezing", "1\n");
  EXPECT_EQ(why_frozen("6:freezer:/x\n1:cpu:/y\n0::/\n", root),
            "its frozen cgroup; echo THAWED > " + root + "/freezer/x/freezer.state");
  EXPECT_EQ(why_frozen("6:freezer:/\n", root), "");
}

TEST_F(Cgroups, TheSecondVersionBesideTheFirstHasItsOwnFolder) {
  put("/unified/cgroup.procs", "1\n");
  const auto groups = cgroups_with("cpu", "1:cpu,cpuacct:/y\n0::/z\n", root);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].folder(), root + "/cpu/y");
  EXPECT_EQ(groups[1].folder(), root + "/unified/z");
  EXPECT_TRUE(cgroups_with("cpu", "1:cpu,cpuacct:/../y\n0::/..\n", root).empty())
      << "outside of our cgroup namespace";
}

TEST(Units, AreWhatPeopleCallThem) {
  const std::string id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  EXPECT_EQ(unit_of("0::/system.slice/backup.service\n"), "backup.service");
  EXPECT_EQ(unit_of("0::/user.slice/user-1000.slice/session-17.scope\n"), "user-1000.slice");
  EXPECT_EQ(unit_of("0::/user.slice/user-1000.slice/user@1000.service/app.slice/a.service\n"),
            "a.service");
  EXPECT_EQ(unit_of("0::/system.slice/docker-" + id + ".scope\n"), "docker 0123456789ab");
  EXPECT_EQ(unit_of("4:cpu:/docker/" + id + "\n0::/\n"), "docker 0123456789ab");
  EXPECT_EQ(unit_of("1:name=systemd:/system.slice/cron.service\n4:cpu:/x\n"), "cron.service");
  EXPECT_EQ(unit_of("4:cpu:/jobs/nightly\n0::/\n"), "/jobs/nightly");
  EXPECT_EQ(unit_of("0::/\n"), "/");
  EXPECT_EQ(unit_of(""), "");
}

}  // namespace
}  // namespace pipetop
