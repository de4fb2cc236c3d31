#include "engine/experiment/limits_steps.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>

#include "engine/base/error.h"

namespace pipetop {
namespace {

constexpr uint64_t kRing = 64 * 1024;

// One for each of `things`, all above 0.
void expect_figures(const std::vector<double>& slice, size_t things) {
  ASSERT_EQ(slice.size(), things);
  for (const double figure : slice) EXPECT_GT(figure, 0);
}

size_t open_files() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

TEST(LimitsSteps, EachGivesItsFigures) {
  expect_figures(empty_syscall_step()(), 1);
  expect_figures(lent_pages_step({Pages::k4, Touched::yes}, kRing)(), 2);
  expect_figures(lent_pages_step({Pages::k4, Touched::never}, kRing)(), 2);
  expect_figures(slots_step(Pages::k4, kRing)(), 2);
  expect_figures(copy_step(kRing)(), 2);
}

TEST(LimitsSteps, AWakeupNeedsAProcessThatIsGoneAfterwards) {
  const std::vector<Cpu> cpus = read_topology();
  expect_figures(wakeup_step(cpus.front().number)(), 1);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  EXPECT_EQ(errno, ECHILD);
}

TEST(LimitsSteps, LeaveNoFilesOpen) {
  const size_t before = open_files();
  wakeup_step(read_topology().front().number)();
  slots_step(Pages::k4, kRing)();
  EXPECT_EQ(open_files(), before);
}

TEST(LimitsSteps, KindsHaveNames) {
  EXPECT_EQ(to_text(LentPagesKind{Pages::k4, Touched::never}), "4k untouched");
  EXPECT_EQ(to_text(LentPagesKind{Pages::k4, Touched::again}), "4k untouched, again");
  EXPECT_EQ(to_text(LentPagesKind{Pages::thp, Touched::yes}), "thp");
}

TEST(LimitsPipe, ARingHasItsSizeOrThereIsNone) {
  EXPECT_EQ(make_ring(4096).capacity_bytes(), 4096u);
  try {
    make_ring(3 * 4096);  // the kernel would round it up
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, 16), "a pipe of 12KiB:");
  }
}

TEST(LimitsPipe, AShortCallIsAnError) {
  EXPECT_NO_THROW(check_moved("tee", 4096, 4096));
  EXPECT_THROW(check_moved("tee", 100, 4096), Error);
  errno = EPERM;
  try {
    check_moved("tee", -1, 4096);
    FAIL();
  } catch (const SystemError& e) {
    EXPECT_EQ(e.error_number(), EPERM);
  }
}

LimitsStep refused(int after) {
  return [left = after]() mutable {
    if (left-- == 0) throw Error("enough");
    return std::vector{double(left)};
  };
}

TEST(LimitsVisits, DropsTheFirstSliceOfAVisit) {
  MeasuredStep step("down", [] { return refused(10); });
  EXPECT_EQ(step.spread(0).status, ReadingStatus::warming);
  step.visit();
  EXPECT_EQ(step.figures(0), (std::vector<double>{8, 7, 6, 5}));
  step.visit();
  EXPECT_EQ(step.figures(0).size(), 8u);
  EXPECT_EQ(step.spread(0)->median, 4) << "3, 2, 1 and 0 follow";
}

TEST(LimitsVisits, ARefusalIsAState) {
  MeasuredStep late("late", [] { return refused(2); });
  late.visit();
  EXPECT_EQ(late.spread(0).status, ReadingStatus::unavailable);
  EXPECT_EQ(late.spread(0).reason, "enough");
  MeasuredStep never("never", []() -> LimitsStep { throw Error("no"); });
  never.visit();
  EXPECT_EQ(never.spread(0).reason, "no");
}

TEST(Spread, AreQuartiles) {
  const Spread s = spread_of({5, 1, 4, 2, 3});
  EXPECT_EQ(s.lower, 2);
  EXPECT_EQ(s.median, 3);
  EXPECT_EQ(s.upper, 4);
  EXPECT_EQ(s.count, 5u);
  EXPECT_EQ(differences({5, 6, 7}, {1, 2}), (std::vector<double>{4, 4}));
}

// As mm/gup_test.h of Linux 5.11 and later.
TEST(GupTest, HasTheKernelsLayout) {
  EXPECT_EQ(kGupFastBenchmark, 0xC0506701u);
  EXPECT_EQ(offsetof(GupTest, addr), 16u);
  EXPECT_EQ(offsetof(GupTest, nr_pages_per_call), 32u);
  EXPECT_EQ(offsetof(GupTest, which_pages), 44u);
}

TEST(GupTest, SaysWhyThereIsNone) {
  if (::access(kGupTestFile, R_OK | W_OK) == 0) {
    expect_figures(gup_test_step(Pages::k4)(), 2);
    return;
  }
  try {
    gup_test_step(Pages::k4);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(kGupTestFile), std::string::npos);
  }
}

TEST(Pinned, GoesBackWhereItWas) {
  const std::vector<Cpu> before = read_topology();
  {
    const Pinned pinned(before.back().number, before);
    EXPECT_EQ(read_topology().size(), 1u);
    EXPECT_EQ(::sched_getcpu(), before.back().number);
  }
  EXPECT_EQ(read_topology().size(), before.size());
}

TEST(RingSteps, GrowFromASingleSlot) {
  RingSteps rings;
  ASSERT_FALSE(rings.steps().empty());
  EXPECT_EQ(rings.bytes(0), 4096u);
  EXPECT_EQ(rings.roof().status, ReadingStatus::warming) << "nothing is measured yet";
  for (MeasuredStep& step : rings.steps()) step.visit();
  EXPECT_NE(rings.roof().status, ReadingStatus::warming) << rings.roof().reason;
}

}  // namespace
}  // namespace pipetop
