#include "tui/command_line/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/base/error.h"
#include "engine/tests/support/scratch_directory.h"

namespace pipetop::tui {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

uid_t owner_of(const std::string& path) {
  struct stat status {};
  stat(path.c_str(), &status);
  return status.st_uid;
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  stat(path.c_str(), &status);
  return status.st_mode & 07777;
}

constexpr const char* kNeedsRoot = "only root has others' files, or sudo";

// As if sudo had started us.
class Sudo {
 public:
  Sudo(const char* uid, const char* gid) {
    setenv("SUDO_UID", uid, 1);
    setenv("SUDO_GID", gid, 1);
  }
  ~Sudo() {
    unsetenv("SUDO_UID");
    unsetenv("SUDO_GID");
  }
};

class OutputTest : public testing::Test {
 protected:
  std::string content() const { return content_of(path_); }
  size_t files() const {
    return size_t(
        std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator()));
  }

  const ScratchDirectory directory_;
  const std::string path_ = directory_.file("out");
};

TEST_F(OutputTest, AppearsWholeOrNotAtAll) {
  {
    Output output(path_);
    output.write("half");
    EXPECT_FALSE(fs::exists(path_));
    // Not even beside it, where that can be: a SIGKILL leaves nothing.
    EXPECT_EQ(files(), directory_.has_unnamed_files() ? 0u : 1u);
  }
  EXPECT_EQ(files(), 0u);
  Output output(path_);
  output.write("all ");
  output.write("of it");
  output.finish();
  EXPECT_EQ(content(), "all of it");
  EXPECT_EQ(files(), 1u);
  EXPECT_NO_THROW(output.finish());  // once more is once
}

TEST_F(OutputTest, KeepsTheOldFileUntilTheEnd) {
  std::ofstream(path_) << "old";
  chmod(path_.c_str(), 0640);
  { Output(path_).write("new"); }
  EXPECT_EQ(content(), "old");
  Output output(path_);
  output.write("new");
  output.finish();
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0640));
}

TEST_F(OutputTest, SetUserIdIsNotCarriedOver) {
  for (const mode_t mode : {04755u, 02755u, 01644u}) {
    std::ofstream(path_) << "old";
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
    Output(path_).finish("new");
    EXPECT_EQ(mode_of(path_), mode & 0777);
  }
}

TEST_F(OutputTest, AnothersFileStaysTheirs) {
  if (geteuid() != 0) GTEST_SKIP() << kNeedsRoot;
  for (const mode_t mode : {04777u, 0600u}) {
    std::ofstream(path_) << "old";
    ASSERT_EQ(chown(path_.c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
    Output(path_).finish("new");
    EXPECT_EQ(content(), "new");
    EXPECT_EQ(owner_of(path_), kNobody);
    EXPECT_EQ(mode_of(path_), mode & 0777);
  }
}

TEST_F(OutputTest, UnderSudoANewFileBelongsToTheCaller) {
  if (geteuid() != 0) GTEST_SKIP() << kNeedsRoot;
  const Sudo sudo("65534", "65534");
  fs::permissions(directory_.path(), fs::perms::all);
  for (const WriteMode write_mode : {WriteMode::whole, WriteMode::as_written}) {
    Output(path_, write_mode).finish("new");
    EXPECT_EQ(owner_of(path_), kNobody);
    fs::remove(path_);
  }
}

TEST_F(OutputTest, UnderSudoRootsDirectoriesAreClosed) {
  if (geteuid() != 0) GTEST_SKIP() << kNeedsRoot;
  const Sudo sudo("65534", "65534");
  for (const WriteMode write_mode : {WriteMode::whole, WriteMode::as_written, WriteMode::as_new})
    EXPECT_THROW((Output{path_, write_mode}), Error);
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputTest, UnderSudoOfNobodyInParticularThereIsNoFile) {
  if (geteuid() != 0) GTEST_SKIP() << kNeedsRoot;
  const Sudo sudo("-1", "65534");
  EXPECT_THROW(Output{path_}, Error);
  EXPECT_THROW((Output{path_, WriteMode::as_written}), Error);
  EXPECT_EQ(files(), 0u);
}

// As on a file system without them. For the rest of the process.
void have_no_unnamed_files() {
  constexpr uint32_t kUnnamed = O_TMPFILE & ~O_DIRECTORY;
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kUnnamed, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {std::size(filter), filter};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

// Its name can be guessed: whoever has the directory may have put something there.
TEST_F(OutputTest, ANamedTemporaryFollowsNoLink) {
  const std::string victim = directory_.file("victim");
  std::ofstream(victim) << "precious";
  EXPECT_EXIT(
      {
        have_no_unnamed_files();
        fs::create_symlink(victim, path_ + "." + std::to_string(getpid()) + ".tmp");
        Output(path_).finish("new");
        exit(directory_.has_unnamed_files() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(content_of(victim), "precious");
  EXPECT_EQ(content(), "new");
  EXPECT_FALSE(fs::is_symlink(path_));
  EXPECT_EQ(files(), 2u);
}

TEST_F(OutputTest, MayAppearAsItIsWritten) {
  std::ofstream(path_) << "old";
  { const Output unused(path_, WriteMode::as_written); }
  EXPECT_EQ(content(), "old") << "nothing was written";
  Output output(path_, WriteMode::as_written);
  EXPECT_EQ(content(), "old");
  output.write("a line\n");
  EXPECT_EQ(content(), "a line\n");
  EXPECT_NO_THROW(output.finish());
  EXPECT_EQ(content(), "a line\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTest, AppearsAtOnceIfItIsToBeSeenGrowing) {
  {
    const Output output(path_, WriteMode::as_written);
    EXPECT_TRUE(fs::exists(path_));
  }
  EXPECT_EQ(files(), 0u) << "nothing was written";
  Output(path_, WriteMode::as_written).write("a line\n");
  EXPECT_EQ(content(), "a line\n") << "unfinished";
}

TEST_F(OutputTest, WritesThroughALink) {
  std::ofstream(path_) << "old";
  const std::string link = directory_.file("link");
  fs::create_symlink(path_, link);
  Output output(link);
  output.write("new");
  output.finish();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(), "new");
}

TEST_F(OutputTest, FullDisksAndWrongPlacesAreErrors) {
  Output full("/dev/full");
  EXPECT_THROW(full.write("x"), Error);
  EXPECT_THROW(Output{directory_.path()}, Error);
  EXPECT_THROW(Output{path_ + "/below"}, Error);
  EXPECT_THROW(Output{path_ + std::string(250, 'x')}, Error);
  Output null("/dev/null");
  null.write("x");
  EXPECT_NO_THROW(null.finish());
}

// ---- what others can put where a result is to be written ----

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
