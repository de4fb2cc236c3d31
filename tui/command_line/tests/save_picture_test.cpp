#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "engine/base/error.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/result_files.h"

namespace pipetop::tui {
namespace {

// In a working directory of its own.
class SavePictureTest : public testing::Test {
 protected:
  SavePictureTest() { std::filesystem::current_path(directory_.path()); }
  ~SavePictureTest() override { std::filesystem::current_path(before_); }

  ScratchDirectory directory_;
  std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(SavePictureTest, IsNamedByTheTimeAndNeverReplacesAnother) {
  std::set<std::string> names;
  for (const char* svg : {"first", "second", "third"}) {
    const std::string name = save_picture(svg);
    EXPECT_TRUE(std::regex_match(name, std::regex("pipetop-\\d{8}-\\d{6}(-\\d+)?\\.svg"))) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(content_of(name), svg);
  }
  EXPECT_EQ(names.size(), 3u);
}

TEST_F(SavePictureTest, BelongsToTheUserWhoCalledSudo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root changes owners";
  std::filesystem::permissions(directory_.path(), std::filesystem::perms::all);
  setenv("SUDO_UID", "65534", 1);
  setenv("SUDO_GID", "65534", 1);
  const std::string name = save_picture("svg");
  unsetenv("SUDO_UID");
  unsetenv("SUDO_GID");
  struct stat status {};
  ASSERT_EQ(stat(name.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65534u);
}

// Whoever guesses the name must not choose the file.
TEST_F(SavePictureTest, FollowsNoLink) {
  const std::string name = save_picture("mine");
  std::filesystem::remove(name);
  std::filesystem::create_symlink("elsewhere", name);
  for (int i = 0; i < 2; ++i) save_picture("mine");
  EXPECT_FALSE(std::filesystem::exists("elsewhere"));
}

TEST_F(SavePictureTest, SaysWhyItCannot) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  std::filesystem::permissions(
      directory_.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_THROW(save_picture("svg"), Error);
}

}  // namespace
}  // namespace pipetop::tui
