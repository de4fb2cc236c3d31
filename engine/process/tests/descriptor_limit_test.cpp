#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/process/child.h"
#include "engine/tests/support/child.h"

namespace pipetop {
namespace {

constexpr rlim_t kUsual = 1024;
constexpr int kOf256Cpus = 6 * 256;  // what the sampler opens there, with cycles and cpu-clock

rlim_t soft_limit() {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

bool can_open(int count) {
  for (int i = 0; i < count; ++i)
    if (::dup(STDERR_FILENO) < 0) return false;
  return true;
}

// The number of the first expectation that does not hold; 0: all hold.
int first_broken() {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = kUsual;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  if (can_open(kOf256Cpus)) return 2;
  raise_descriptor_limit();
  raise_descriptor_limit();  // another sampler: it must not forget what was there before
  if (soft_limit() != limit.rlim_max || !can_open(kOf256Cpus)) return 3;
  restore_descriptor_limit();
  return soft_limit() == kUsual ? 0 : 4;
}

// In a child, which has no other use for its limit.
TEST(DescriptorLimit, GivesRoomForTheEventsOf256CpusAndIsRestored) {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < 2 * kOf256Cpus) GTEST_SKIP() << "the hard limit is " << limit.rlim_max;
  EXPECT_EQ(Child(first_broken).wait(), 0);
}

}  // namespace
}  // namespace pipetop
