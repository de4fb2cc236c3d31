#include "engine/process/foreign_end.h"

#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "engine/process/tests/foreign_process.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/locked_pipe.h"

namespace pipetop {
namespace {

class ForeignEndTest : public testing::Test {
 protected:
  void SetUp() override { PIPETOP_NEED_COPIES(); }

  PipeEnd end_of(const ForeignProcess& process, int fd) const { return {process.id(), fd}; }
};

int error_of(PipeId pipe, const PipeEnd& end) {
  UniqueFd copy;
  return copy_end(pipe, end, copy);
}

UniqueFd copy_of(PipeId pipe, const PipeEnd& end) {
  UniqueFd copy;
  EXPECT_EQ(copy_end(pipe, end, copy), 0);
  return copy;
}

TEST_F(ForeignEndTest, SizeAndBytesCanBeAskedFor) {
  TestPipe pipe;
  const ForeignProcess process;
  const PipeEnd end = end_of(process, pipe.out.get());
  PipeSizes sizes;
  ASSERT_EQ(write(pipe.in.get(), "12345", 5), 5);
  ASSERT_EQ(ask_pipe(pipe.id, copy_of(pipe.id, end), sizes), 0);
  EXPECT_EQ(sizes.before, static_cast<uint64_t>(fcntl(pipe.in.get(), F_GETPIPE_SZ)));
  EXPECT_EQ(sizes.now, sizes.before);
  EXPECT_EQ(sizes.queued, 5u);
}

TEST_F(ForeignEndTest, TheKernelRoundsSizes) {
  TestPipe pipe;
  const ForeignProcess process;
  const PipeEnd end = end_of(process, pipe.out.get());
  PipeSizes sizes;
  ASSERT_EQ(resize_pipe(pipe.id, copy_of(pipe.id, end), 100'000, 0, sizes), 0);
  EXPECT_EQ(sizes.before, 65'536u);
  EXPECT_EQ(sizes.now, 131'072u);
  EXPECT_EQ(fcntl(pipe.in.get(), F_GETPIPE_SZ), 131'072);
  EXPECT_EQ(resize_pipe(pipe.id, copy_of(pipe.id, end), uint64_t{1} << 40, 0, sizes), EINVAL);
  EXPECT_EQ(resize_pipe(pipe.id, copy_of(pipe.id, end), 4096, 65'536, sizes), 0);
  EXPECT_EQ(sizes.now, 131'072u) << "it has not the size that was expected";
}

// A parent sleeps as deeply until who it has vforked begins a program.
TEST_F(ForeignEndTest, WhoSleepsForSomethingElseIsNotInAPipe) {
  const Child parent([] {
    const pid_t self = ::getpid();
    if (::vfork() == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      while (::getppid() == self) ::pause();  // it may have been killed before the line above
      ::_exit(0);
    }
    return 0;
  });
  const auto sleeps_deeply = [&] {
    const auto stat = read_task_stat(parent.pid());
    return stat && stat->state == 'D' && sleeps_in_pipe(parent.pid()) != InPipe::unknown;
  };
  if (!eventually(
          sleeps_deeply, [] { ::poll(nullptr, 0, 1); }, kReadingPatience_ns))
    GTEST_SKIP() << "this kernel doesn't say where a process sleeps";
  EXPECT_EQ(sleeps_in_pipe(parent.pid()), InPipe::no);
  EXPECT_EQ(sleeps_in_pipe(getpid()), InPipe::no);
}

// Not later either.
TEST_F(ForeignEndTest, APipeThatIsLockedKeepsItsSize) {
  LockedPipe locked;
  const PipeEnd end = {id_of_process(locked.holder()), locked.pipe().in.get()};
  const PipeId id = locked.pipe().id;
  PipeSizes sizes;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(resize_pipe(id, copy_of(id, end), 131'072, 0, sizes), ETIMEDOUT);
  EXPECT_TRUE(is_locked(id));
  locked.let_go();
  EXPECT_TRUE(eventually([&] { return !is_locked(id); }));
  EXPECT_EQ(fcntl(locked.pipe().in.get(), F_GETPIPE_SZ), 65'536);
}

TEST_F(ForeignEndTest, NobodyHasACopyLater) {
  TestPipe pipe;
  ForeignProcess process;
  { const UniqueFd copy = copy_of(pipe.id, end_of(process, pipe.in.get())); }
  pipe.in.reset();
  process.end();
  char c;
  EXPECT_EQ(read(pipe.out.get(), &c, 1), 0) << "end of file";
}

TEST_F(ForeignEndTest, OnlyTheProcessThatWasMeantIsTouched) {
  const TestPipe pipe, other;
  ForeignProcess process;
  PipeEnd end = end_of(process, pipe.out.get());
  EXPECT_EQ(error_of(other.id, end), EBADF) << "another pipe";
  EXPECT_EQ(error_of(pipe.id, end_of(process, 1000)), EBADF) << "nothing there";
  EXPECT_EQ(error_of({pipe.id.device + 1, pipe.id.inode}, end), EBADF) << "of another file system";
  PipeEnd earlier = end;
  earlier.process.start_ticks -= 1;
  EXPECT_EQ(error_of(pipe.id, earlier), ESRCH) << "its number was another process's";
  EXPECT_EQ(error_of(pipe.id, end), 0);
  process.end();
  EXPECT_EQ(error_of(pipe.id, end), ESRCH);
}

// As BPF sees it, by the superblock's device.
TEST_F(ForeignEndTest, AFifoIsKnownByItsDeviceToo) {
  std::string path = (std::filesystem::temp_directory_path() / "pipetop-test-XXXXXX").string();
  close(mkstemp(path.data()));
  unlink(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const UniqueFd fifo(open(path.c_str(), O_RDWR | O_CLOEXEC));
  unlink(path.c_str());
  struct stat status = {};
  struct statfs system = {};
  ASSERT_TRUE(fstat(fifo.get(), &status) == 0 && fstatfs(fifo.get(), &system) == 0);
  const ForeignProcess process;
  const auto device = static_cast<uint32_t>(status.st_dev);
  const PipeEnd end = end_of(process, fifo.get());
  EXPECT_EQ(error_of({device, status.st_ino}, end), 0);
  EXPECT_EQ(error_of({device_of_nameless_pipes(), status.st_ino}, end), EBADF);
  const bool differs = system.f_type == BTRFS_SUPER_MAGIC || system.f_type == OVERLAYFS_SUPER_MAGIC;
  EXPECT_EQ(error_of({device + 1, status.st_ino}, end), differs ? 0 : EBADF);
}

}  // namespace
}  // namespace pipetop
