#include <gtest/gtest.h>

#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

TEST(Presets, AreTheArticlesSevenRungsInOrder) {
  const auto presets = article_presets();
  ASSERT_EQ(presets.size(), 7u);
  EXPECT_EQ(presets[0].name, "write_read");
  EXPECT_EQ(presets[0].settings, Settings{});
  EXPECT_EQ(presets[3].name, "vmsplice_read_huge");
  EXPECT_EQ(presets[3].settings.pipe.read_with, ReadWith::read);
  EXPECT_EQ(presets[4].settings.pipe.pages, Pages::k4);
  EXPECT_EQ(presets[6].name, "busy_loop_huge");
  EXPECT_EQ(presets[6].settings.pipe.writer_wait, Wait::busy);
  EXPECT_EQ(presets[6].settings.pipe.pages, Pages::thp);
  EXPECT_EQ(find_preset(presets, "vmsplice_splice"), &presets[4]);
  EXPECT_EQ(find_preset(presets, "nothing"), nullptr);
}

TEST(Presets, TheHazardComesAfterTheLadder) {
  const auto presets = built_in_presets();
  ASSERT_EQ(presets.size(), 8u);
  EXPECT_EQ(presets.data(), article_presets().data());
  const Settings& hazard = presets[7].settings;
  EXPECT_EQ(presets[7].name, "hazard");
  EXPECT_EQ(hazard.pipe.buffers, Buffers::single);
  EXPECT_EQ(hazard.pipe.payload, Payload::stamped);
  EXPECT_EQ(hazard.pipe.read_with, ReadWith::read) << "somebody must look";
}

TEST(Presets, LeaveTheObserversAlone) {
  const Preset& preset = article_presets()[6];
  Settings now;
  now.observers = Observing::off;
  const Settings next = preset.from(now);
  EXPECT_EQ(next.pipe, preset.settings.pipe);
  EXPECT_EQ(next.observers, Observing::off);
  EXPECT_EQ(preset.from({}), preset.settings);
}

}  // namespace
}  // namespace pipetop
