// What a replay draws is what the dashboard drew.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/recording/recorder.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/messages.h"
#include "tui/dashboard/source.h"
#include "tui/dashboard/view.h"
#include "tui/tests/fake_source.h"
#include "tui/tests/recording_source.h"
#include "tui/tests/snapshots.h"
#include "tui/widgets/ring_state.h"

namespace pipetop::tui {
namespace {

bool same_cells(const Canvas& a, const Canvas& b) {
  for (int row = 0; row < a.rows(); ++row)
    for (int col = 0; col < a.cols(); ++col)
      if (a.at(row, col) != b.at(row, col)) return false;
  return true;
}

struct Look {
  int rows, cols;
  Activity activity;
  ListForm form;
  bool log;
};
constexpr Look kLooks[] = {
    {24, 80, Activity::running, ListForm::flat, false},
    {40, 120, Activity::waiting, ListForm::tree, false},
    {50, 160, Activity::running, ListForm::tree, false},
    {60, 200, Activity::running, ListForm::flat, true},
    {16, 60, Activity::waiting, ListForm::flat, false},
};

// Without anything that was remembered of earlier frames.
Canvas drawn_as(const Snapshot& s, const Look& look) {
  Canvas canvas(glyphs_of(GlyphSet::unicode), look.rows, look.cols);
  DashboardState view;
  view.presets = built_in_presets();
  view.choice.activity = look.activity;
  view.choice.form = look.form;
  view.log.open = look.log;
  for (ListState& list : view.lists) list.folds.set_all(true);
  draw_recorded(canvas, s, view);
  return canvas;
}

struct Recorded {
  std::vector<Snapshot> live;
  std::string bytes;
};

// A minute of made-up time, with changes, as the dashboard records it.
Recorded some_minute(FakeMood mood, bool slow_motion) {
  Recorded recorded;
  Settings settings = article_presets()[0].settings;
  settings.pipe.slow_motion = slow_motion;
  FakeSource source(settings, mood);
  WholeFrames whole;
  Recorder recorder({}, [&](std::string_view block) { recorded.bytes += block; });
  for (int i = 0; i < 1200; ++i) {
    source.advance(50 * kMs);
    if (i % 97 == 96) {
      Settings next = article_presets()[size_t(i / 97) % 7].settings;
      next.pipe.slow_motion = slow_motion;
      next.pipe.payload = i % 2 ? Payload::stamped : Payload::constant;
      if (i > 1000) next.observers = Observing::off;
      source.apply(next, "change " + std::to_string(i), "v");
    }
    recorded.live.push_back(source.tick());
    whole.replace_torn(recorded.live.back().ring);
    recorder.add(recorded.live.back());
  }
  recorder.finish();
  return recorded;
}

class ReplayOf : public testing::TestWithParam<std::pair<FakeMood, bool>> {};

TEST_P(ReplayOf, TwentyInstantsAreDrawnAsTheyWere) {
  const Recorded recorded = some_minute(GetParam().first, GetParam().second);
  Recording recording = Recording::of_bytes("test", recorded.bytes);
  ASSERT_EQ(recording.frames(), recorded.live.size());
  EXPECT_LT(recorded.bytes.size(), 1u << 20) << "the budget of a minute";
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    const size_t at = random() % recorded.live.size();
    for (const Look& look : kLooks) {
      const Canvas live = drawn_as(recorded.live[at], look);
      const Canvas replayed = drawn_as(recording.frame(at), look);
      ASSERT_TRUE(same_cells(live, replayed)) << "frame " << at << "\n"
                                              << live.text() << replayed.text();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Moods, ReplayOf,
                         testing::Values(std::pair(FakeMood::normal, false),
                                         std::pair(FakeMood::normal, true),
                                         std::pair(FakeMood::no_bpf, false),
                                         std::pair(FakeMood::warming, false),
                                         std::pair(FakeMood::deep, false)));

// With all that is remembered from frame to frame.
TEST(Replay, PlayedThroughItIsTheSameFilm) {
  const Recorded recorded = some_minute(FakeMood::normal, true);
  Recording recording = Recording::of_bytes("test", recorded.bytes);
  DashboardState live, replayed;
  live.presets = replayed.presets = built_in_presets();
  Canvas one(glyphs_of(GlyphSet::unicode), 40, 120), other = one;
  for (size_t i = 0; i < recording.frames(); ++i) {
    one.reset(40, 120);
    other.reset(40, 120);
    draw_recorded(one, recorded.live[i], live);
    draw_recorded(other, recording.frame(i), replayed);
    ASSERT_TRUE(same_cells(one, other)) << i << "\n" << one.text() << other.text();
  }
}

// A stranger who replays a talk reads what the keys did, too.
TEST(Replay, WhatTheScreenAnsweredIsShownAgain) {
  std::string bytes;
  FakeSource source(article_presets()[0].settings, FakeMood::normal);
  Recorder recorder({}, [&](std::string_view block) { bytes += block; });
  for (int i = 0; i < 100; ++i) {
    source.advance(50 * kMs);
    Snapshot now = source.tick();
    if (i >= 40 && i < 80)
      now.answer = Notice{now.now_ns, i < 60 ? Severity::info : Severity::error,
                          i < 60 ? "vmsplice: gift is off" : "no hugetlb pages"};
    recorder.add(now);
  }
  recorder.finish();
  Recording recording = Recording::of_bytes("test", bytes);
  ASSERT_EQ(recording.frames(), 100u);
  const auto shows = [&](size_t frame, const char* words) {
    return drawn_as(recording.frame(frame), kLooks[1]).text().find(words) != std::string::npos;
  };
  EXPECT_FALSE(shows(39, "gift is off"));
  EXPECT_TRUE(shows(40, "vmsplice: gift is off"));
  EXPECT_TRUE(shows(59, "vmsplice: gift is off"));
  EXPECT_TRUE(shows(60, "no hugetlb pages"));
  EXPECT_FALSE(shows(80, "no hugetlb pages"));
  DashboardState replayed;
  EXPECT_EQ(
      message_of(recording.frame(70), replayed, VerdictAt::message, ChangeAt::message).severity,
      Severity::error);
}

TEST(Replay, TheRingSettlesAsItDidOnTheScreen) {
  const Recorded recorded = some_minute(FakeMood::normal, false);
  Recording recording = Recording::of_bytes("test", recorded.bytes);
  RecordingSource source;
  Controller live(source, Settings{}, built_in_presets());
  DashboardState replayed;
  Canvas canvas(glyphs_of(GlyphSet::unicode), 40, 120);
  size_t settled = 0;
  for (size_t i = 0; i < recording.frames(); ++i) {
    live.show(recorded.live[i], 40, 120);
    canvas.reset(40, 120);
    draw_recorded(canvas, recording.frame(i), replayed);
    ASSERT_EQ(replayed.ring.settled, live.state().ring.settled) << i;
    settled += live.state().ring.settled;
  }
  EXPECT_GT(settled, 0u);
}

uint64_t viewer_ns = 0;
uint64_t viewer_clock() { return viewer_ns; }

class ReplayTest : public testing::Test {
 protected:
  ReplayTest() { frame(); }

  // Time passes for the viewer.
  std::string frame(uint64_t ns = 0) {
    viewer_ns += ns;
    shown_ = source_.tick();
    controller_.set_time(shown_.now_ns, viewer_ns);
    controller_.show(shown_, 40, 120);
    canvas_.reset(40, 120);
    draw(canvas_, shown_, controller_.state());
    return canvas_.text();
  }
  Outcome press(Key key) {
    const Outcome outcome = controller_.handle({Input::Kind::key, key, {}});
    frame();
    return outcome;
  }
  uint64_t at_ms() const { return source_.replay()->at_ns / kMs; }
  const std::string& message() const { return controller_.state().message; }
  bool shows(const std::string& text) { return frame().find(text) != std::string::npos; }

  Recorded recorded_ = some_minute(FakeMood::normal, false);
  Recording recording_ = Recording::of_bytes("test", recorded_.bytes);
  ReplaySource source_{recording_, viewer_clock};
  Controller controller_{source_, recording_.header().settings, built_in_presets()};
  Canvas canvas_{glyphs_of(GlyphSet::unicode)};
  Snapshot shown_;
};

// As a live talk: the keys of clickers go from scene to scene, and blank the screen.
TEST(Replay, IsPresentedWithTheKeysOfATalk) {
  std::string bytes;
  FakeSource source(article_presets()[0].settings, FakeMood::normal);
  Recorder recorder({}, [&](std::string_view block) { bytes += block; });
  for (int i = 0; i < 120; ++i) {
    source.advance(50 * kMs);
    const Snapshot now = source.tick();
    if (i % 40 == 0) recorder.begin_scene(now.now_ns, static_cast<uint32_t>(i / 40 + 1), Scene());
    recorder.add(now);
  }
  recorder.finish();
  Recording recording = Recording::of_bytes("test", bytes);
  ReplaySource replay(recording, viewer_clock);
  replay.present();
  const std::vector<Scene> scenes = replay.scenes();
  ASSERT_EQ(scenes.size(), 3u);
  Controller controller(replay, recording.header().settings, built_in_presets());
  const TalkOptions options;
  controller.begin_talk(scenes, &options);
  const auto frame = [&] {
    controller.tick(viewer_ns);
    controller.lay_out(30, 100);
  };
  const auto press = [&](Key key) {
    const Outcome outcome = controller.handle({Input::Kind::key, key, {}});
    frame();
    return outcome;
  };
  const DashboardState& state = controller.state();
  frame();
  press(U' ');
  EXPECT_EQ(state.show.scene, 2u);
  EXPECT_EQ(replay.replay()->at_ns / (100 * kMs), 20u);
  press(key::page_down);
  EXPECT_EQ(state.show.scene, 3u);
  press(U'n');
  EXPECT_EQ(state.message, "this is the last scene");
  press(U'.');
  EXPECT_TRUE(state.show.blank);
  press(U'.');
  EXPECT_FALSE(state.show.blank);
  EXPECT_FALSE(replay.replay()->paused);
  press(key::left);
  EXPECT_EQ(state.show.scene, 2u);
  EXPECT_EQ(press(U'q'), Outcome::stay) << "it asks";
  EXPECT_EQ(press(U'y'), Outcome::quit);
}

TEST_F(ReplayTest, ItSaysWhatItIs) {
  EXPECT_TRUE(shows(" REPLAY ")) << canvas_.text();
  EXPECT_TRUE(shows("0:00.0 ●"));
  EXPECT_TRUE(shows("Left Right 5 s"));
  EXPECT_FALSE(shows("v vmsplice")) << "there is no knob to turn";
  frame(2 * kSecond);
  EXPECT_TRUE(shows("0:02.0 ")) << canvas_.text();
}

TEST_F(ReplayTest, ItsKeysMoveInTime) {
  press(key::right);
  EXPECT_EQ(at_ms(), 5000u);
  press(key::left);
  EXPECT_EQ(at_ms(), 0u);
  press(U' ');
  frame(3 * kSecond);
  EXPECT_EQ(at_ms(), 0u);
  EXPECT_TRUE(shows("paused"));
  press(U' ');
  frame(3 * kSecond);
  EXPECT_EQ(at_ms(), 3000u);
  press(U'>');
  EXPECT_EQ(message(), "2 times the speed");
  frame(1 * kSecond);
  EXPECT_EQ(at_ms(), 5000u);
  press(U'.');
  EXPECT_TRUE(source_.replay()->paused);
  press(key::end);
  EXPECT_TRUE(shows("at the end"));
  press(U'n');
  EXPECT_EQ(message(), "no change follows");
  press(key::home);
  EXPECT_EQ(at_ms(), 0u);
  press(U'n');
  EXPECT_EQ(message(), "change 96");
  EXPECT_NEAR(double(at_ms()), 4800, 2000) << "made-up time goes on while it is made up";
  press(U'N');
  EXPECT_EQ(at_ms(), 0u);
  press(key::end);
  press(U' ');
  EXPECT_EQ(at_ms(), 0u) << "from the end it begins again";
}

TEST_F(ReplayTest, TheSettingsAreThoseOfTheMoment) {
  const Settings first = controller_.state().requested;
  EXPECT_EQ(controller_.state().preset_name(), "write_read");
  press(U'n');
  press(U'n');
  EXPECT_NE(controller_.state().requested, first);
  EXPECT_EQ(controller_.state().requested, shown_.requested);
}

TEST_F(ReplayTest, NothingCanBeChanged) {
  const Settings before = shown_.requested;
  for (const HotKey& hot : hot_keys(WorkloadKind::pipe)) {
    if (hot.key == '<' || hot.key == '>') continue;  // the speed
    press(static_cast<Key>(hot.key));
    EXPECT_EQ(message(), "a recording cannot be changed; ? shows its keys") << hot.key;
  }
  for (const Key key : {U'1', U'7', U'u', U'0', U'x'}) {
    press(key);
    EXPECT_EQ(message(), "a recording cannot be changed; ? shows its keys");
  }
  EXPECT_EQ(controller_.state().requested, before);
  EXPECT_FALSE(controller_.state().frozen);
  EXPECT_THROW(source_.apply({}, "", ""), Error);
}

TEST_F(ReplayTest, TheViewsKeysWorkAsLive) {
  frame(20 * kSecond);
  press(U'f');
  EXPECT_EQ(controller_.state().choice.form, ListForm::tree);
  press(key::down);
  EXPECT_EQ(controller_.state().list(Role::writer).selected, 0);
  press(U'L');
  EXPECT_TRUE(controller_.state().log.open);
  const uint64_t at = at_ms();
  press(key::end);
  EXPECT_EQ(at_ms(), at) << "the page scrolls";
  press(key::escape);
  press(U'a');
  EXPECT_TRUE(controller_.state().reference.is_a);
  press(U'?');
  EXPECT_TRUE(shows("5 seconds back or forward")) << canvas_.text();
  EXPECT_FALSE(shows("undo the last change"));
  EXPECT_EQ(press(U'q'), Outcome::stay) << "it closes the page";
  EXPECT_EQ(press(U'q'), Outcome::quit);
}

TEST_F(ReplayTest, MessagesAgeForTheViewer) {
  press(U' ');
  press(U'>');
  frame(2 * kSecond);
  EXPECT_NE(message(), "");
  frame(2 * kSecond);
  EXPECT_EQ(message(), "") << "also while it is paused";
}

TEST_F(ReplayTest, NoSizeIsTooSmallForTheTimeLine) {
  for (const auto& [rows, cols] : {std::pair{16, 60}, {24, 80}, {30, 100}, {45, 160}}) {
    controller_.show(shown_, rows, cols);
    canvas_.reset(rows, cols);
    draw(canvas_, shown_, controller_.state());
    const std::string last = canvas_.line(rows - 1);
    EXPECT_NE(last.find("0:00.0 ●"), std::string::npos) << canvas_.text();
    EXPECT_NE(last.find(" 0:59.9"), std::string::npos) << last;
    EXPECT_NE(canvas_.text().find("Space pause"), std::string::npos);
    EXPECT_NE(canvas_.text().find("q quit"), std::string::npos);
  }
}

}  // namespace
}  // namespace pipetop::tui
