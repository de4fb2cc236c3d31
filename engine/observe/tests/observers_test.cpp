#include "engine/observe/observers.h"

#include <gtest/gtest.h>

#include "engine/tests/support/test_pipe.h"

namespace pipetop {
namespace {

TEST(Observers, WithoutBpfSayWhyAndMeasureOccupancyOtherwise) {
  TestPipe pipe{O_NONBLOCK};
  Observers observers({.bpf = BpfUse::off, .pipe_fd = pipe.out.get()});
  observers.watch(Role::writer, 1);
  observers.poll(1'000'000'000);
  EXPECT_EQ(observers.event().reason, "BPF is switched off; run without --no-bpf");
  EXPECT_EQ(observers.functions(Role::writer).status, ReadingStatus::unavailable);
  EXPECT_EQ(observers.kinds().status, ReadingStatus::unavailable);
  EXPECT_EQ(observers.ring_frame(1).status, ReadingStatus::unavailable);
  const auto occupancy = observers.occupancy(1'000'000'000);
  ASSERT_TRUE(occupancy.has_value()) << occupancy.reason;
  EXPECT_EQ(occupancy->source, "FIONREAD 10 Hz");
  EXPECT_DOUBLE_EQ(occupancy->empty_share, 1.0);
  observers.restart(2'000'000'000);
  EXPECT_EQ(observers.occupancy(2'000'000'000).status, ReadingStatus::warming);
}

TEST(Observers, TheHistoryGoesOnWithoutBpfToo) {
  TestPipe pipe{O_NONBLOCK};
  Observers observers({.bpf = BpfUse::off, .pipe_fd = pipe.out.get()});
  EXPECT_EQ(observers.occupancy_history(), nullptr);
  for (uint64_t ms = 1000; ms <= 2000; ms += 50) {
    if (ms == 1500) {
      pipe.fill();
      observers.restart(ms * 1'000'000);
    }
    observers.poll(ms * 1'000'000);
  }
  const auto history = observers.occupancy_history();
  ASSERT_TRUE(history);
  ASSERT_EQ(history->columns.size(), 5u);
  for (const OccupancyColumn& column : history->columns)
    EXPECT_EQ(column.samples, 2u) << "ten a second";
  EXPECT_EQ(history->columns.front().count.front(), 2u);
  EXPECT_EQ(history->columns.back().count.back(), 2u);
}

TEST(Observers, OffTheySaySoAndOnAgainTheyKnowNothingOfBefore) {
  TestPipe pipe{O_NONBLOCK};
  Observers observers({.bpf = BpfUse::off, .pipe_fd = pipe.out.get()});
  observers.watch(Role::writer, 1);
  observers.poll(1'000'000'000);
  observers.poll(1'300'000'000);
  const auto columns = observers.occupancy_history()->columns.size();
  observers.set(Observing::off);
  for (const std::string& reason :
       {observers.event().reason, observers.functions(Role::writer).reason,
        observers.times(Role::writer).reason, observers.blocked(Role::writer).reason,
        observers.occupancy(1'400'000'000).reason, observers.kinds().reason,
        observers.ring_frame(1'400'000'000).reason})
    EXPECT_EQ(reason, kObserversOff);
  pipe.fill();
  observers.run(true);  // as after a suspension
  observers.poll(1'500'000'000);
  EXPECT_EQ(observers.occupancy(1'500'000'000).reason, kObserversOff);

  observers.set(Observing::on);
  observers.restart(1'600'000'000);
  EXPECT_EQ(observers.occupancy(1'600'000'000).status, ReadingStatus::warming);
  observers.poll(1'600'000'000);
  EXPECT_DOUBLE_EQ(observers.occupancy(1'600'000'000)->full_share, 1.0) << "none of before";
  EXPECT_EQ(observers.occupancy_history()->columns.size(), columns) << "none of both times";
  EXPECT_EQ(observers.event().reason, "BPF is switched off; run without --no-bpf");
}

TEST(Observers, OccupancyIsOfTheLastSecondsAndOfTheWholeSegment) {
  TestPipe pipe{O_NONBLOCK};
  Observers observers({.bpf = BpfUse::off, .pipe_fd = pipe.out.get()});
  for (uint64_t ms = 1000; ms <= 16'000; ms += 100) {
    if (ms == 6000) pipe.fill();
    observers.poll(ms * 1'000'000);
  }
  constexpr uint64_t kNow = 16'000'000'000;
  EXPECT_DOUBLE_EQ(observers.occupancy(kNow)->full_share, 1.0);
  EXPECT_NEAR(observers.occupancy(kNow, observe::Span::segment)->full_share, 10 / 15.0, 0.01);
  observers.restart(15'000'000'000);
  EXPECT_EQ(observers.occupancy(kNow).status, ReadingStatus::warming) << "none of before";
}

}  // namespace
}  // namespace pipetop
