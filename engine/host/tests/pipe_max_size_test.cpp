#include "engine/host/pipe_max_size.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/base/error.h"
#include "engine/base/system_files.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop {
namespace {

constexpr uint64_t kBefore = 1048576, kRaised = 16777216;

// A file that stands in for the sysctl: whoever raises the real one in a test would do it
// to the whole machine.
struct RaisedPipeMaxSizeTest : testing::Test {
  RaisedPipeMaxSizeTest() {
    path = (std::filesystem::temp_directory_path() / "pipetop-test-XXXXXX").string();
    ::close(::mkstemp(path.data()));
    write(kBefore);
  }
  ~RaisedPipeMaxSizeTest() override {
    ::unlink(path.c_str());
    ::unlink(record().c_str());
  }

  void write(uint64_t bytes) const { std::ofstream(path) << bytes << "\n"; }
  uint64_t now() const { return uint64_t(read_number(path, -1)); }

  std::string record() const { return path + ".record"; }

  std::string path;
};

// A zombie is gone: whoever inherited it has yet to look.
// A process that raises the limit and then waits for its end.
class Raiser {
 public:
  explicit Raiser(const std::string& path) : process_([&] { raise_and_wait(path); }) {
    pipe_.in.reset();
    EXPECT_EQ(::read(pipe_.out.get(), &guardian_, sizeof guardian_), ssize_t(sizeof guardian_));
  }

  void end(int signal) { process_.end(signal); }
  pid_t guardian() const { return guardian_; }
  pid_t pid() const { return process_.pid(); }
  // Whether nobody holds the end that this process was given.
  bool is_let_go() const { return pipe_.take() == 0; }

 private:
  void raise_and_wait(const std::string& path) const {
    const RaisedPipeMaxSize raised(kRaised, path, path + ".record");
    const pid_t guardian = raised.guardian();
    if (::write(pipe_.in.get(), &guardian, sizeof guardian) < 0) ::_exit(1);
    for (;;) ::pause();
  }

  TestPipe pipe_;
  pid_t guardian_ = 0;
  ForeignProcess process_;
};

TEST_F(RaisedPipeMaxSizeTest, IsPutBack) {
  pid_t guardian = 0;
  {
    const RaisedPipeMaxSize raised(kRaised, path, path + ".record");
    EXPECT_EQ(now(), kRaised);
    EXPECT_EQ(raised.before_bytes(), kBefore);
    EXPECT_EQ(raised.bytes(), kRaised);
    guardian = raised.guardian();
    EXPECT_FALSE(is_gone(guardian));
  }
  EXPECT_EQ(now(), kBefore);
  EXPECT_TRUE(is_gone(guardian));
}

TEST_F(RaisedPipeMaxSizeTest, LeavesALargerOneAlone) {
  write(2 * kRaised);
  {
    const RaisedPipeMaxSize raised(kRaised, path, path + ".record");
    EXPECT_EQ(raised.guardian(), 0);
    EXPECT_EQ(raised.bytes(), 2 * kRaised);
  }
  EXPECT_EQ(now(), 2 * kRaised);
}

TEST_F(RaisedPipeMaxSizeTest, DoesNotUndoWhatSomebodyElseSet) {
  {
    const RaisedPipeMaxSize raised(kRaised, path, path + ".record");
    write(4 * kRaised);
  }
  EXPECT_EQ(now(), 4 * kRaised);
}

TEST_F(RaisedPipeMaxSizeTest, IsRefusedInWords) {
  EXPECT_THROW(RaisedPipeMaxSize(kRaised, "/nonexistent/pipe-max-size", record()), Error);
  EXPECT_THROW(RaisedPipeMaxSize(kRaised, "/proc/version", record()), Error);
  EXPECT_THROW(RaisedPipeMaxSize(kRaised, "/proc/sys/kernel/osrelease", record()), Error);
  EXPECT_THROW(RaisedPipeMaxSize(kRaised, path, "/nonexistent/record"), Error);
  EXPECT_EQ(now(), kBefore);
}

TEST_F(RaisedPipeMaxSizeTest, IsPutBackWhenWeAreKilled) {
  Raiser raiser(path);
  EXPECT_EQ(now(), kRaised);
  raiser.end(SIGKILL);
  EXPECT_TRUE(eventually([&] { return now() == kBefore; }));
  EXPECT_TRUE(eventually([&] { return is_gone(raiser.guardian()); }));
}

TEST_F(RaisedPipeMaxSizeTest, TheGuardianLeavesAloneWhatSomebodyElseSet) {
  Raiser raiser(path);
  write(4 * kRaised);
  raiser.end(SIGKILL);
  EXPECT_TRUE(eventually([&] { return is_gone(raiser.guardian()); }));
  EXPECT_EQ(now(), 4 * kRaised);
}

TEST_F(RaisedPipeMaxSizeTest, TheGuardianOutlivesSignals) {
  Raiser raiser(path);
  EXPECT_EQ(::getsid(raiser.guardian()), raiser.guardian());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGALRM})
    ::kill(raiser.guardian(), signal);
  // One that was not blocked would end it before it can look at our end.
  raiser.end(SIGKILL);
  EXPECT_TRUE(eventually([&] { return now() == kBefore; }));
}

