#include <algorithm>

#include "engine/workload/percpu/tests/percpu_fixture.h"

namespace pipetop::percpu {
namespace {

// The functions of the present segment, of some hundred samples.
class PercpuBpfTest : public PercpuTest {
 protected:
  Reading<FunctionTable> functions() {
    Reading<FunctionTable> functions;
    until([&](const Snapshot& s) {
      functions = engine->segment().role(percpu::kInserter).functions;
      return functions.status == ReadingStatus::unavailable ||
             (s.effective.settled && functions.has_value() && functions->samples >= 300);
    });
    return functions;
  }
};

bool allocates_percpu(const FunctionTable& table) {
  return std::ranges::any_of(table.rows(),
                             [](const FunctionRow& r) { return r.name.starts_with("pcpu_alloc"); });
}

TEST_F(PercpuBpfTest, TheAllocatorIsSeenWithCountersACpuAndElseNot) {
  Settings s = percpu_settings();
  start(s, BpfUse::automatic);
  const auto with = functions();
  PIPETOP_NEED(with);
  ASSERT_TRUE(with.has_value()) << with.reason;
  EXPECT_TRUE(allocates_percpu(*with));
  s.percpu.no_percpu = true;
  apply(s);
  const auto without = functions();
  ASSERT_TRUE(without.has_value()) << without.reason;
  EXPECT_FALSE(allocates_percpu(*without));
}

}  // namespace
}  // namespace pipetop::percpu
