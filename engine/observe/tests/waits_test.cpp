#include "engine/observe/waits.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include "engine/observe/pipe_scanner.h"

namespace pipetop::observe {
namespace {

// A process with some descriptors.
class TaskWaits : public testing::Test {
 protected:
  static constexpr int kEmpty = 3, kFull = 4, kHalf = 5, kUnknown = 6;  // pipes
  static constexpr int kSocket = 10, kTerminal = 11, kFile = 12, kHidden = 13, kTimer = 14;

  TaskWaits() {
    empty_.ring = RingCounts{.slots = 16, .head = 7, .tail = 7};
    full_.ring = RingCounts{.slots = 16, .head = 23, .tail = 7};
    half_.ring = RingCounts{.slots = 16, .head = 15, .tail = 7};
  }

  Descriptor find(int fd) const {
    switch (fd) {
      case kEmpty:
        return {.pipe = &empty_, .access = Access::both, .name = ""};
      case kFull:
        return {.pipe = &full_, .access = Access::both, .name = ""};
      case kHalf:
        return {.pipe = &half_, .access = Access::read, .name = ""};
      case kUnknown:
        return {.pipe = &unknown_, .access = Access::write, .name = ""};
      case kSocket:
        return {.pipe = nullptr, .access = Access::both, .name = "socket:[81]"};
      case kTerminal:
        return {.pipe = nullptr, .access = Access::both, .name = "/dev/pts/3"};
      case kFile:
        return {.pipe = nullptr, .access = Access::both, .name = "/home/me/dev/tty"};
      case kTimer:
        return {.pipe = nullptr, .access = Access::both, .name = "anon_inode:[timerfd]"};
      default:
        return {};
    }
  }

