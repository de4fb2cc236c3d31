// What lies in the ring of a client: pages of the page cache, not copies.
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/workload/page_cache/client.h"

namespace pipetop {
namespace {

TEST(PageCacheSlots, AreOfThePageCache) {
  EngineOptions options;
  options.settings.workload = WorkloadKind::page_cache;
  options.settings.page_cache.file_size = 16 << 20;
  Engine engine(options);
  Snapshot s;
  ASSERT_TRUE(eventually([&] {
    engine.handle_events();
    s = engine.tick();
    if (s.ring.kinds.status == ReadingStatus::unavailable) return true;
    return s.effective.settled &&
           s.effective.pipe.zero_copy_reason.find("seen") != std::string::npos;
  })) << s.effective.pipe.zero_copy_reason;
  PIPETOP_NEED(s.ring.kinds);
  EXPECT_EQ(s.effective.pipe.zero_copy, ZeroCopy::zero_copy) << s.effective.pipe.zero_copy_reason;
  EXPECT_GT((*s.ring.kinds)[static_cast<size_t>(SlotKind::page_cache)], 0.99);
  ASSERT_TRUE(eventually([&] {
    engine.handle_events();
    s = engine.tick();
    return s.worker(kClient).functions.has_value() && s.worker(kClient).functions->samples > 0;
  }));
}

}  // namespace
}  // namespace pipetop
