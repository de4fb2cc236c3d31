// A talk under the keys of a clicker.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/config/config.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/view.h"
#include "tui/tests/fake_watch_source.h"
#include "tui/tests/recording_source.h"
#include "tui/tests/snapshots.h"

namespace pipetop::tui {
namespace {

constexpr const char* kTalk = R"(
pipe_size: 128KiB
scenes:
  - {title: First, view: functions, caption: "copies", expect: {rate: "> 0.1"}}
  - {title: Second, preset: vmsplice_read, view: tree, highlight: gup_fast_fallback}
  - {title: Slow, slow_motion: true, view: ring, wait: key}
  - {title: Clients, workload: page-cache, clients: 2, view: waiting}
  - {title: Last, gift: true, view: log, wait: 30s}
)";

class TalkTest : public testing::Test {
 protected:
  TalkTest() { begin({}); }

  void begin(const TalkOptions& options) {
    controller_.emplace(source_, config_.scenes.front().settings, config_.presets);
    controller_->begin_talk(config_.scenes, &options);
    source_.settings = config_.scenes.front().settings;
    tick(1);
  }

  Outcome press(Key key) {
    const Outcome outcome = controller_->handle({Input::Kind::key, key, {}});
    snapshot_.requested = source_.settings;
    controller_->show(snapshot_, 30, 100);
    return outcome;
  }
  void press_all(std::u32string_view keys) {
    for (const char32_t key : keys) press(key);
  }
  // One frame, so many seconds after the begin.
  void tick(uint64_t seconds) {
    snapshot_.now_ns = 1'000'000'000 * seconds;
    controller_->set_time(snapshot_.now_ns);
    controller_->go_on(snapshot_);
    controller_->show(snapshot_, 30, 100);
  }
  const DashboardState& state() const { return controller_->state(); }
  const Scene& scene(size_t number) const { return config_.scenes[number - 1]; }
  std::string screen() {
    Canvas canvas(glyphs_of(GlyphSet::unicode));
    canvas.reset(30, 100);
    draw(canvas, snapshot_, state());
    return canvas.text();
  }
  void expect_scene(size_t number) {
    EXPECT_EQ(state().show.scene, number);
    EXPECT_EQ(state().show.title, scene(number).title);
    EXPECT_EQ(state().show.view, scene(number).view);
    EXPECT_EQ(state().show.highlight, scene(number).highlight);
    EXPECT_TRUE(state().show.on);
    EXPECT_EQ(state().requested, scene(number).settings);
    EXPECT_EQ(source_.settings, scene(number).settings);
  }

