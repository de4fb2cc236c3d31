#include "engine/watch/interventions.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <latch>
#include <string>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/process/tests/foreign_process.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/locked_pipe.h"

namespace pipetop {
namespace {

constexpr uint64_t kKiB = 1024;

template <class Function>
std::string error_of(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool says(const std::string& text, const char* part) { return text.find(part) != text.npos; }

// The newest of ours: those of earlier tests may still try. 0 if there is none.
pid_t child_named(const std::string& name) {
  std::ifstream children("/proc/thread-self/children");
  pid_t newest = 0;
  for (pid_t child = 0; children >> child;) {
    std::ifstream comm("/proc/" + std::to_string(child) + "/comm");
    if (std::string its; comm >> its && its == name) newest = child;
  }
  return newest;
}

// An ordinary user already has none.
bool drop_rights() {
  return geteuid() != 0 ||
         (setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
}

class InterventionsTest : public testing::Test {
 protected:
  void SetUp() override {
    PIPETOP_NEED_COPIES();
    ASSERT_EQ(fcntl(pipe.in.get(), F_SETPIPE_SZ, 64 * kKiB), 64 * kKiB);
  }

  uint64_t size() const { return static_cast<uint64_t>(fcntl(pipe.in.get(), F_GETPIPE_SZ)); }
  PipeEnd end(const ForeignProcess& process) const { return {process.id(), pipe.out.get()}; }
  std::string pipe_text() const { return "pipe " + std::to_string(pipe.id.inode); }

  void fill() const {
    const std::array<char, 4096> page = {};
    while (write(pipe.in.get(), page.data(), page.size()) > 0) continue;
  }
  void drain() const {
    std::array<char, 4096> page;
    while (read(pipe.out.get(), page.data(), page.size()) > 0) continue;
  }

  TestPipe pipe{O_NONBLOCK};
  Interventions interventions;
};

TEST_F(InterventionsTest, APipeIsResizedAndPutBack) {
  const ForeignProcess process;
  EXPECT_EQ(interventions.resize(pipe.id, {end(process)}, 256 * kKiB), 256 * kKiB);
  EXPECT_EQ(size(), 256 * kKiB);
  ASSERT_EQ(interventions.done().size(), 1u);
  EXPECT_EQ(interventions.done()[0].text, pipe_text() + ": 64 KiB -> 256 KiB");
  EXPECT_EQ(interventions.undo(), "undone: " + pipe_text() + ": 64 KiB -> 256 KiB");
  EXPECT_EQ(size(), 64 * kKiB);
  EXPECT_TRUE(interventions.done().empty());
  EXPECT_EQ(interventions.undo(), "nothing to put back");
}

TEST_F(InterventionsTest, TheSameSizeIsNoChange) {
  const ForeignProcess process;
  EXPECT_EQ(interventions.resize(pipe.id, {end(process)}, 60 * kKiB), 64 * kKiB);
  EXPECT_TRUE(interventions.done().empty());
}

TEST_F(InterventionsTest, ChangesArePutBackLastOneFirst) {
  const ForeignProcess process;
  interventions.resize(pipe.id, {end(process)}, 128 * kKiB);
  interventions.resize(pipe.id, {end(process)}, 512 * kKiB);
  EXPECT_TRUE(says(interventions.undo(), "128 KiB -> 512 KiB"));
  EXPECT_EQ(size(), 128 * kKiB);
  interventions.resize(pipe.id, {end(process)}, 256 * kKiB);
  const std::string words = interventions.undo_all();
  EXPECT_LT(words.find("128 KiB -> 256 KiB"), words.find("64 KiB -> 128 KiB")) << words;
  EXPECT_EQ(size(), 64 * kKiB);
}

TEST_F(InterventionsTest, WhatWouldNotFitIsRefused) {
  const ForeignProcess process;
  const std::array<char, 4096> page = {};
  while (write(pipe.in.get(), page.data(), page.size()) > 0) continue;
  const std::string why =
      error_of([&] { interventions.resize(pipe.id, {end(process)}, 16 * kKiB); });
  EXPECT_TRUE(says(why, "65536 bytes") && says(why, "; wait")) << why;
  EXPECT_EQ(size(), 64 * kKiB);
  EXPECT_TRUE(interventions.done().empty());
}

TEST_F(InterventionsTest, NobodyWaitsForAPipeThatIsLocked) {
  LockedPipe locked;
  const PipeEnd end = {id_of_process(locked.holder()), locked.pipe().in.get()};
  const std::string why =
      error_of([&] { interventions.resize(locked.pipe().id, {end}, 128 * kKiB); });
  EXPECT_TRUE(says(why, "is locked") && says(why, "; try it again")) << why;
  EXPECT_TRUE(interventions.done().empty());
  locked.let_go();
}

TEST_F(InterventionsTest, WhatCannotBePutBackNowCanBeLater) {
  const ForeignProcess process;
  interventions.resize(pipe.id, {end(process)}, 256 * kKiB);
  std::array<char, 4096> page = {};
  while (write(pipe.in.get(), page.data(), page.size()) > 0) continue;
  const std::string why = error_of([&] { interventions.undo(); });
  EXPECT_TRUE(says(why, "262144 bytes are in the pipe") && says(why, "; it is tried again")) << why;
  ASSERT_EQ(interventions.done().size(), 1u);
  while (read(pipe.out.get(), page.data(), page.size()) > 0) continue;
  EXPECT_TRUE(says(interventions.undo(), "undone"));
  EXPECT_EQ(size(), 64 * kKiB);
}

TEST_F(InterventionsTest, WhatCannotBePutBackStaysAndIsTriedAgain) {
  const ForeignProcess process;
  const auto always = [](PipeId, uint64_t) { return true; };
  interventions.resize(pipe.id, {end(process)}, 128 * kKiB);
  interventions.resize(pipe.id, {end(process)}, 256 * kKiB);
  fill();
  const std::string why = error_of([&] { interventions.undo_all(); });
  EXPECT_TRUE(says(why, "not put back") && says(why, "64 KiB -> 128 KiB")) << why;
  ASSERT_EQ(interventions.done().size(), 2u);
  EXPECT_TRUE(says(interventions.done()[0].waits, "262144 bytes")) << interventions.done()[0].waits;
  EXPECT_TRUE(interventions.retry(always).empty());
  drain();
  EXPECT_TRUE(interventions.retry([](PipeId, uint64_t) { return false; }).empty());
  EXPECT_EQ(size(), 256 * kKiB);
  EXPECT_EQ(interventions.retry(always).size(), 2u) << "the last one first";
  EXPECT_EQ(size(), 64 * kKiB);
}

TEST_F(InterventionsTest, ANewChangeIsNotUndoneByAnOldWish) {
  const ForeignProcess process;
  interventions.resize(pipe.id, {end(process)}, 128 * kKiB);
  fill();
  EXPECT_NE(error_of([&] { interventions.undo_all(); }), "");
  interventions.resize(pipe.id, {end(process)}, 256 * kKiB);
  drain();
  EXPECT_TRUE(interventions.retry([](PipeId, uint64_t) { return true; }).empty());
  EXPECT_EQ(size(), 256 * kKiB);
}

TEST_F(InterventionsTest, AtTheEndWhatIsLeftIsSaidAndTriedOn) {
  const ForeignProcess process;
  interventions.resize(pipe.id, {end(process)}, 256 * kKiB);
  fill();
  const auto left = interventions.finish();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_TRUE(says(left[0], "64 KiB -> 256 KiB: 262144 bytes are in the pipe")) << left[0];
  EXPECT_TRUE(says(left[0], "tried for 30 s more, then: pipetop watch ")) << left[0];
  drain();
  EXPECT_TRUE(eventually([&] { return size() == 64 * kKiB; }));
}

// We have none; the guardian has.
TEST_F(InterventionsTest, WithoutDescriptorsNothingIsTakenForEndedOrLeft) {
  const ForeignProcess process;
  interventions.resize(pipe.id, {end(process)}, 256 * kKiB);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none = {3, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const std::string why = error_of([&] { interventions.undo_all(); });
  const size_t listed = interventions.done().size();
  const auto left = interventions.finish();
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(says(why, "Too many open files")) << why;
  EXPECT_EQ(listed, 1u);
  EXPECT_TRUE(left.empty()) << left[0];
  EXPECT_EQ(size(), 64 * kKiB);
}

// And where no other one can be started, we still put back what we can.
TEST_F(InterventionsTest, WithoutAGuardianNothingNewIsChangedAndTheRestIsPutBack) {
  const ForeignProcess process;
  ChangeLedger ledger("");
  ledger.begin();
  ledger.add({.fd = pipe.out.get(),
              .process = process.id(),
              .pipe = pipe.id,
              .before = 64 * kKiB,
              .set = 256 * kKiB});
  ASSERT_EQ(fcntl(pipe.in.get(), F_SETPIPE_SZ, 256 * kKiB), 256 * kKiB);
  const pid_t guardian = child_named("pipetop-guard");
  ASSERT_NE(guardian, 0);
  kill(guardian, SIGKILL);
  siginfo_t ended = {};
  waitid(P_PID, static_cast<id_t>(guardian), &ended, WEXITED | WNOWAIT);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none = {3, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const std::string why = error_of([&] { ledger.begin(); });
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(says(why, "refused: no guardian")) << why;
  EXPECT_FALSE(ledger.finish());
  EXPECT_TRUE(ledger.list().is_empty());
  EXPECT_EQ(size(), 64 * kKiB);
}

TEST_F(InterventionsTest, WhatSomebodyElseSetSinceIsLeftAlone) {
  const ForeignProcess process;
  interventions.resize(pipe.id, {end(process)}, 256 * kKiB);
  ASSERT_EQ(fcntl(pipe.in.get(), F_SETPIPE_SZ, 512 * kKiB), 512 * kKiB);
  EXPECT_TRUE(says(interventions.undo(), "somebody else has changed it since"));
  EXPECT_EQ(size(), 512 * kKiB);
}

TEST_F(InterventionsTest, TooLargeSizesAreExplained) {
  const ForeignProcess process;
  EXPECT_TRUE(says(error_of([&] { interventions.resize(pipe.id, {end(process)}, 0); }), "; give"));
  // In a process without the right to exceed the limit.
  Child child([&] {
    const bool dropped = drop_rights();
    Interventions own;
    const PipeEnd ours = {id_of_process(getpid()), pipe.out.get()};
    const std::string why = error_of([&] { own.resize(pipe.id, {ours}, uint64_t{1} << 30); });
    return dropped && says(why, "pipe-max-size") && says(why, "; raise") ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
}

TEST_F(InterventionsTest, AProcessThatHasExitedIsNotTouched) {
  ForeignProcess process;
  interventions.resize(pipe.id, {end(process)}, 256 * kKiB);
  const PipeEnd last = end(process);
  process.end();
  EXPECT_TRUE(says(interventions.undo_all(), "has ended since"));
  EXPECT_EQ(size(), 256 * kKiB);
  const std::string why = error_of([&] { interventions.resize(pipe.id, {last}, 4096); });
  EXPECT_TRUE(says(why, "has exited")) << why;
}

TEST_F(InterventionsTest, AnyHolderThatIsLeftWillDo) {
  ForeignProcess first, second, third;
  const std::vector<PipeEnd> ends = {end(first), end(second), end(third)};
  first.end();
  EXPECT_EQ(interventions.resize(pipe.id, ends, 256 * kKiB), 256 * kKiB);
  second.end();
  EXPECT_TRUE(says(interventions.undo(), "undone"));
  EXPECT_EQ(size(), 64 * kKiB);
  EXPECT_TRUE(
      says(error_of([&] { interventions.resize(pipe.id, {}, 256 * kKiB); }), "is no longer open"));
}

// As if its number had been given again.
TEST_F(InterventionsTest, ALaterProcessWithTheNumberIsNotTouched) {
  const ForeignProcess process;
  ProcessId earlier = process.id();
  --earlier.start_ticks;
  EXPECT_THROW(interventions.resize(pipe.id, {{earlier, pipe.out.get()}}, 256 * kKiB), Error);
  EXPECT_EQ(size(), 64 * kKiB);
}

TEST_F(InterventionsTest, ADescriptorThatIsAnotherPipesIsNotTouched) {
  const TestPipe other;
  const ForeignProcess process;
  const std::string why = error_of([&] {
    interventions.resize(pipe.id, {{process.id(), other.out.get()}}, 256 * kKiB);
  });
  EXPECT_TRUE(says(why, "has closed descriptor")) << why;
  EXPECT_EQ(size(), 64 * kKiB);
}

// The reader must get its end of file while we change and put back all the time.
TEST_F(InterventionsTest, EndOfFileComesAllTheSame) {
  for (int i = 0; i < 50; ++i) {
    TestPipe own;
    ForeignProcess process;
    const PipeEnd in = {process.id(), own.in.get()};
    Interventions changes;
    changes.resize(own.id, {in}, 128 * kKiB);
    own.in.reset();
    std::jthread end([&] { process.end(); });
    char c;
    EXPECT_EQ(read(own.out.get(), &c, 1), 0);
    EXPECT_NO_THROW(changes.undo_all());
  }
}

}  // namespace
}  // namespace pipetop
