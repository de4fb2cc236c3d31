// What others can put where a result is to be written.
#include "tui/command_line/output_place.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "engine/base/error.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/output.h"

namespace pipetop::tui {
namespace {

namespace fs = std::filesystem;

class OutputPlaceTest : public testing::Test {
 protected:
  static constexpr uid_t kRoot = 0, kSomebody = 1, kNobody = 65534;

  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root has files of several users";
    std::ofstream(victim_) << "precious";
    make_directory("shared", kRoot, 01777);
    make_directory("theirs", kNobody, 0755);
    make_directory("ours", kRoot, 0755);
    ASSERT_EQ(chmod(scratch_.path().c_str(), 0755), 0);
  }

  void make_directory(const std::string& name, uid_t owner, mode_t mode) const {
    fs::create_directory(scratch_.file(name));
    ASSERT_EQ(chown(scratch_.file(name).c_str(), owner, owner), 0);
    ASSERT_EQ(chmod(scratch_.file(name).c_str(), mode), 0);
  }
  std::string link_of(uid_t owner, const std::string& name, const std::string& target) const {
    const std::string path = scratch_.file(name);
    fs::remove(path);
    fs::create_symlink(target, path);
    EXPECT_EQ(lchown(path.c_str(), owner, owner), 0);
    return path;
  }
  std::string file_of(uid_t owner, const std::string& name) const {
    const std::string path = scratch_.file(name);
    std::ofstream(path) << "old";
    EXPECT_EQ(chown(path.c_str(), owner, owner), 0);
    EXPECT_EQ(chmod(path.c_str(), 0666), 0);
    return path;
  }
  static bool finds(const std::string& path, uid_t writer) {
    return succeeds([&] { (void)find_output_place(path, writer); });
  }
  // In each way to write it.
  void expect_refused(const std::string& path) const {
    for (const WriteMode write_mode : {WriteMode::whole, WriteMode::as_written, WriteMode::as_new})
      EXPECT_THROW(Output(path, write_mode).finish("new"), Error) << path;
    EXPECT_EQ(content_of(victim_), "precious");
  }

  const ScratchDirectory scratch_;
  const std::string victim_ = scratch_.file("victim");
};

TEST_F(OutputPlaceTest, RootFollowsNoLinkThatOthersCanMake) {
  for (const uid_t owner : {kNobody, kRoot}) {
    expect_refused(link_of(owner, "shared/link", victim_));
    expect_refused(link_of(owner, "theirs/link", victim_));
    expect_refused(link_of(owner, "theirs/way", scratch_.path()) + "/victim");
  }
  const std::string link = link_of(kRoot, "ours/link", "../victim");
  Output(link).finish("new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content_of(victim_), "new");
}

TEST_F(OutputPlaceTest, RootWritesToNoFileOfOthersInTheirDirectories) {
  for (const char* directory : {"shared", "theirs"}) {
    const std::string path = file_of(kNobody, std::string(directory) + "/file");
    expect_refused(path);
    EXPECT_EQ(content_of(path), "old");
    const std::string fifo = scratch_.file(std::string(directory) + "/fifo");
    ASSERT_EQ(mkfifo(fifo.c_str(), 0666), 0);
    ASSERT_EQ(chown(fifo.c_str(), kNobody, kNobody), 0);
    const UniqueFd reader(open(fifo.c_str(), O_RDONLY | O_NONBLOCK));
    expect_refused(fifo);
    const std::string linked = scratch_.file(std::string(directory) + "/linked");
    fs::create_hard_link(victim_, linked);
    expect_refused(linked);
    for (const char* name : {"/file", "/fifo", "/linked"})
      fs::remove(scratch_.file(directory + std::string(name)));
    Output(path).finish("new");
    Output(path, WriteMode::as_written).finish("again");
    EXPECT_EQ(content_of(path), "again") << "it is our own";
  }
}

TEST_F(OutputPlaceTest, AUserIsProtectedFromStrangersInSharedDirectories) {
  EXPECT_FALSE(finds(link_of(kSomebody, "shared/link", victim_), kNobody));
  EXPECT_TRUE(finds(link_of(kNobody, "shared/link", victim_), kNobody));
  EXPECT_TRUE(finds(link_of(kRoot, "shared/link", victim_), kNobody)) << "of the directory's owner";
  EXPECT_TRUE(finds(link_of(kSomebody, "theirs/link", victim_), kNobody)) << "they let it in";
  EXPECT_FALSE(finds(file_of(kSomebody, "shared/file"), kNobody));
  EXPECT_TRUE(finds(file_of(kNobody, "shared/file"), kNobody));
  EXPECT_TRUE(finds(file_of(kSomebody, "ours/file"), kNobody));
}

TEST_F(OutputPlaceTest, UnderSudoALinkLeadsNoFurtherThanTheUserMay) {
  setenv("SUDO_UID", "65534", 1);
  setenv("SUDO_GID", "65534", 1);
  expect_refused(link_of(kNobody, "theirs/link", victim_));
  expect_refused(link_of(kNobody, "theirs/way", scratch_.path()) + "/victim");
  const std::string path = scratch_.file("theirs/file");
  Output(path).finish("new");
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, kNobody);
  unsetenv("SUDO_UID");
  unsetenv("SUDO_GID");
}

TEST_F(OutputPlaceTest, TheErrorNamesTheFileAndTheRemedy) {
  const std::string link = link_of(kNobody, "shared/link", victim_);
  try {
    (void)find_output_place(link, kRoot);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.what(), link +
                            ": a link of user 65534 in a directory that others can change: give "
                            "a name in a directory that only you can change");
  }
}

TEST_F(OutputPlaceTest, ADescriptorIsUsedAsItIs) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
  const UniqueFd read_end(ends[0]), write_end(ends[1]);
  Output("/dev/fd/" + std::to_string(write_end.get())).finish("new");
  std::array<char, 10> got{};
  EXPECT_EQ(read(read_end.get(), got.data(), got.size()), 3);
  EXPECT_THROW(Output("/dev/fd/" + std::to_string(read_end.get())), Error) << "not to be written";
}

}  // namespace
}  // namespace pipetop::tui
