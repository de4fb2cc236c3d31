#include "tui/screen/still.h"

#include <gtest/gtest.h>

#include "engine/config/config.h"
#include "tui/dashboard/controller.h"
#include "tui/tests/fake_source.h"

namespace pipetop::tui {
namespace {

TEST(Still, KeysHaveTheNamesOfTheHelp) {
  EXPECT_EQ(key_named("v"), U'v');
  EXPECT_EQ(key_named("Space"), U' ');
  EXPECT_EQ(key_named("Tab"), key::tab);
  EXPECT_EQ(key_named("PgDn"), key::page_down);
  EXPECT_EQ(key_named("ä"), U'ä');
  for (const char* word : {"", "space", "vs", "\033", "\x7f", "\xff", " "})
    EXPECT_EQ(key_named(word), std::nullopt) << word;
}

TEST(Still, DrawsWhatTheKeysChanged) {
  const Config config = default_config();
  FakeSource source(config.settings);
  Controller screen(source, config.settings, config.presets);
  Still still(screen, 24, 80);
  still.tick();
  EXPECT_FALSE(screen.has_settled()) << "there is no rate yet";
  source.advance(10'000'000'000);
  still.tick();
  EXPECT_TRUE(screen.has_settled());
  still.press(U'7');
  source.advance(500'000'000);
  still.tick();
  EXPECT_FALSE(screen.has_settled()) << "the figures are of both settings";
  source.advance(5'000'000'000);
  still.tick();
  EXPECT_TRUE(screen.has_settled());
  const Canvas& canvas = still.draw_frame();
  EXPECT_EQ(canvas.rows(), 24);
  EXPECT_EQ(canvas.cols(), 80);
  EXPECT_NE(canvas.text().find("busy_loop_huge"), std::string::npos) << canvas.text();
  still.press(U'?');
  EXPECT_NE(still.draw_frame().text().find("Knobs, while data flows"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::tui
