#include "engine/observe/held_ends.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/handles.h"

namespace pipetop::observe {
namespace {

constexpr PipeId kOne = {12, 100}, kTwo = {12, 200}, kFifo = {8, 50};

HeldEnd held(PipeId pipe, pid_t pid, int fd, Access access, const pipes_ring* ring = nullptr) {
  HeldEnd end;
  end.pipe = pipe;
  end.end = {.process = {pid, 1}, .fd = fd, .access = access, .nonblocking = false};
  end.ring = ring;
  return end;
}

TEST(EndLimit, TakesTheFirstOnesOfAProcess) {
  EndLimit limit;
  const ProcessId greedy = {10, 1}, other = {20, 1};
  for (uint32_t i = 0; i < EndLimit::kMostOfProcess; ++i) ASSERT_TRUE(limit.takes(greedy)) << i;
  EXPECT_FALSE(limit.takes(greedy));
  EXPECT_TRUE(limit.takes(other));
  EXPECT_FALSE(limit.takes(greedy)) << "nor after others";
  EXPECT_EQ(limit.left_out(), (std::vector<LeftOut>{{greedy, 2}}));
}

TEST(EndLimit, LeavesEachProcessSomeWhenThereAreTooMany) {
  EndLimit limit(100);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(limit.takes({10, 1}));
  for (uint32_t i = 0; i < EndLimit::kFewest; ++i) EXPECT_TRUE(limit.takes({20, 1}));
  EXPECT_FALSE(limit.takes({20, 1}));
  EXPECT_EQ(limit.left_out(), (std::vector<LeftOut>{{{20, 1}, 1}}));
}

TEST(HeldEnds, MakePipesInOrder) {
  std::vector<HeldEnd> ends = {held(kTwo, 20, 1, Access::write), held(kOne, 20, 0, Access::read),
                               held(kOne, 10, 1, Access::write), held(kFifo, 10, 7, Access::both),
                               held(kTwo, 9, 3, Access::read),   held(kOne, 20, 3, Access::read)};
  sort_ends(ends);
  const auto pipes = pipes_of(ends);
  ASSERT_EQ(pipes.size(), 3u);
  EXPECT_EQ(pipes[0].id, kFifo);
  EXPECT_EQ(pipes[1].id, kOne);
  EXPECT_EQ(pipes[2].id, kTwo);
  EXPECT_EQ(pipes[1].ends, (std::vector<PipeEnd>{held(kOne, 10, 1, Access::write).end,
                                                 held(kOne, 20, 0, Access::read).end,
                                                 held(kOne, 20, 3, Access::read).end}));
  EXPECT_FALSE(pipes[1].ring);
  EXPECT_FALSE(pipes[1].capacity);
  EXPECT_EQ(find_pipe(pipes, kTwo), &pipes[2]);
  EXPECT_EQ(find_pipe(pipes, {12, 150}), nullptr);
  EXPECT_EQ(find_pipe(pipes, {13, 0}), nullptr);
}

TEST(HeldEnds, TheRingComesWithAnyOfThem) {
  const pipes_ring ring = {.at_ns = 77,
                           .queued_bytes = 5000,
                           .past_bytes = 6000,
                           .past_slots = 3,
                           .slots = 16,
                           .head = 10,
                           .tail = 8,
                           .readers = 2,
                           .writers = 1,
                           .moved = 0,
                           .reserved = 0};
  std::vector<HeldEnd> ends = {held(kOne, 1, 1, Access::write),
                               held(kOne, 2, 0, Access::read, &ring),
                               held(kOne, 3, 0, Access::read)};
  const auto pipes = pipes_of(ends);
  ASSERT_EQ(pipes.size(), 1u);
  const ScannedPipe& pipe = pipes.front();
  EXPECT_EQ(pipe.at_ns, 77u);
  ASSERT_TRUE(pipe.ring);
  EXPECT_EQ(pipe.ring->used(), 2u);
  EXPECT_EQ(pipe.ring->past_bytes, 6000u);
  EXPECT_EQ(pipe.readers, 2u);
  EXPECT_EQ(pipe.writers, 1u);
  EXPECT_EQ(pipe.queued, 5000u);
  EXPECT_EQ(pipe.capacity, 16u * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}

TEST(HeldEnds, ARingInTheMiddleOfAResizeIsUnknown) {
  pipes_ring ring = {};
  ring.at_ns = 1;
  ring.slots = 4;
  ring.head = 9;
  std::vector<HeldEnd> ends = {held(kOne, 1, 1, Access::write, &ring)};
  const auto pipes = pipes_of(ends);
  EXPECT_FALSE(pipes.front().ring);
  EXPECT_FALSE(pipes.front().queued);
}

TEST(HeldEnds, ThreadsWithDescriptorsOfTheirOwnComeOnce) {
  pipes_ring ring = {};
  ring.at_ns = 1;
  ring.slots = 16;
  std::vector<HeldEnd> ends = {held(kOne, 1, 1, Access::write, &ring),
                               held(kOne, 1, 1, Access::write), held(kOne, 1, 1, Access::write),
                               held(kTwo, 1, 1, Access::write)};
  sort_ends(ends);
  ASSERT_EQ(ends.size(), 2u);
  const auto pipes = pipes_of(ends);
  EXPECT_EQ(pipes[0].ends.size(), 1u);
  EXPECT_TRUE(pipes[0].ring);
}

TEST(HeldEnds, AreFoundByProcessAndDescriptor) {
  std::vector<HeldEnd> ends = {held(kOne, 1, 1, Access::write), held(kTwo, 1, 5, Access::read),
                               held(kOne, 3, 0, Access::read)};
  ASSERT_TRUE(find_end(ends, {1, 1}, 5, false));
  EXPECT_EQ(find_end(ends, {1, 1}, 5, false)->pipe, kTwo);
  EXPECT_EQ(find_end(ends, {1, 1}, 4, false), nullptr);
  EXPECT_EQ(find_end(ends, {1, 2}, 5, false), nullptr);  // another process with the same number
  EXPECT_EQ(find_end(ends, {3, 1}, 1, false), nullptr);
  EXPECT_EQ(find_end({}, {3, 1}, 1, false), nullptr);
}

TEST(DeviceOf, IsWhatStatShows) {
  struct stat status = {};
  ASSERT_EQ(stat("/", &status), 0);
  EXPECT_EQ(device_of(unsigned(status.st_dev >> 8 & 0xfff),
                      unsigned((status.st_dev & 0xff) | (status.st_dev >> 12 & 0xfff00))),
            status.st_dev);
  EXPECT_EQ(device_of(0, 300), (300u & 0xff) | (300u & ~0xffu) << 12);
}

TEST(DescriptorNames, AreAskedForAgainAfterSomeTime) {
  DescriptorNames names;
  const ProcessId self = {getpid(), 1};
  UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int fd = null.get();
  EXPECT_EQ(names.name_of(self, fd, 1), "/dev/null");
  null.reset();
  EXPECT_EQ(names.name_of(self, fd, DescriptorNames::kValid_ns), "/dev/null");
  EXPECT_EQ(names.name_of(self, fd, DescriptorNames::kValid_ns + 1), "");
  EXPECT_EQ(names.size(), 1u);
  names.forget_old(2 * DescriptorNames::kValid_ns);
  EXPECT_EQ(names.size(), 1u);
  names.forget_old(4 * DescriptorNames::kValid_ns);
  EXPECT_EQ(names.size(), 0u);
}

TEST(DescriptorTable, KnowsPipesAndAsksForNamesOfTheRest) {
  std::vector<HeldEnd> ends = {held(kOne, getpid(), 1000, Access::write)};
  const auto pipes = pipes_of(ends);
  DescriptorNames names;
  const DescriptorTable table(ends, pipes, names, 1);
  const Descriptor pipe = table.find({getpid(), 1}, 1000, true);
  EXPECT_EQ(pipe.pipe, &pipes.front());
  EXPECT_EQ(pipe.access, Access::write);
  EXPECT_EQ(names.size(), 0u);
  const UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor other = table.find({getpid(), 1}, null.get(), true);
  EXPECT_EQ(other.pipe, nullptr);
  EXPECT_EQ(other.name, "/dev/null");
}

}  // namespace
}  // namespace pipetop::observe
