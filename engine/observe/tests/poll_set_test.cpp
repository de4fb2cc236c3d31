#include "engine/observe/poll_set.h"

#include <gtest/gtest.h>

#include <array>

namespace pipetop::observe {
namespace {

using Set = std::vector<Polled>;

TEST(PollSet, ThoseThatAreIgnoredAreNotInIt) {
  const std::array<pollfd, 4> fds = {
      pollfd{4, POLLIN, 0}, {-1, POLLIN, 0}, {5, 0, 0}, {6, POLLIN | POLLOUT, POLLIN}};
  EXPECT_EQ(polled_by_poll(fds), (Set{{4, true, false}, {6, true, true}}));
  EXPECT_TRUE(polled_by_poll({}).empty());
}

TEST(PollSet, BitsOfSelect) {
  const std::array<uint64_t, 2> reads = {1u << 3, 1}, writes = {1u << 3 | 1u << 5, 0};
  EXPECT_EQ(polled_by_select(reads, writes, 65),
            (Set{{3, true, true}, {5, false, true}, {64, true, false}}));
  EXPECT_EQ(polled_by_select(reads, {}, 64), (Set{{3, true, false}})) << "not the 65th";
  EXPECT_TRUE(polled_by_select({}, {}, 65).empty());
  EXPECT_TRUE(polled_by_select(reads, writes, -1).empty());
}

TEST(PollSet, LinesOfEpoll) {
  const std::string_view text =
      "pos:\t0\nflags:\t02\nmnt_id:\t16\nino:\t1057\n"
      "tfd:        5 events:       19 data:         ffffffff  pos:0 ino:61af sdev:7\n"
      "tfd:        7 events: c0000004 data:                7  pos:0 ino:61b0 sdev:8\n"
      "tfd:        8 events: 40000000 data:                8  pos:0 ino:61b1 sdev:8\n"
      "tfd: x events: 1\n";
  EXPECT_EQ(polled_by_epoll(text), (Set{{5, true, false}, {7, false, true}}));
  EXPECT_TRUE(polled_by_epoll("").empty());
}

}  // namespace
}  // namespace pipetop::observe
