#include "engine/process/foreign_end.h"

#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/process/tests/foreign_process.h"

namespace pipetop {
namespace {

class ForeignEndTest : public testing::Test {
 protected:
  void SetUp() override { PIPETOP_NEED_COPIES(); }

  PipeEnd end_of(const ForeignProcess& process, int fd) const { return {process.id(), fd}; }
};

int error_of(PipeId pipe, const PipeEnd& end) {
  try {
    ForeignEnd copy(pipe, end);
  } catch (const SystemError& error) {
    return error.error_number();
  }
  return 0;
}

TEST_F(ForeignEndTest, SizeAndBytesCanBeAskedFor) {
  TestPipe pipe;
  const ForeignProcess process;
  const ForeignEnd copy(pipe.id, end_of(process, pipe.out.get()));
  EXPECT_EQ(copy.capacity(), static_cast<uint64_t>(fcntl(pipe.in.get(), F_GETPIPE_SZ)));
  EXPECT_EQ(copy.queued(), 0u);
  ASSERT_EQ(write(pipe.in.get(), "12345", 5), 5);
  EXPECT_EQ(copy.queued(), 5u);
}

TEST_F(ForeignEndTest, TheKernelRoundsSizes) {
  TestPipe pipe;
  const ForeignProcess process;
  ForeignEnd copy(pipe.id, end_of(process, pipe.out.get()));
  EXPECT_EQ(copy.resize(100'000), 131'072u);
  EXPECT_EQ(fcntl(pipe.in.get(), F_GETPIPE_SZ), 131'072);
  EXPECT_THROW(copy.resize(0), SystemError);
  EXPECT_THROW(copy.resize(uint64_t{1} << 40), SystemError);
}

TEST_F(ForeignEndTest, NobodyHasACopyLater) {
  TestPipe pipe;
  ForeignProcess process;
  { const ForeignEnd copy(pipe.id, end_of(process, pipe.in.get())); }
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