  TaskWait wait(Sleep sleep, int64_t number, int first = 0, int second = 0, int third = 0) const {
    const auto as_argument = [](int fd) {
      return uint64_t{0xffff'ffff'0000'0000} | static_cast<uint32_t>(fd);  // the kernel takes 32
    };
    const SystemCall call = {number, {as_argument(first), as_argument(second), as_argument(third)}};
    return wait_of(call, sleep, [this](int fd, bool) { return find(fd); });
  }

  TaskWait asleep(int64_t number, int first = 0, int second = 0, int third = 0) const {
    return wait(Sleep::interruptible, number, first, second, third);
  }

  ScannedPipe empty_, full_, half_, unknown_;
};

TEST_F(TaskWaits, ReadsAndWritesAreOfTheirDescriptor) {
  EXPECT_EQ(asleep(SYS_read, kEmpty), (TaskWait{WaitsFor::pipe_read, kEmpty}));
  EXPECT_EQ(asleep(SYS_readv, kEmpty), (TaskWait{WaitsFor::pipe_read, kEmpty}));
  EXPECT_EQ(asleep(SYS_write, kFull), (TaskWait{WaitsFor::pipe_write, kFull}));
  EXPECT_EQ(asleep(SYS_writev, kFull), (TaskWait{WaitsFor::pipe_write, kFull}));
  EXPECT_EQ(asleep(SYS_read, kSocket), (TaskWait{WaitsFor::network, kSocket}));
  EXPECT_EQ(asleep(SYS_recvfrom, kSocket), (TaskWait{WaitsFor::network, kSocket}));
  EXPECT_EQ(asleep(SYS_sendmsg, kSocket), (TaskWait{WaitsFor::network, kSocket}));
  EXPECT_EQ(asleep(SYS_read, kTerminal), (TaskWait{WaitsFor::terminal, kTerminal}));
  EXPECT_EQ(asleep(SYS_read, kTimer), (TaskWait{WaitsFor::sleep, kTimer}));
  EXPECT_EQ(asleep(SYS_read, kFile), (TaskWait{WaitsFor::other, kFile}));
  EXPECT_EQ(asleep(SYS_read, kHidden), (TaskWait{WaitsFor::other, kHidden}));
}

TEST_F(TaskWaits, OtherCallsSayItThemselves) {
  EXPECT_EQ(asleep(SYS_nanosleep).wait, WaitsFor::sleep);
  EXPECT_EQ(asleep(SYS_clock_nanosleep).wait, WaitsFor::sleep);
  EXPECT_EQ(asleep(SYS_futex).wait, WaitsFor::lock);
  EXPECT_EQ(asleep(SYS_flock).wait, WaitsFor::lock);
  EXPECT_EQ(asleep(SYS_fcntl, kFile, F_SETLKW).wait, WaitsFor::lock);
  EXPECT_EQ(asleep(SYS_fcntl, kFile, F_GETFL).wait, WaitsFor::other);
  EXPECT_EQ(asleep(SYS_wait4).wait, WaitsFor::child);
  EXPECT_EQ(asleep(SYS_waitid).wait, WaitsFor::child);
  EXPECT_EQ(asleep(SYS_ppoll).wait, WaitsFor::poll);
  EXPECT_EQ(asleep(SYS_pselect6).wait, WaitsFor::poll);
  EXPECT_EQ(asleep(SYS_epoll_pwait).wait, WaitsFor::poll);
  EXPECT_EQ(asleep(SYS_rt_sigsuspend).wait, WaitsFor::signal);
  EXPECT_EQ(asleep(SYS_rt_sigtimedwait).wait, WaitsFor::signal);
  EXPECT_EQ(asleep(SYS_accept4).wait, WaitsFor::network);
#ifdef __x86_64__
  EXPECT_EQ(asleep(SYS_poll).wait, WaitsFor::poll);
  EXPECT_EQ(asleep(SYS_select).wait, WaitsFor::poll);
  EXPECT_EQ(asleep(SYS_pause).wait, WaitsFor::signal);
#endif
  EXPECT_EQ(asleep(SYS_nanosleep).fd, -1);
}

TEST_F(TaskWaits, WhatIsNotKnownIsNotGuessed) {
  for (const int64_t number : {int64_t{-1}, int64_t{SYS_getpid}, int64_t{511}, int64_t{512},
                               int64_t{0x4000'0000}, INT64_MIN, INT64_MAX})
    EXPECT_EQ(asleep(number, kEmpty), (TaskWait{WaitsFor::other, -1})) << number;
}

TEST_F(TaskWaits, TheKindOfSleepCounts) {
  EXPECT_EQ(wait(Sleep::stopped, SYS_read, kEmpty).wait, WaitsFor::stopped);
  EXPECT_EQ(wait(Sleep::device, SYS_write, kFile).wait, WaitsFor::disk);
  EXPECT_EQ(wait(Sleep::uninterruptible, SYS_write, kFile).wait, WaitsFor::disk);
  EXPECT_EQ(wait(Sleep::uninterruptible, SYS_fsync, kFile).wait, WaitsFor::disk);
  EXPECT_EQ(wait(Sleep::uninterruptible, -1).wait, WaitsFor::disk);  // in a page fault
  EXPECT_EQ(wait(Sleep::uninterruptible, SYS_clone).wait, WaitsFor::child);
  EXPECT_EQ(wait(Sleep::uninterruptible, SYS_read, kSocket).wait, WaitsFor::network);
  // For the mutex that the other end holds.
  EXPECT_EQ(wait(Sleep::uninterruptible, SYS_read, kHalf), (TaskWait{WaitsFor::lock, kHalf}));
}

TEST_F(TaskWaits, SpliceBetweenAPipeAndAnythingElse) {
  EXPECT_EQ(asleep(SYS_splice, kEmpty, 0, kFile), (TaskWait{WaitsFor::pipe_read, kEmpty}));
  EXPECT_EQ(asleep(SYS_splice, kEmpty, 0, kSocket), (TaskWait{WaitsFor::pipe_read, kEmpty}));
  EXPECT_EQ(asleep(SYS_splice, kHalf, 0, kSocket), (TaskWait{WaitsFor::network, kSocket}));
  EXPECT_EQ(asleep(SYS_splice, kUnknown, 0, kFile), (TaskWait{WaitsFor::pipe_read, kUnknown}));
  EXPECT_EQ(asleep(SYS_splice, kFile, 0, kFull), (TaskWait{WaitsFor::pipe_write, kFull}));
  EXPECT_EQ(asleep(SYS_splice, kSocket, 0, kFull), (TaskWait{WaitsFor::pipe_write, kFull}));
  EXPECT_EQ(asleep(SYS_splice, kSocket, 0, kHalf), (TaskWait{WaitsFor::network, kSocket}));
  EXPECT_EQ(asleep(SYS_sendfile, kFull, kFile), (TaskWait{WaitsFor::pipe_write, kFull}));
  EXPECT_EQ(asleep(SYS_sendfile, kSocket, kFile), (TaskWait{WaitsFor::network, kSocket}));
  EXPECT_EQ(wait(Sleep::uninterruptible, SYS_splice, kFile, 0, kHalf),
            (TaskWait{WaitsFor::disk, kFile}));
  EXPECT_EQ(wait(Sleep::uninterruptible, SYS_splice, kHalf, 0, kFile),
            (TaskWait{WaitsFor::disk, kFile}));
}

TEST_F(TaskWaits, BetweenTwoPipesTheRingDecides) {
  EXPECT_EQ(asleep(SYS_splice, kEmpty, 0, kFull), (TaskWait{WaitsFor::pipe_read, kEmpty}));
  EXPECT_EQ(asleep(SYS_splice, kHalf, 0, kFull), (TaskWait{WaitsFor::pipe_write, kFull}));
  EXPECT_EQ(asleep(SYS_tee, kEmpty, kFull), (TaskWait{WaitsFor::pipe_read, kEmpty}));
  EXPECT_EQ(asleep(SYS_tee, kHalf, kFull), (TaskWait{WaitsFor::pipe_write, kFull}));
  EXPECT_EQ(asleep(SYS_splice, kUnknown, 0, kFull), (TaskWait{WaitsFor::other, -1}));
}

// Without BPF: the bytes, if they could be asked for.
TEST_F(TaskWaits, BytesDecideWhereTheRingIsUnknown) {
  unknown_.queued = 0;
  EXPECT_EQ(asleep(SYS_splice, kUnknown, 0, kFull).wait, WaitsFor::pipe_read);
  unknown_.queued = 100;
  EXPECT_EQ(asleep(SYS_splice, kUnknown, 0, kFull).wait, WaitsFor::pipe_write);
}

// By the function that it sleeps in: for the pipe itself it waits without the lock.
TEST_F(TaskWaits, WhoWaitsForSomethingElseHasTheLock) {
  std::string wchan = "unix_stream_read_generic";
  const auto locked = [&](Sleep sleep, int64_t number, uint64_t first, uint64_t second,
                          uint64_t third = 0) {
    return locked_by(
        {number, {first, second, third}}, sleep, [&](int fd, bool) { return find(fd).pipe; },
        [&] { return wchan; });
  };
  EXPECT_EQ(locked(Sleep::interruptible, SYS_splice, kSocket, 0, kHalf), &half_);
  EXPECT_EQ(locked(Sleep::interruptible, SYS_splice, kHalf, 0, kSocket), &half_);
  EXPECT_EQ(locked(Sleep::interruptible, SYS_splice, kTerminal, 0, kUnknown), &unknown_);
  EXPECT_EQ(locked(Sleep::interruptible, SYS_sendfile, kFull, kTimer), &full_);
  EXPECT_FALSE(locked(Sleep::interruptible, SYS_splice, kEmpty, 0, kFull)) << "two pipes";
  EXPECT_FALSE(locked(Sleep::interruptible, SYS_splice, kFile, 0, kSocket)) << "none";
  EXPECT_FALSE(locked(Sleep::interruptible, SYS_tee, kHalf, kEmpty));
  EXPECT_FALSE(locked(Sleep::interruptible, SYS_read, kHalf, 0));
  EXPECT_FALSE(locked(Sleep::uninterruptible, SYS_splice, kSocket, 0, kHalf)) << "it wants it";
  EXPECT_FALSE(locked(Sleep::stopped, SYS_splice, kSocket, 0, kHalf));
  for (const char* not_told : {"", "0", "pipe_wait_writable", "pipe_wait_readable", "pipe_wait",
                               "wait_for_space", "splice_from_pipe_next.part.0"}) {
    wchan = not_told;
    EXPECT_FALSE(locked(Sleep::interruptible, SYS_splice, kSocket, 0, kFull)) << not_told;
  }
  half_.socket.emplace();
  wchan = "wait_woken";
  EXPECT_EQ(locked(Sleep::interruptible, SYS_splice, kHalf, 0, kEmpty), &empty_) << "one is none";
}

TEST_F(TaskWaits, VmspliceGoesWhereTheEndDoes) {
  EXPECT_EQ(asleep(SYS_vmsplice, kUnknown).wait, WaitsFor::pipe_write);  // a write end
  EXPECT_EQ(asleep(SYS_vmsplice, kHalf).wait, WaitsFor::pipe_read);
}

TEST(WaitOn, TellsDescriptorsByTheirNames) {
  EXPECT_EQ(wait_on("socket:[1]", false), WaitsFor::network);
  EXPECT_EQ(wait_on("/dev/pts/3", false), WaitsFor::terminal);
  EXPECT_EQ(wait_on("/dev/tty", false), WaitsFor::terminal);
  EXPECT_EQ(wait_on("/dev/ttyS0", false), WaitsFor::terminal);
  EXPECT_EQ(wait_on("/dev/console", false), WaitsFor::terminal);
  EXPECT_EQ(wait_on("anon_inode:[signalfd]", false), WaitsFor::signal);
  EXPECT_EQ(wait_on("anon_inode:inotify", false), WaitsFor::other);
  EXPECT_EQ(wait_on("", false), WaitsFor::other);
  EXPECT_EQ(wait_on("/srv/data", true), WaitsFor::disk);
  EXPECT_EQ(wait_on("", true), WaitsFor::disk);
}

TEST(ParseSystemCall, HasNumberAndArguments) {
  const auto call =
      parse_system_call("275 0x3 0x0 0x4 0x10000 0x0 0x0 0x7ffc5bd1c4a8 0x7f9b0e1f2a2e\n");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->number, 275);
  EXPECT_EQ(call->fd(0), 3);
  EXPECT_EQ(call->argument[1], 0u);
  EXPECT_EQ(call->fd(2), 4);
}

TEST(ParseSystemCall, NoneIsKnownToo) {
  for (const char* text : {"running\n", "-1 0x7ffc5bd1c4a8 0x7f9b0e1f2a2e\n"}) {
    const auto call = parse_system_call(text);
    ASSERT_TRUE(call) << text;
    EXPECT_EQ(call->number, -1) << text;
    EXPECT_EQ(call->argument[0], 0u) << text;
  }
}

TEST(ParseSystemCall, WhatMayNotBeReadIsNotKnown) {
  for (const char* text : {"", "\n", "0", "0 0x3", "0 0x3 0x1", "x"})
    EXPECT_FALSE(parse_system_call(text)) << text;
}

TEST(TaskState, LettersSayHowItSleeps) {
  EXPECT_EQ(sleep_of('S'), Sleep::interruptible);
  EXPECT_EQ(sleep_of('I'), Sleep::interruptible);
  EXPECT_EQ(sleep_of('D'), Sleep::uninterruptible);
  EXPECT_EQ(sleep_of('T'), Sleep::stopped);
  EXPECT_EQ(sleep_of('t'), Sleep::stopped);
}

constexpr const char* kInfo = "pos:\t0\nflags:\t02\nmnt_id:\t29\nino:\t1234\n";

TEST(DescriptorWait, APipeIsKnownByItsInode) {
  EXPECT_EQ(descriptor_wait("pipe:[81234]", ""),
            (DescriptorWait{WaitsFor::pipe_read, 81234, false}));
}

TEST(DescriptorWait, APathMayBeAFifo) {
  EXPECT_EQ(descriptor_wait("/tmp/fifo", kInfo), (DescriptorWait{WaitsFor::other, 1234, true}));
  EXPECT_EQ(descriptor_wait("/tmp/fifo", ""), (DescriptorWait{WaitsFor::other, 0, true}));
  EXPECT_EQ(descriptor_wait("/dev/pts/3", kInfo).wait, WaitsFor::terminal);
}

TEST(DescriptorWait, OthersAreNoPipes) {
  EXPECT_EQ(descriptor_wait("socket:[5]", ""), (DescriptorWait{WaitsFor::network, 5, false}));
  EXPECT_EQ(descriptor_wait("", ""), (DescriptorWait{WaitsFor::other, 0, false})) << "it is gone";
}

}  // namespace
}  // namespace pipetop::observe
