#include "tui/dashboard/frame_maker.h"

#include <gtest/gtest.h>

#include "tui/tests/fake_source.h"

namespace pipetop::tui {
namespace {

TEST(FrameMaker, KeysHaveTheNamesOfTheHelp) {
  EXPECT_EQ(key_named("v"), U'v');
  EXPECT_EQ(key_named("Space"), U' ');
  EXPECT_EQ(key_named("Tab"), key::tab);
  EXPECT_EQ(key_named("PgDn"), key::page_down);
  EXPECT_EQ(key_named("ä"), U'ä');
  for (const char* word : {"", "space", "vs", "\033", "\x7f", "\xff", " "})
    EXPECT_EQ(key_named(word), std::nullopt) << word;
}

TEST(FrameMaker, DrawsWhatTheKeysChanged) {
  const Config config = default_config();
  FakeSource source(config.settings);
  FrameMaker still(source, config, {.rows = 24, .cols = 80});
  EXPECT_FALSE(still.tick()) << "there is no rate yet";
  source.advance(10'000'000'000);
  EXPECT_TRUE(still.tick());
  still.press(U'7');
  source.advance(500'000'000);
  EXPECT_FALSE(still.tick()) << "the figures are of both settings";
  source.advance(5'000'000'000);
  EXPECT_TRUE(still.tick());
  const Canvas& canvas = still.draw_frame();
  EXPECT_EQ(canvas.rows(), 24);
  EXPECT_EQ(canvas.cols(), 80);
  EXPECT_NE(canvas.text().find("busy_loop_huge"), std::string::npos) << canvas.text();
  still.press(U'?');
  EXPECT_NE(still.draw_frame().text().find("Knobs, while data flows"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::tui