// Both at once, so that nobody is left to restore the limit.
void kill_with_guardian(Raiser& raiser) {
  ::kill(raiser.pid(), SIGSTOP);
  ::kill(raiser.guardian(), SIGKILL);
  ASSERT_TRUE(eventually([&] { return is_gone(raiser.guardian()); }));
  raiser.end(SIGKILL);
}

TEST_F(RaisedPipeMaxSizeTest, IsRepairedIfTheGuardianIsKilledToo) {
  EXPECT_FALSE(repair_pipe_max_size(path, record()));
  Raiser raiser(path);
  EXPECT_FALSE(repair_pipe_max_size(path, record())) << "it is in use";
  kill_with_guardian(raiser);
  EXPECT_EQ(now(), kRaised);
  EXPECT_EQ(repair_pipe_max_size(path, record()), kBefore);
  EXPECT_EQ(now(), kBefore);
  EXPECT_FALSE(repair_pipe_max_size(path, record())) << "once";
}

TEST_F(RaisedPipeMaxSizeTest, TheNextOneRepairsItFirst) {
  Raiser raiser(path);
  kill_with_guardian(raiser);
  {
    const RaisedPipeMaxSize raised(kRaised, path, record());
    EXPECT_EQ(raised.before_bytes(), kBefore);
    EXPECT_EQ(raised.bytes(), kRaised);
  }
  EXPECT_EQ(now(), kBefore);
}

TEST_F(RaisedPipeMaxSizeTest, ARepairLeavesAloneWhatSomebodyElseSet) {
  Raiser raiser(path);
  kill_with_guardian(raiser);
  write(4 * kRaised);
  EXPECT_FALSE(repair_pipe_max_size(path, record()));
  write(kRaised);
  EXPECT_FALSE(repair_pipe_max_size(path, record())) << "the record is void";
  EXPECT_EQ(now(), kRaised);
}

TEST_F(RaisedPipeMaxSizeTest, TwoDoNotLowerItUnderEachOther) {
  Raiser first(path);
  EXPECT_THROW(RaisedPipeMaxSize(2 * kRaised, path, record()), Error);
  EXPECT_THROW(RaisedPipeMaxSize(kRaised, path, record()), Error) << "it will not stay so large";
  EXPECT_EQ(now(), kRaised);
  first.end(SIGKILL);
  EXPECT_TRUE(eventually([&] { return is_gone(first.guardian()); }));
  const RaisedPipeMaxSize second(kRaised, path, record());
  EXPECT_EQ(second.before_bytes(), kBefore);
}

TEST_F(RaisedPipeMaxSizeTest, TheGuardianHoldsNothingOfOurs) {
  Raiser raiser(path);
  ::kill(raiser.pid(), SIGSTOP);
  const std::string fds = "/proc/" + std::to_string(raiser.guardian()) + "/fd";
  EXPECT_EQ(::access((fds + "/0").c_str(), F_OK), -1);
  EXPECT_EQ(::access((fds + "/3").c_str(), F_OK), 0);
  for (int fd = 6; fd < 64; ++fd)
    EXPECT_EQ(::access((fds + "/" + std::to_string(fd)).c_str(), F_OK), -1) << fd;
  raiser.end(SIGKILL);
  EXPECT_TRUE(raiser.is_let_go());
}

}  // namespace
}  // namespace pipetop
