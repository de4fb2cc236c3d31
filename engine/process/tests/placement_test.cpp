#include "engine/process/placement.h"

#include <gtest/gtest.h>

namespace pipetop {
namespace {

// Two sockets of two cores of two threads: siblings are n and n+4.
const std::vector<Cpu> kBig = {{0, 0, 0}, {1, 1, 0}, {2, 2, 2}, {3, 3, 2},
                               {4, 0, 0}, {5, 1, 0}, {6, 2, 2}, {7, 3, 2}};

PlacementChoice choose(Placement placement, const std::vector<Cpu>& cpus) {
  PipeSettings settings;
  settings.placement = placement;
  return choose_cpus(settings, cpus);
}

TEST(Placement, FindsWhatWasAsked) {
  const auto near = choose(Placement::near, kBig);
  EXPECT_EQ(near.writer_cpu, 0);
  EXPECT_EQ(near.reader_cpu, 1);
  EXPECT_EQ(near.reason, "");
  const auto smt = choose(Placement::smt, kBig);
  EXPECT_EQ(smt.writer_cpu, 0);
  EXPECT_EQ(smt.reader_cpu, 4);
  const auto far = choose(Placement::far, kBig);
  EXPECT_EQ(far.writer_cpu, 0);
  EXPECT_EQ(far.reader_cpu, 2);
  const auto same = choose(Placement::same_cpu, kBig);
  EXPECT_EQ(same.writer_cpu, same.reader_cpu);
  EXPECT_EQ(choose(Placement::unpinned, kBig).writer_cpu, kNoCpu);
}

TEST(Placement, FallsBackAndSaysWhy) {
  const std::vector<Cpu> two = {{0, 0, 0}, {1, 1, 0}};
  const auto far = choose(Placement::far, two);
  EXPECT_EQ(far.placement, Placement::near);
  EXPECT_NE(far.reason, "");
  const auto alone = choose(Placement::near, {{3, 3, 3}});
  EXPECT_EQ(alone.placement, Placement::same_cpu);
  EXPECT_EQ(alone.writer_cpu, 3);
  EXPECT_NE(alone.reason.find("one CPU"), std::string::npos);
}

TEST(Placement, ACpuThatIsNotOursIsLeftUnpinned) {
  PipeSettings settings;
  settings.placement = Placement::cpus;
  settings.writer_cpu = 1;
  settings.reader_cpu = 99;
  const auto choice = choose_cpus(settings, kBig);
  EXPECT_EQ(choice.writer_cpu, 1);
  EXPECT_EQ(choice.reader_cpu, kNoCpu);
  EXPECT_EQ(choice.reason, "pipetop may not use CPU 99");
}

TEST(Placement, ThisMachineHasACpu) { EXPECT_FALSE(read_topology().empty()); }

}  // namespace
}  // namespace pipetop
