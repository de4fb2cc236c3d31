#include "engine/observe/observers.h"

#include <gtest/gtest.h>

#include "engine/observe/tests/scratch_pipe.h"

namespace pipetop {
namespace {

TEST(Observers, WithoutBpfSayWhyAndMeasureOccupancyOtherwise) {
  observe::ScratchPipe pipe;
  Observers observers({.bpf = BpfUse::off, .pipe_fd = pipe.read_end()});
  observers.watch(Role::writer, 1);
  observers.poll(1'000'000'000);
  EXPECT_EQ(observers.event().reason, "BPF is switched off; run without --no-bpf");
  EXPECT_EQ(observers.functions(Role::writer).status, ReadingStatus::unavailable);
  EXPECT_EQ(observers.kinds().status, ReadingStatus::unavailable);
  EXPECT_EQ(observers.ring_frame(1).status, ReadingStatus::unavailable);
  const auto occupancy = observers.occupancy();
  ASSERT_TRUE(occupancy.has_value()) << occupancy.reason;
  EXPECT_EQ(occupancy->source, "FIONREAD 10 Hz");
  EXPECT_DOUBLE_EQ(occupancy->empty_share, 1.0);
  observers.restart(2'000'000'000);
  EXPECT_EQ(observers.occupancy().status, ReadingStatus::warming);
}

}  // namespace
}  // namespace pipetop
