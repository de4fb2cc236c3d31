#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/config/config.h"
#include "engine/workload/page_cache/page_cache_plan.h"
#include "engine/workload/page_cache/page_cache_workload.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

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

}  // namespace
}  // namespace pipetop
