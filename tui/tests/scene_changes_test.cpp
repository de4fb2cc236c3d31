// What the show says that a scene has gained, wherever the speaker came from.
#include "tui/dashboard/scene_changes.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <regex>
#include <string>

#include "engine/config/config.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/view.h"
#include "tui/tests/talk_model.h"

namespace pipetop::tui {
namespace {

constexpr const char* kWalkedTalk = R"(
scenes:
  - {title: Copying, preset: write_read, view: functions}
  - {title: Slowly, preset: write_read, slow_motion: true, wait: key}
  - {title: Lending, preset: vmsplice_read, caption: "no copy on this side"}
  - {title: Again, preset: vmsplice_read, view: functions, highlight: gup_fast_fallback}
  - {title: Huge, preset: vmsplice_read, pages: thp}
  - {title: One client, workload: page-cache, preset: one_client}
  - {title: Two clients, workload: page-cache, preset: two_clients_same}
  - {title: Busy, preset: busy_loop_huge, view: ladder}
)";

class SceneChangesTest : public testing::Test {
 protected:
  SceneChangesTest() {
    const TalkOptions options;
    controller_.begin_talk(config_.scenes, &options);
    look();
  }

  void press(std::u32string_view keys) {
    for (const char32_t key : keys) controller_.handle({Input::Kind::key, key, {}});
    look();
  }
  void look() {
    controller_.tick(0);
    controller_.show(controller_.shown(), 40, 120);
  }
  std::string screen() {
    Canvas canvas(glyphs_of(GlyphSet::unicode));
    canvas.reset(40, 120);
    controller_.draw(canvas);
    return canvas.text();
  }
  const Reading<Change>& change() const { return controller_.shown().change; }
  size_t scene() const { return controller_.state().show.scene; }

  Config config_ = parse_config("t", kWalkedTalk);
  TalkModel source_{config_.scenes.front().settings};
  Controller controller_{source_, config_.scenes.front().settings, config_.presets};
};

TEST_F(SceneChangesTest, ComparesWithTheSceneBefore) {
  const double first = controller_.shown().throughput.current.rate->mean;
  press(U"nn");
  EXPECT_EQ(scene(), 3u);
  ASSERT_TRUE(change().has_value());
  EXPECT_EQ(change()->before, first) << "slow motion has no rate";
  EXPECT_EQ(change()->since_start, 0) << "that is the first one";
  press(U"nn");
  ASSERT_TRUE(change().has_value());
  EXPECT_NEAR(change()->after / change()->since_start, first, 1e-9);
}

TEST_F(SceneChangesTest, ADetourChangesNothing) {
  press(U"nn");
  const double before = change()->before;
  press(U"nnnn");
  EXPECT_EQ(scene(), 7u);
  ASSERT_TRUE(change().has_value());
  EXPECT_EQ(change()->since_start, 0);
  press(U"3G");
  EXPECT_EQ(scene(), 3u);
  ASSERT_TRUE(change().has_value());
  EXPECT_EQ(change()->before, before);
}

TEST_F(SceneChangesTest, TheSameSettingsGainNothing) {
  press(U"nnn");
  EXPECT_FALSE(change().has_value());
  EXPECT_NE(screen().find("same settings: look at gup_fast_fallback"), std::string::npos);
}

TEST_F(SceneChangesTest, WhatWasNotShownIsNoReference) {
  press(U"8G");
  EXPECT_EQ(change().reason, "scene 5 was not measured yet: nothing to compare with");
}

TEST_F(SceneChangesTest, SaysWhatWasDoneByHand) {
  press(U"nn\tg");
  controller_.handle({Input::Kind::key, key::back_tab, {}});
  look();
  EXPECT_NE(screen().find("by hand: gift true"), std::string::npos) << screen();
  press(U"3G");
  EXPECT_EQ(screen().find("by hand"), std::string::npos);
}

// Every factor on the screen comes from the two numbers beside it, wherever it came from.
TEST_F(SceneChangesTest, AWalkOfTwoHundredJumps) {
  std::mt19937 random(26);
  const std::regex line("([0-9.]+) → ([0-9.]+) ([^ ]+/s|k rules/s) +(×[0-9.]+)");
  std::map<std::string, std::string> factors;
  size_t compared = 0;
  for (int jump = 0; jump < 200; ++jump) {
    const std::u32string keys[] = {U"n", U"N", U"\t", U"v", U"g"};
    const size_t which = random() % 8;
    if (which < 5) {
      press(keys[which]);
      controller_.handle({Input::Kind::key, key::back_tab, {}});
    } else {
      press(std::u32string(1, U'1' + char32_t(random() % config_.scenes.size())) + U"G");
    }
    look();
    const std::string text = screen();
    std::smatch found;
    const Settings& now = controller_.state().requested;
    if (std::regex_search(text, found, line)) {
      ++compared;
      EXPECT_EQ(found[3].str(), unit_of(now).rate);
      const std::string pair = fmt::format("{} {}", found[1].str(), found[2].str());
      EXPECT_EQ(factors.try_emplace(pair, found[4]).first->second, found[4].str()) << text;
    } else {
      EXPECT_EQ(text.find("since the start"), std::string::npos) << text;
    }
    const Scene& scene = config_.scenes[*controller_.state().talk.at];
    if (scene.title == "Again" && scene.settings == now) {
      EXPECT_EQ(text.find(" → "), std::string::npos) << "it changed nothing\n" << text;
    }
  }
  EXPECT_GT(compared, 50u);
}

}  // namespace
}  // namespace pipetop::tui
