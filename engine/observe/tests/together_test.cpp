#include "engine/observe/together.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "engine/base/system_files.h"
#include "engine/tests/support/child.h"

namespace pipetop::observe {
namespace {

TEST(Together, EachThreadWorksWhenAllAreReady) {
  std::atomic<size_t> ready = 0;
  std::array<size_t, 4> ready_at_work = {};
  run_together(
      ready_at_work.size(), [&](size_t) { ++ready; }, [&](size_t i) { ready_at_work[i] = ready; });
  for (const size_t count : ready_at_work) EXPECT_EQ(count, ready_at_work.size());
}

// There is room for the stack of one thread, and none for that of a second.
bool allow_one_thread() {
  constexpr size_t kStack = 512 << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  const size_t pages = static_cast<size_t>(read_number("/proc/self/statm", 0));
  const rlim_t bytes = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + kStack + kStack / 2;
  const rlimit limit = {bytes, bytes};
  return pthread_setattr_default_np(&attributes) == 0 && setrlimit(RLIMIT_AS, &limit) == 0;
}

// In a child, which has no other use for its memory.
TEST(Together, AThreadThatCannotBeMadeIsAnErrorAndNobodyWaits) {
  Child child([] {
    alarm(30);
    std::atomic<int> started = 0;
    if (!allow_one_thread()) return 1;
    try {
      run_together(
          3, [&](size_t) { ++started; }, [](size_t) {});
    } catch (const SystemError&) {
      return started == 1 ? 0 : 2;
    }
    return 3;
  });
  EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace pipetop::observe
