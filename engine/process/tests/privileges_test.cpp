#include "engine/process/privileges.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pipetop
