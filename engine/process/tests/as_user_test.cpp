#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <latch>
#include <string>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/process/privileges.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "engine/tests/support/scratch_directory.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop {
namespace {

namespace fs = std::filesystem;

constexpr User kNobody = {65534, 65534};

// A directory that everybody may write, and in it one that is only root's.
class AsUserTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
    fs::create_directory(root_ / "roots");
    fs::permissions(root_, fs::perms::all);
    fs::permissions(root_ / "roots", fs::perms::owner_all);
  }

  // The owner of a new file there, or minus errno.
  int64_t owner_of_new(const std::string& name) const {
    const UniqueFd file(open((root_ / name).c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600));
    if (!file) return -errno;
    struct stat status {};
    fstat(file.get(), &status);
    return status.st_uid;
  }

 private:
  ScratchDirectory scratch_;
  fs::path root_ = scratch_.path();
};

TEST_F(AsUserTest, FilesAreTheUsersAndRootsRightsAreNotUsed) {
  const uint64_t before = effective_capabilities();
  {
    const AsUser as_user(kNobody);
    EXPECT_EQ(owner_of_new("theirs"), kNobody.uid);
    EXPECT_EQ(owner_of_new("roots/theirs"), -EACCES);
    EXPECT_EQ(effective_capabilities() & ~capabilities({CAP_KILL}), 0u);
  }
  EXPECT_EQ(owner_of_new("roots/ours"), 0);
  EXPECT_EQ(effective_capabilities(), before);
}

// With root's, a file that only root's group may read would be open to whoever calls sudo.
TEST_F(AsUserTest, GroupsAreTheUsers) {
  const auto own_groups = [] {
    std::vector<gid_t> groups(size_t(getgroups(0, nullptr)));
    groups.resize(size_t(getgroups(int(groups.size()), groups.data())));
    return groups;
  };
  const auto before = own_groups();
  {
    const AsUser as_user(kNobody);
    EXPECT_EQ(own_groups(), groups_of(kNobody));
    EXPECT_EQ(own_groups(), std::vector<gid_t>{kNobody.gid});
  }
  EXPECT_EQ(own_groups(), before);
}

// setgroups() of the library would end the program: the other thread may not change its groups.
TEST_F(AsUserTest, OtherThreadsStayAsTheyAre) {
  std::latch may_not(1), done(1);
  std::thread other([&] {
    EXPECT_TRUE(use_capabilities(0));
    may_not.count_down();
    done.wait();
  });
  may_not.wait();
  {
    const AsUser as_user(kNobody);
    EXPECT_EQ(owner_of_new("theirs"), kNobody.uid);
  }
  EXPECT_EQ(owner_of_new("roots/ours"), 0);
  done.count_down();
  other.join();
}

TEST_F(AsUserTest, AnInnerOneLeavesTheOuterOne) {
  const AsUser outer(kNobody);
  { const AsUser inner(kNobody); }
  EXPECT_EQ(owner_of_new("theirs"), kNobody.uid);
}

TEST_F(AsUserTest, ItsCapabilitiesNeedNotBeInEffect) {
  const uint64_t before = effective_capabilities();
  ASSERT_TRUE(use_capabilities(0));
  {
    const AsUser as_user(kNobody);
    EXPECT_EQ(owner_of_new("theirs"), kNobody.uid);
  }
  EXPECT_EQ(effective_capabilities(), 0u) << "the kernel raises some with the id";
  EXPECT_TRUE(use_capabilities(before));
}

// The signal that ends it is sent with the rights of its parent, at that moment.
TEST_F(AsUserTest, AChildOfTheUserDiesWithUs) {
  TestPipe pipe;
  Child parent([&]() -> int {
    const ForeignProcess process([&] {
      const bool is_ready = become(kNobody) && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
      const pid_t own = is_ready ? getpid() : 0;
      (void)!write(pipe.in.get(), &own, sizeof own);
    });
    const AsUser as_user(kNobody);
    for (;;) pause();
  });
  pipe.in.reset();
  pid_t child = 0;
  ASSERT_EQ(read(pipe.out.get(), &child, sizeof child), ssize_t(sizeof child));
  ASSERT_NE(child, 0);
  const UniqueFd child_end(int(syscall(SYS_pidfd_open, child, 0)));
  const auto is_user = [&] {
    std::ifstream status("/proc/" + std::to_string(parent.pid()) + "/status");
    const std::string text{std::istreambuf_iterator<char>(status), {}};
    return text.find("\nUid:\t0\t0\t0\t65534\n") != text.npos;
  };
  ASSERT_TRUE(eventually(is_user));
  parent.end();
  pollfd end = {child_end.get(), POLLIN, 0};
  EXPECT_TRUE(eventually([&] { return ::poll(&end, 1, 0) == 1; }));
  syscall(SYS_pidfd_send_signal, child_end.get(), SIGKILL, nullptr, 0);
}

TEST_F(AsUserTest, RootItselfStaysAsItIs) {
  const AsUser as_user(User{});
  EXPECT_EQ(owner_of_new("roots/ours"), 0);
}

TEST_F(AsUserTest, NothingIsOpenedAsRootWhereItMayNot) {
  Child child([] {
    if (!keep_capabilities(0)) return 3;
    return succeeds([] { const AsUser as_user(kNobody); }) ? 1 : 0;
  });
  EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace pipetop
