#include "engine/workload/page_cache/page_cache_plan.h"

#include <gtest/gtest.h>

namespace pipetop {
namespace {

Settings clients(uint32_t count) {
  Settings s;
  s.workload = WorkloadKind::page_cache;
  s.page_cache.clients = count;
  return s;
}

const std::vector<Cpu> kTwoCoresOfTwo = {{0, 0, 0}, {1, 0, 0}, {2, 2, 0}, {3, 2, 0}};

TEST(PageCachePlan, ClientsGetCoresOfTheirOwnFirst) {
  const Settings s = clients(4);
  const Effective plan = plan_page_cache(s, s, "", kTwoCoresOfTwo);
  EXPECT_EQ(cpus_for(4, kTwoCoresOfTwo), (std::vector<int>{0, 2, 1, 3}));
  EXPECT_TRUE(plan.mismatches.empty());
}

TEST(PageCachePlan, MoreClientsThanCpusShareThemAndThatIsSaid) {
  const Settings s = clients(5);
  const Effective plan = plan_page_cache(s, s, "", kTwoCoresOfTwo);
  EXPECT_EQ(cpus_for(5, kTwoCoresOfTwo)[4], 0);
  ASSERT_EQ(plan.mismatches.size(), 1u);
  EXPECT_EQ(plan.mismatches[0].knob, "clients");
  EXPECT_EQ(plan.mismatches[0].effective, "5 on 4 CPUs");
}

TEST(PageCachePlan, AGangIsNoLargerThanAChunk) {
  Settings s = clients(1);
  s.page_cache.gang_size = 64;
  s.page_cache.chunk_size = 32 * 1024;
  const Effective plan = plan_page_cache(s, s, "", kTwoCoresOfTwo);
  EXPECT_EQ(plan.settings.page_cache.gang_size, 8u);
  ASSERT_EQ(plan.mismatches.size(), 1u);
  EXPECT_EQ(plan.mismatches[0].knob, "gang_size");
  EXPECT_EQ(plan.mismatches[0].requested, "64");
  EXPECT_EQ(plan.mismatches[0].effective, "8");
}

TEST(PageCachePlan, FilesForWhichThereIsNoRoomSayWhy) {
  Settings asked = clients(8);
  asked.page_cache.files = Files::own;
  const Effective plan = plan_page_cache(asked, clients(2), "no room", kTwoCoresOfTwo);
  EXPECT_EQ(plan.settings.page_cache.clients, 2u);
  ASSERT_EQ(plan.mismatches.size(), 2u);
  EXPECT_EQ(plan.mismatches[0].knob, "clients");
  EXPECT_EQ(plan.mismatches[0].requested, "8");
  EXPECT_EQ(plan.mismatches[1].knob, "files");
  EXPECT_EQ(plan.mismatches[1].effective, "same");
  EXPECT_EQ(plan.mismatches[1].reason, "no room");
}

TEST(PageCachePlan, ARingHoldsAChunk) {
  EXPECT_EQ(ring_bytes_for(4096), 4096u);
  EXPECT_EQ(ring_bytes_for(20 * 1024), 32 * 1024u);
  EXPECT_EQ(ring_bytes_for(65536), 65536u);
}

class PageCacheEffective : public testing::Test {
 protected:
  Effective made() { return make_page_cache_effective(asked, plan, facts); }
  void see(double page_cache, double copies) {
    facts.seen.kinds = Reading<std::array<double, kSlotKinds>>::of({});
    (*facts.seen.kinds.value)[static_cast<size_t>(SlotKind::page_cache)] = page_cache;
    (*facts.seen.kinds.value)[static_cast<size_t>(SlotKind::copy)] = copies;
  }
  Settings asked = clients(1);
  Effective plan = plan_page_cache(asked, asked, "", kTwoCoresOfTwo);
  PageCacheFacts facts;
};

TEST_F(PageCacheEffective, TheSlotsOutweighTheProbe) {
  EXPECT_EQ(made().pipe.zero_copy, ZeroCopy::unverifiable);
  facts.probe.result = ZeroCopy::copied;
  EXPECT_EQ(made().pipe.zero_copy, ZeroCopy::copied);
  see(1, 0);
  EXPECT_EQ(made().pipe.zero_copy, ZeroCopy::zero_copy);
  facts.probe.result = ZeroCopy::zero_copy;
  see(0, 1);
  EXPECT_EQ(made().pipe.zero_copy, ZeroCopy::copied);
  EXPECT_NE(made().pipe.zero_copy_reason.find("copy_splice_read"), std::string::npos);
}

TEST_F(PageCacheEffective, APipeThatIsRefusedCutsChunkAndGang) {
  facts.resize_error = EPERM;
  facts.chunk_bytes = 8192;
  const Effective effective = made();
  EXPECT_EQ(effective.settings.page_cache.chunk_size, 8192u);
  EXPECT_EQ(effective.settings.page_cache.gang_size, 2u);
  ASSERT_EQ(effective.mismatches.size(), 2u);
  EXPECT_EQ(effective.mismatches[0].knob, "chunk_size");
  EXPECT_NE(effective.mismatches[0].reason.find("pipe-user-pages-soft"), std::string::npos);
}

}  // namespace
}  // namespace pipetop
