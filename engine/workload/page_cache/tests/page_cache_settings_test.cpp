#include "engine/workload/page_cache/page_cache_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/config/config.h"
#include "engine/workload/page_cache/page_cache_workload.h"
#include "engine/workload/table/workloads.h"

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

Settings defaults() { return page_cache_presets().front().settings; }

void press(char key, Settings& s) {
  const auto keys = hot_keys(s);
  const auto found = std::ranges::find(keys, key, &HotKey::key);
  ASSERT_NE(found, keys.end()) << key;
  found->press(s);
}

TEST(PageCacheKnobs, SayWhatTheyAreSetTo) {
  Settings s = defaults();
  for (const auto& [name, value] : {std::pair{"clients", "4"},
                                    {"files", "own"},
                                    {"file_size", "16MiB"},
                                    {"chunk_size", "20KiB"},
                                    {"gang_size", "256"}}) {
    knob(name).set(s, value);
    EXPECT_EQ(knob(name).get(s), value);
  }
  EXPECT_EQ(s.page_cache.file_size, 16u << 20);
  EXPECT_EQ(s.page_cache.files, Files::own);
}

TEST(PageCacheKnobs, RefuseWhatCannotBe) {
  Settings s = defaults();
  for (const auto& [name, value] : {std::pair{"clients", "0"},
                                    {"clients", "65"},
                                    {"file_size", "512KiB"},
                                    {"file_size", "65GiB"},
                                    {"file_size", "1048577"},
                                    {"chunk_size", "2MiB"},
                                    {"gang_size", "0"},
                                    {"files", "mine"}})
    EXPECT_THROW(knob(name).set(s, value), Error) << name << " " << value;
  EXPECT_EQ(s, defaults());
}

TEST(PageCacheKnobs, KeysStayInRange) {
  Settings s = defaults();
  for (int i = 0; i < 100; ++i)
    for (const char key : {'>', '}', ')'}) press(key, s);
  EXPECT_EQ(s.page_cache.clients, 64u);
  EXPECT_EQ(s.page_cache.chunk_size, 1u << 20);
  EXPECT_EQ(s.page_cache.gang_size, 256u);
  for (int i = 0; i < 100; ++i)
    for (const char key : {'<', '{', '('}) press(key, s);
  EXPECT_EQ(s.page_cache.clients, 1u);
  EXPECT_EQ(s.page_cache.chunk_size, 4096u);
  EXPECT_EQ(s.page_cache.gang_size, 1u);
  press('s', s);
  EXPECT_EQ(s.page_cache.files, Files::own);
  press('s', s);
  EXPECT_EQ(s.page_cache.files, Files::same);
}

TEST(PageCacheKnobs, TheFileHoldsTheBuiltInPresets) {
  const Config c = load_config(PIPETOP_CONFIGS "/page-cache.yaml");
  EXPECT_EQ(c.settings, defaults());
  const auto built_in = page_cache_presets();
  ASSERT_EQ(c.presets.size(), built_in.size());
  for (size_t i = 0; i < built_in.size(); ++i) {
    EXPECT_EQ(c.presets[i].name, built_in[i].name);
    EXPECT_EQ(c.presets[i].title, built_in[i].title);
    EXPECT_EQ(c.presets[i].settings, built_in[i].settings);
  }
}

std::shared_ptr<const Segment> segment(const Settings& s, double rate) {
  auto one = std::make_shared<Segment>();
  one->effective = s;
  one->rate = Reading<RateStats>::of({.mean = rate, .samples = 10});
  return one;
}

TEST(Efficiency, IsAgainstOneClientWithTheSameSettings) {
  Settings one, two;
  two.page_cache.clients = 2;
  two.page_cache.files = Files::own;
  Throughput t;
  t.current.rate = Reading<RateStats>::of({.mean = 15, .samples = 10});
  EXPECT_EQ(efficiency_of(t, two).reason, "run with 1 client first");
  t.segments.push_back(segment(one, 10));
  Settings other = one;
  other.page_cache.gang_size = 1;
  t.segments.push_back(segment(other, 5));
  t.segments.push_back(segment(two, 1));
  ASSERT_TRUE(efficiency_of(t, two).has_value());
  EXPECT_DOUBLE_EQ(*efficiency_of(t, two), 0.75);
  other.page_cache.clients = 3;
  EXPECT_DOUBLE_EQ(*efficiency_of(t, other), 1);
  t.current.rate = Reading<RateStats>::warming("too early");
  EXPECT_EQ(efficiency_of(t, two).reason, "too early");
}

}  // namespace

}  // namespace pipetop
