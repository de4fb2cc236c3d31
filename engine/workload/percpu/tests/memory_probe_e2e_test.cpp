#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "engine/base/system_files.h"
#include "engine/tests/eventually.h"
#include "engine/workload/percpu/memory_probe.h"
#include "engine/workload/percpu/tests/attributes.h"
#include "engine/workload/percpu/tests/network_fixture.h"

namespace pipetop::percpu {
namespace {

class MemoryProbeTest : public NetworkTest {};

bool always() { return true; }

// That the kernel keeps memory for, whether they are plugged in or not: "0-7".
double possible_cpus() {
  const std::string range = read_head("/sys/devices/system/cpu/possible");
  const size_t last = range.find_last_of("-,");
  return std::stod(range.substr(last == range.npos ? 0 : last + 1)) + 1;
}

// Nobody takes per-CPU memory, or gives it back, for a moment.
bool keeps_still() {
  const uint64_t before = read_kernel_memory()->percpu_bytes;
  usleep(300'000);
  return read_kernel_memory()->percpu_bytes == before;
}

// Three counters a rule and CPU: bytes and packets, the same of hardware, and the
// queue's: 16, 16 and 20 bytes. Where they lie in pages costs something too.
class MeasuredMemoryOfARule : public MemoryProbeTest {};

TEST_F(MeasuredMemoryOfARule, CountersTakePerCpuMemoryAndOneSetTakesNone) {
  in_private_network(As::caller, [](unsigned device) {
    TcActions actions(device);
    const double cpus = possible_cpus();
    Reading<MemoryPerRule> with, without;
    // What others take in the meantime counts, too.
    ASSERT_TRUE(eventually([&] {
      if (!keeps_still()) return false;
      with = measure_memory_per_rule(actions, kPercpu, always);
      without = measure_memory_per_rule(actions, kNoPercpu, always);
      return with.has_value() && without.has_value() && keeps_still();
    })) << with.reason
        << without.reason;
    EXPECT_GT(with->percpu_bytes, 40 * cpus);
    EXPECT_LT(with->percpu_bytes, 90 * cpus);
    EXPECT_LT(without->percpu_bytes, 10 * cpus);
    EXPECT_GT(with->slab_bytes, 0);
    EXPECT_GT(without->slab_bytes, 0);
    EXPECT_TRUE(list_actions(Profile::mirred).empty());
  });
}

TEST_F(MemoryProbeTest, EndsWhenItIsNoLongerAsked) {
  in_private_network(As::caller, [](unsigned device) {
    TcActions actions(device);
    int asked = 0;
    const auto memory = measure_memory_per_rule(actions, kPercpu, [&] { return ++asked < 3; });
    EXPECT_EQ(memory.status, ReadingStatus::warming);
    EXPECT_NE(memory.reason, "");
    EXPECT_TRUE(list_actions(Profile::mirred).empty());
  });
}

}  // namespace
}  // namespace pipetop::percpu
