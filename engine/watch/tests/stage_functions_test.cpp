// The functions of two foreign processes.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {
namespace {

class StageFunctionsTest : public testing::Test {
 protected:
  void SetUp() override {
    // Its other half is not asked for here: the process has no more to do with a pipe than this.
    functions_ = make_stage_functions();
    functions_->watch(ProcessId{getpid(), 0}, {});
    PIPETOP_NEED(functions_->functions({getpid(), 0}));
    functions_->watch({}, {});
  }

  // Polls until the process has that many samples.
  uint64_t samples(ProcessId process, uint64_t wanted) {
    Reading<FunctionTable> table;
    EXPECT_TRUE(eventually([&] {
      functions_->poll(monotonic_ns());
      table = functions_->functions(process);
      return table.has_value() && table->samples >= wanted;
    })) << table.reason;
    return table.has_value() ? table->samples : 0;
  }

  const BusyChild first_{[] { getppid(); }};
  const BusyChild second_{[] { getppid(); }};
  const BusyChild third_{[] { getppid(); }};
  const ProcessId a{first_.pid(), 1}, b{second_.pid(), 1}, c{third_.pid(), 1};
  std::unique_ptr<StageFunctions> functions_;
};

TEST_F(StageFunctionsTest, AreOfBothAndStayWhenTheyChangeTheirParts) {
  functions_->watch(a, b);
  const uint64_t of_a = samples(a, 50), of_b = samples(b, 50);
  functions_->watch(b, a);
  EXPECT_GE(samples(a, 1), of_a);
  EXPECT_GE(samples(b, 1), of_b);
  EXPECT_EQ(functions_->functions(c).status, ReadingStatus::warming);
}

TEST_F(StageFunctionsTest, WhoLeavesMakesRoomForAnother) {
  functions_->watch(a, b);
  samples(a, 50);
  const uint64_t of_b = samples(b, 50);
  functions_->watch(c, b);
  EXPECT_FALSE(functions_->functions(a).has_value());
  EXPECT_FALSE(functions_->functions(c).has_value()) << "not those of a";
  EXPECT_GE(samples(c, 20), 20u);
  EXPECT_GE(samples(b, 1), of_b);
}

TEST_F(StageFunctionsTest, OneCanBeBoth) {
  functions_->watch(a, a);
  EXPECT_GE(samples(a, 20), 20u);
  functions_->watch({}, a);
  EXPECT_GE(samples(a, 20), 20u);
}

}  // namespace
}  // namespace pipetop
