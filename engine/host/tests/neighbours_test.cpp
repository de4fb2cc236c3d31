#include "engine/host/neighbours.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"

namespace pipetop {
namespace {

bool has(const std::vector<Neighbour>& neighbours, pid_t pid) {
  return std::ranges::count(neighbours, pid, &Neighbour::pid) > 0;
}

[[noreturn]] void spin() {
  for (volatile unsigned n = 0;;) n = n + 1;
}

// A grandchild is another program, a child is ours.
TEST(Neighbours, AreThoseThatUseCpusAndAreNotOurs) {
  const Neighbours neighbours;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  Child ours([&]() -> int {
    const pid_t other = ::fork();
    if (other == 0) spin();
    (void)!::write(ends[1], &other, sizeof other);
    spin();
  });
  pid_t other = 0;
  ASSERT_EQ(::read(ends[0], &other, sizeof other), ssize_t{sizeof other});
  EXPECT_TRUE(eventually([&] { return has(neighbours.since(), other); }));
  EXPECT_FALSE(has(neighbours.since(), ours.pid()));
  ::kill(other, SIGKILL);
  for (const int end : ends) ::close(end);
}

}  // namespace
}  // namespace pipetop
