#include "engine/process/task_stat.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace pipetop {
namespace {

TEST(ParseTaskStat, TakesTheFieldsBehindTheName) {
  const auto stat = parse_task_stat(
      "4711 (tar) S 4242 4700 4242 34816 4700 4194304 100 0 2 0 30 12 5 6 20 0 1 0 123456 "
      "7000000 300 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->comm, "tar");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 4242);
  EXPECT_EQ(stat->group, 4700);
  EXPECT_EQ(stat->session, 4242);
  EXPECT_EQ(stat->start_ticks, 123456u);
  EXPECT_EQ(stat->cpu_ticks, 42u);
  EXPECT_FALSE(stat->is_kernel_thread);
}

TEST(ParseTaskStat, ANameMayHoldAnything) {
  const auto stat =
      parse_task_stat("1 (a) R 1 (\n) D 7 8 9 0 0 2129984 0 0 0 0 1 1 0 0 20 0 1 0 55 0 0\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->comm, "a) R 1 (\n");
  EXPECT_EQ(stat->state, 'D');
  EXPECT_EQ(stat->parent, 7);
  EXPECT_TRUE(stat->is_kernel_thread);
}

TEST(ParseTaskStat, RefusesAnythingElse) {
  for (const char* text : {"", "1 (tar", "1 tar) S 1", "1 (tar) S 1 2", ")(", "1 () S 1 2 3 x"})
    EXPECT_FALSE(parse_task_stat(text)) << text;
}

TEST(ReadTaskStat, IsOfALivingProcess) {
  const auto stat = read_task_stat(getpid());
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->parent, getppid());
  EXPECT_EQ(stat->group, getpgrp());
  EXPECT_TRUE(stat->is_running());
  EXPECT_FALSE(stat->is_zombie());
  constexpr pid_t kNoPid = 0x7ffffff0;  // above the highest pid
  EXPECT_FALSE(read_task_stat(kNoPid));
}

}  // namespace
}  // namespace pipetop
