#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "engine/config/find_config.h"
#include "engine/tests/support/scratch_directory.h"

namespace pipetop {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 65534;

// Root's directory `a`, with root's file `a/file`.
class TrustedPath : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can give files to others";
    fs::create_directory(root_ / "a");
    std::ofstream(root_ / "a/file") << "";
    chmod("a", 0755);
    chmod("a/file", 0644);
  }

  std::string at(const std::string& path) const { return root_ / path; }
  void chmod(const std::string& path, mode_t mode) const { ::chmod(at(path).c_str(), mode); }
  void give(const std::string& path, uid_t uid, gid_t gid) const {
    ASSERT_EQ(::lchown(at(path).c_str(), uid, gid), 0);
  }
  void link(const std::string& target, const std::string& name) const {
    fs::create_symlink(target, at(name));
  }
  std::string who(const std::string& path, const User& trusted = {}) const {
    return who_else_could_change(at(path), trusted);
  }

 private:
  ScratchDirectory scratch_;
  fs::path root_ = fs::canonical(scratch_.path());
};

TEST_F(TrustedPath, RootsFileIsRoots) { EXPECT_EQ(who("a/file"), ""); }

TEST_F(TrustedPath, AStrangersFileOrDirectoryIsNot) {
  give("a/file", kStranger, 0);
  EXPECT_EQ(who("a/file"), "user 65534 owns " + at("a/file"));
  EXPECT_EQ(who("a/file", {kStranger, kStranger}), "") << "they called sudo";
  give("a/file", 0, 0);
  give("a", kStranger, 0);
  EXPECT_EQ(who("a/file"), "user 65534 owns " + at("a"));
}

TEST_F(TrustedPath, NeitherIsOneThatOthersMayWrite) {
  chmod("a/file", 0646);
  EXPECT_EQ(who("a/file"), "others may write " + at("a/file"));
  chmod("a/file", 0664);
  EXPECT_EQ(who("a/file"), "") << "root's group";
  give("a/file", 0, kStranger);
  chmod("a/file", 0664);
  EXPECT_EQ(who("a/file"), "others may write " + at("a/file"));
  EXPECT_EQ(who("a/file", {kStranger, kStranger}), "");
  chmod("a/file", 0644);
  chmod("a", 0777);
  EXPECT_EQ(who("a/file"), "others may write " + at("a"));
}

TEST_F(TrustedPath, InAStickyDirectoryTheOwnerCounts) {
  chmod("a", 01777);
  EXPECT_EQ(who("a/file"), "");
  give("a/file", kStranger, kStranger);
  EXPECT_EQ(who("a/file"), "user 65534 owns " + at("a/file"));
}

TEST_F(TrustedPath, LinksAreFollowedAndLookedAt) {
  link("a", "b");
  link(at("b/file"), "c");
  EXPECT_EQ(who("b/file"), "");
  EXPECT_EQ(who("c"), "");
  give("b", kStranger, kStranger);
  EXPECT_EQ(who("b/file"), "user 65534 owns " + at("b"));
  EXPECT_EQ(who("c"), "user 65534 owns " + at("b"));
  give("a/file", kStranger, kStranger);
  link("a/../a/file", "d");
  EXPECT_EQ(who("d"), "user 65534 owns " + at("a/../a/file"));
}

TEST_F(TrustedPath, WhatLeadsNowhereIsNotTrusted) {
  EXPECT_NE(who("a/none"), "");
  link("f", "e");
  link("e", "f");
  EXPECT_NE(who("e").find("too many links"), std::string::npos) << who("e");
}

}  // namespace
}  // namespace pipetop