  Snapshot snapshot_ = example_snapshot();
  Config config_ = parse_config("t", kTalk);
  RecordingSource source_;
  std::optional<Controller> controller_;
};

TEST_F(TalkTest, BeginsWithItsFirstScene) {
  expect_scene(1);
  EXPECT_EQ(state().show.scenes, 5u);
  EXPECT_EQ(state().show.caption, "copies");
  EXPECT_TRUE(source_.labels.empty()) << "the source began with it";
}

TEST_F(TalkTest, GoesThroughAllAndBackWithEveryKeyOfAClicker) {
  for (const Key next : {key::right, key::page_down, U' ', key::enter, U'n'}) {
    for (const Key back : {key::left, key::page_up, U'N'}) {
      for (size_t number = 2; number <= 5; ++number) {
        press(next);
        expect_scene(number);
      }
      press(next);
      expect_scene(5);
      EXPECT_EQ(state().message, "this is the last scene");
      for (size_t number = 4; number >= 1; --number) {
        press(back);
        expect_scene(number);
      }
      press(back);
      expect_scene(1);
    }
  }
  EXPECT_EQ(source_.labels[0], "#2: Second") << "its own segment";
}

TEST_F(TalkTest, WrongKeysInBetweenAreUndoneByEnteringAgain) {
  for (size_t number = 2; number <= 5; ++number) {
    press(key::right);
    press(key::tab);
    EXPECT_FALSE(state().show.on);
    press_all(U"vsbhgdtlym(){}<>cOpzwfoa%irPL7x08?");
    press(key::escape);
    press(key::escape);
    press_all(U"/abc\r");
    press(key::tab);
    press(key::down);
    press(U'+');
    press(U' ');
    press(key::back_tab);
    EXPECT_TRUE(state().show.on);
    EXPECT_EQ(state().show.scene, number) << "the scene is still known";
    press_all(U"vsbbhgdtlm%/xfwVZBR[]");
    press(key::left);
    expect_scene(number - 1);
    press(key::right);
    expect_scene(number);
    EXPECT_FALSE(state().frozen);
    EXPECT_FALSE(state().help.open);
    EXPECT_TRUE(state().choice.filter.empty());
    EXPECT_FALSE(state().choice.filter_before);
    EXPECT_EQ(state().focus, Role::writer);
    EXPECT_FALSE(state().log.open);
    EXPECT_EQ(state().show.view == ShowPart::log, number == 5);
    EXPECT_EQ(state().choice.form == ListForm::tree, number == 2);
    EXPECT_EQ(state().choice.activity == Activity::waiting, number == 4);
  }
  for (size_t number = 4; number >= 1; --number) press(key::left);
  expect_scene(1);
}

TEST_F(TalkTest, InTheShowNoKeyOfAKnobWorks) {
  for (const HotKey& hot : hot_keys(WorkloadKind::pipe)) {
    press(static_cast<Key>(hot.key));
    EXPECT_EQ(state().requested, scene(1).settings) << hot.key;
    if (hot.key == 'b') press(U'b');
  }
  press(U'v');
  EXPECT_EQ(state().message, "Tab shows the knobs and their keys");
  press_all(U"uU");
  EXPECT_EQ(state().requested, scene(1).settings);
  EXPECT_TRUE(source_.labels.empty());
}

TEST_F(TalkTest, AClickersOtherKeysAreHarmless) {
  press(key::other);  // F5, Shift-F5
  press(key::escape);
  expect_scene(1);
  EXPECT_EQ(press(key::escape), Outcome::stay);
  EXPECT_EQ(state().message, "");
}

TEST_F(TalkTest, APointAndBBlankTheScreen) {
  for (const Key key : {U'.', U'b'}) {
    press(key);
    EXPECT_TRUE(state().show.blank);
    EXPECT_EQ(screen().find_first_not_of(" \n"), std::string::npos);
    press(key);
    EXPECT_FALSE(state().show.blank);
  }
  press(U'.');
  press(key::right);
  EXPECT_FALSE(state().show.blank);
  expect_scene(2);
}

TEST_F(TalkTest, ANumberAndGGoThere) {
  press_all(U"4");
  EXPECT_NE(screen().find("go to scene"), std::string::npos);
  expect_scene(1);
  press(U'G');
  expect_scene(4);
  press_all(U"02");
  press(key::enter);
  expect_scene(2);
  press_all(U"12G");
  EXPECT_EQ(state().message, "there is no scene 12: give 1 to 5");
  press_all(U"0G");
  expect_scene(2);
  press_all(U"3");
  press(key::escape);
  EXPECT_TRUE(state().talk.typed.empty());
  press(U'G');
  expect_scene(5);
  press(key::home);
  expect_scene(1);
  press(key::end);
  expect_scene(5);
}

TEST_F(TalkTest, TheIndexGoesToAScene) {
  press(key::ctrl('P'));
  EXPECT_NE(screen().find("Slow"), std::string::npos);
  press(key::down);
  press(key::down);
  EXPECT_EQ(state().show.scene, 1u);
  press(key::enter);
  expect_scene(3);
  press(key::ctrl('P'));
  press(key::end);
  press(key::page_up);
  press(key::escape);
  expect_scene(3);
  EXPECT_EQ(state().talk.page, TalkState::Page::none);
}

TEST_F(TalkTest, LeavingAsks) {
  EXPECT_EQ(press(U'q'), Outcome::stay);
  EXPECT_NE(screen().find("leave the talk?"), std::string::npos);
  EXPECT_EQ(press(U'n'), Outcome::stay);
  expect_scene(1);
  press(U'q');
  EXPECT_EQ(press(key::right), Outcome::stay) << "a clicker does not leave";
  press(key::tab);
  EXPECT_EQ(press(U'q'), Outcome::stay) << "nor from the knobs";
  EXPECT_EQ(press(U'y'), Outcome::quit);
  EXPECT_EQ(press(key::ctrl('C')), Outcome::interrupt);
}

TEST_F(TalkTest, OnTheDashboardQClosesWhatIsOpenFirst) {
  press(key::tab);
  for (const Key page : {U'?', U'!', U'L', U'Z'}) {
    press(page);
    EXPECT_EQ(press(U'q'), Outcome::stay);
    EXPECT_FALSE(state().help.open || state().messages.open || state().log.open || state().zoom);
    EXPECT_EQ(state().talk.page, TalkState::Page::none) << uint32_t(page);
  }
  press(U'q');
  EXPECT_EQ(state().talk.page, TalkState::Page::leaving);
}

TEST_F(TalkTest, TheKeysAreOnAPage) {
  press(U'?');
  EXPECT_NE(screen().find("Ctrl-P"), std::string::npos);
  press(key::right);
  expect_scene(1);
  EXPECT_EQ(screen().find("list of scenes"), std::string::npos);
}

TEST_F(TalkTest, TheKnobsSayTheWayBack) {
  press(key::tab);
  EXPECT_NE(screen().find("S-Tab talk"), std::string::npos);
  press(U'v');
  EXPECT_EQ(source_.settings.pipe.write_with, WriteWith::vmsplice);
  press(U'n');
  expect_scene(2);
}

TEST_F(TalkTest, PresetsAreThoseOfTheScenesWorkload) {
  press_all(U"4G");
  EXPECT_EQ(state().presets.front().name, "one_client");
  press(key::home);
  EXPECT_EQ(state().presets.front().name, "write_read");
}

TEST_F(TalkTest, ASceneThatIsRefusedDoesNotStopTheTalk) {
  source_.refuses = true;
  press(key::right);
  EXPECT_EQ(state().show.scene, 2u);
  EXPECT_EQ(state().message, "writer: it will not");
  EXPECT_EQ(state().requested, scene(1).settings) << "what really runs";
  source_.refuses = false;
  press(key::right);
  expect_scene(3);
}

TEST_F(TalkTest, TheMouseDoesNothingInTheShow) {
  for (int row = 0; row < 30; ++row)
    controller_->handle({Input::Kind::mouse, 0, {row, 4, MouseAct::press}});
  expect_scene(1);
}

TEST_F(TalkTest, GoesOnByItselfAndBeginsAgain) {
  begin({20'000'000'000, true});
  tick(20);
  expect_scene(1);
  tick(21);
  expect_scene(2);
  snapshot_.effective.settled = false;
  tick(60);
  expect_scene(2);  // not settled yet
  snapshot_.effective.settled = true;
  tick(61);
  expect_scene(3);
  tick(81);
  expect_scene(4);
  tick(101);
  expect_scene(5);
  tick(130);
  expect_scene(5);  // it says 30 s itself
  tick(131);
  expect_scene(1);
}

TEST_F(TalkTest, AKeyPausesIt) {
  begin({20'000'000'000, false});
  tick(10);
  press(key::escape);
  EXPECT_EQ(state().message, "the talk goes on by itself a minute after the last key");
  tick(69);
  expect_scene(1);
  tick(70);
  expect_scene(2);
  EXPECT_EQ(state().message, "");
  press(key::end);
  tick(1000);
  expect_scene(5);  // without --loop it ends
}

// `pipetop -c FILE`: the dashboard keeps its keys.
class ScenesTest : public TalkTest {
 protected:
  ScenesTest() {
    controller_.emplace(source_, config_.settings, config_.presets);
    source_.settings = config_.settings;
    controller_->begin_talk(config_.scenes);
    tick(1);
  }
};

TEST_F(ScenesTest, NAndShiftNChangeScenesInTheDashboard) {
  EXPECT_EQ(state().show.scene, 0u);
  press(U'n');
  EXPECT_EQ(state().show.scene, 1u);
  EXPECT_FALSE(state().show.on);
  EXPECT_EQ(state().message, "1 of 5  First: copies");
  press(U'n');
  EXPECT_EQ(source_.settings, scene(2).settings);
  EXPECT_EQ(source_.labels.back(), "#2: Second");
  press(U'N');
  EXPECT_EQ(source_.settings, scene(1).settings);
  press(U'N');
  EXPECT_EQ(state().message, "this is the first scene");
  press(U'u');
  EXPECT_EQ(source_.settings, scene(2).settings);
  press(key::home);
  EXPECT_EQ(state().show.scene, 1u) << "the lists'";
  EXPECT_EQ(press(U'q'), Outcome::quit);
}

TEST_F(ScenesTest, WithoutScenesTheKeySaysSo) {
  controller_.emplace(source_, config_.settings, config_.presets);
  press(U'n');
  EXPECT_EQ(state().message, "there are no scenes: give a config that has some, as -c talk");
}

// ---- scenes that watch ----

constexpr const char* kWatching = R"(
scenes:
  - {title: Ours}
  - {title: Yours, watch: -- a | b, caption: "any program"}
  - {title: Theirs, watch: 4711}
)";

class WatchingTalk : public testing::Test {
 protected:
  WatchingTalk() {
    controller_.emplace(source_, config_.scenes.front().settings, config_.presets);
    controller_->open_scenes_by([this](const SceneWatch& what) {
      if (refuses_) throw Error("there is no such process");
      watched_.push_back(what.text());
      auto source = std::make_shared<FakeWatchSource>(fake_watch(20, fake_chain(4)));
      now_watched_ = source;
      return source;
    });
    controller_->begin_talk(config_.scenes, &options_);
    tick();
  }

  void tick() {
    now_ns_ += 100'000'000;
    controller_->tick(now_ns_);
    controller_->lay_out(rows_, cols_);
  }
  Outcome press(Key key) {
    const Outcome outcome = controller_->handle({Input::Kind::key, key, {}});
    tick();
    return outcome;
  }
  std::string text() {
    Canvas canvas(glyphs_of(GlyphSet::unicode), rows_, cols_);
    controller_->lay_out(rows_, cols_);
    controller_->draw(canvas);
    return canvas.text();
  }
  bool shows(std::string_view part) { return text().find(part) != std::string::npos; }

  TalkOptions options_;
  Config config_ = parse_config("t", kWatching);
  RecordingSource source_;
  bool refuses_ = false;
  std::vector<std::string> watched_;
  std::weak_ptr<FakeWatchSource> now_watched_;
  uint64_t now_ns_ = kFakeWatchNow_ns;
  int rows_ = 40, cols_ = 120;
  std::optional<Controller> controller_;
};

TEST_F(WatchingTalk, GoesFromTwoProcessesToAPipelineAndBack) {
  EXPECT_EQ(source_.stands_still, 0);
  press(key::right);
  EXPECT_EQ(watched_, std::vector<std::string>{"-- a | b"});
  EXPECT_EQ(source_.stands_still, 1) << "our own pipe would take its time";
  for (const auto& [rows, cols] : {std::pair{16, 60}, {24, 80}, {40, 120}, {60, 200}}) {
    rows_ = rows, cols_ = cols;
    EXPECT_TRUE(shows("2/3 Yours")) << text();
    EXPECT_TRUE(shows("any program")) << text();
    EXPECT_TRUE(shows("gzip") || shows("zstd") || shows("tar")) << text();
  }
  press(U'n');
  EXPECT_EQ(watched_.back(), "4711");
  EXPECT_EQ(source_.stands_still, 1);
  press(key::left);
  press(key::left);
  EXPECT_TRUE(now_watched_.expired()) << "it has ended";
  EXPECT_EQ(source_.stands_still, 0);
  EXPECT_TRUE(shows("1/3 Ours"));
}

TEST_F(WatchingTalk, TheKeysOfTheTalkWork) {
  press(key::right);
  press(U'.');
  EXPECT_EQ(text().find_first_not_of(" \n"), std::string::npos);
  press(U'b');
  EXPECT_TRUE(shows("2/3 Yours"));
  EXPECT_EQ(press(U'q'), Outcome::stay);
  EXPECT_TRUE(shows("leave the talk?"));
  press(U'n');
  EXPECT_FALSE(now_watched_.expired());
  press(U'}');
  EXPECT_TRUE(shows("Tab shows the knobs and their keys"));
  EXPECT_TRUE(now_watched_.lock()->asked.empty() ||
              now_watched_.lock()->asked.back().find("resize") == std::string::npos);
  press(key::ctrl('P'));
  EXPECT_TRUE(shows("scenes"));
  press(key::home);
  press(key::enter);
  EXPECT_TRUE(now_watched_.expired());
  press(U'3');
  press(U'G');
  EXPECT_EQ(watched_.back(), "4711");
  press(U'q');
  EXPECT_EQ(press(U'y'), Outcome::quit);
}

TEST_F(WatchingTalk, TabShowsTheScreenOfWatchWithItsKeys) {
  press(key::right);
  press(key::tab);
  EXPECT_FALSE(shows("2/3 Yours"));
  EXPECT_TRUE(shows("pipetop watch"));
  press(U'?');
  EXPECT_TRUE(shows("halve or double"));
  EXPECT_EQ(press(U'q'), Outcome::stay);
  EXPECT_FALSE(shows("halve or double"));
  EXPECT_FALSE(shows("leave the talk?"));
  press(U'j');
  press(U'}');
  EXPECT_TRUE(shows("Enter"));
  press(U'n');
  EXPECT_EQ(watched_.size(), 1u) << "a question takes the keys";
  press(key::back_tab);
  EXPECT_TRUE(shows("2/3 Yours"));
  press(key::tab);
  press(U'N');
  EXPECT_TRUE(now_watched_.expired());
}

TEST_F(WatchingTalk, WhatCannotBeWatchedDoesNotStopTheTalk) {
  refuses_ = true;
  press(key::right);
  EXPECT_TRUE(shows("there is no such process"));
  EXPECT_EQ(source_.stands_still, 0);
  EXPECT_TRUE(shows("2/3 Yours"));
  refuses_ = false;
  press(key::right);
  EXPECT_EQ(watched_.back(), "4711");
}

TEST_F(WatchingTalk, WhatCannotBePutBackIsSaid) {
  press(key::right);
  now_watched_.lock()->left = {"not put back: pipe 81000"};
  press(key::left);
  EXPECT_TRUE(shows("not put back: pipe 81000"));
  press(key::right);
  now_watched_.lock()->left = {"not put back: pipe 81001"};
  EXPECT_EQ(controller_->end_watching(), std::vector<std::string>{"not put back: pipe 81001"});
  EXPECT_EQ(source_.stands_still, 0);
}

TEST_F(TalkTest, MessagesOpenAndCloseOnStage) {
  press(U'!');
  EXPECT_TRUE(state().messages.open);
  press(key::escape);
  EXPECT_FALSE(state().messages.open);
  press_all(U"!!");
  EXPECT_FALSE(state().messages.open);
  press_all(U"!n");
  expect_scene(2);
  EXPECT_FALSE(state().messages.open);
}

TEST_F(TalkTest, AnotherTechniqueBeginsInSlowMotion) {
  begin({.transitions = true});
  press(U'n');
  EXPECT_TRUE(source_.settings.pipe.slow_motion);
  EXPECT_EQ(state().show.view, ShowPart::ring);
  EXPECT_EQ(state().by_hand(), "");
  tick(2);
  EXPECT_TRUE(source_.settings.pipe.slow_motion);
  tick(4);
  expect_scene(2);
  press(U'N');
  EXPECT_TRUE(source_.settings.pipe.slow_motion);
  press(U'n');
  EXPECT_TRUE(source_.settings.pipe.slow_motion) << "back at once";
  press(U'T');
  expect_scene(2);
  press(U'N');
  expect_scene(1);
}

}  // namespace
}  // namespace pipetop::tui
