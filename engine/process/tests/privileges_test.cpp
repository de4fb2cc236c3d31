#include "engine/process/privileges.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/tests/support/child.h"

namespace pipetop {
namespace {

TEST(Privileges, AUserIsTwoWholeNumbers) {
  const auto user = parse_user("1000", "100");
  ASSERT_TRUE(user);
  EXPECT_EQ(user->uid, 1000u);
  EXPECT_EQ(user->gid, 100u);
  EXPECT_EQ(parse_user("0", "0")->uid, 0u);
  EXPECT_EQ(parse_user("4294967294", "1")->uid, 4294967294u);
}

TEST(Privileges, GarbageIsNotRoot) {
  for (const char* id : {"", "root", "-1", " 0", "0x0", "1000 ", "1000x", "4294967295",
                         "4294967296", "99999999999999999999"}) {
    EXPECT_FALSE(parse_user(id, "0")) << id;
    EXPECT_FALSE(parse_user("0", id)) << id;
  }
  EXPECT_FALSE(parse_user(nullptr, "0"));
  EXPECT_FALSE(parse_user("0", nullptr));
}

// The variables of the programs that make their caller root, and no others.
class CallersTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root becomes another user";
    clear();
  }
  void TearDown() override { clear(); }

  static void set(const std::vector<std::pair<const char*, const char*>>& variables) {
    clear();
    for (const auto& [name, value] : variables) setenv(name, value, 1);
  }
  static std::string error() {
    try {
      return "user " + std::to_string(user_to_become().uid);
    } catch (const Error& e) {
      return e.what();
    }
  }

 private:
  static void clear() {
    for (const char* name : {"SUDO_UID", "SUDO_GID", "DOAS_USER", "PKEXEC_UID"}) unsetenv(name);
  }
};

TEST_F(CallersTest, EachProgramNamesItsCaller) {
  EXPECT_EQ(user_to_become().uid, 0u);
  set({{"SUDO_UID", "65534"}, {"SUDO_GID", "7"}});
  EXPECT_EQ(user_to_become().uid, 65534u);
  EXPECT_EQ(user_to_become().gid, 7u);
  set({{"DOAS_USER", "nobody"}});
  EXPECT_EQ(user_to_become().uid, 65534u);
  EXPECT_EQ(user_to_become().gid, 65534u);
  set({{"PKEXEC_UID", "65534"}});
  EXPECT_EQ(user_to_become().uid, 65534u);
  EXPECT_EQ(user_to_become().gid, 65534u);
}

TEST_F(CallersTest, ADamagedVariableIsAnErrorAndNotRoot) {
  for (const char* name : {"", "no such user", "65534"}) {
    set({{"DOAS_USER", name}});
    EXPECT_EQ(error(), std::string("DOAS_USER=") + name + " is no user: unset it to run as root");
  }
  // 4000000000 is in no passwd, so its group is unknown.
  for (const char* id : {"", "nobody", "-1", "65534x", "4294967295", "4000000000"}) {
    set({{"PKEXEC_UID", id}});
    EXPECT_EQ(error(), std::string("PKEXEC_UID=") + id + " is no user: unset it to run as root");
  }
}

TEST_F(CallersTest, SeveralHaveToNameOne) {
  set({{"SUDO_UID", "65534"}, {"SUDO_GID", "65534"}, {"DOAS_USER", "nobody"}});
  EXPECT_EQ(error(), "user 65534");
  // Root called sudo, itself called by somebody else.
  set({{"SUDO_UID", "0"}, {"SUDO_GID", "0"}, {"PKEXEC_UID", "65534"}});
  EXPECT_EQ(error(), "user 65534");
  set({{"SUDO_UID", "1"}, {"SUDO_GID", "1"}, {"DOAS_USER", "nobody"}});
  EXPECT_EQ(error(), "SUDO_UID, DOAS_USER and PKEXEC_UID name several users: unset all but one");
}

TEST_F(CallersTest, NobodyElsesVariablesCount) {
  set({{"DOAS_USER", "no such user"}});
  Child child([&] {
    if (setresuid(65534, 65534, 65534) != 0) return 3;
    return error() == "user 0" ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0) << "an ordinary user becomes nobody else";
}

}  // namespace
}  // namespace pipetop
