// What was recorded of `watch`, on its screen.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/recording/recorder.h"
#include "engine/recording/recording.h"
#include "engine/recording/tests/random_values.h"
#include "tui/tests/watch_fixture.h"
#include "tui/watch/recorded_pipeline.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kFrame_ns = 50 * kMs;
uint64_t viewer_ns;
uint64_t viewers_clock() { return viewer_ns; }

class Kept final : public Tape {
 public:
  bool on() const override { return true; }
  std::string toggle() override { return {}; }
  void add(const Snapshot& now) override {
    all.push_back(now);
    recorder_.add(now);
  }
  void begin_scene(uint64_t, uint32_t, const Scene&) override {}

  Recording recording() {
    recorder_.finish();
    return Recording::of_bytes("test", std::exchange(bytes_, {}));
  }

  std::vector<Snapshot> all;

 private:
  std::string bytes_;
  Recorder recorder_{{}, [this](std::string_view block) { bytes_ += block; }};
};

// A screen that shows a recorded pipeline for ten seconds; the ring is resized after five.
class WatchReplay : public testing::Test {
 protected:
  WatchReplay() {
    FakeWatchSource source(fake_watch(20, fake_chain(4)));
    source.turns = 3;
    WatchController live(source, {.pipeline = true});
    live.lay_out(40, 120);
    for (int i = 0; i < 200; ++i) {
      Snapshot& now = source.now;
      if (i == 0) begin(now, 1, "start", "");
      if (i == 100) begin(now, 2, "pipe 81000: 64 KiB -> 128 KiB", "}");
      live.tick(kFakeWatchNow_ns + uint64_t(i + 1) * kFrame_ns);
      live.record(tape_);
    }
    viewer_ns = kSecond;
    recording_.emplace(tape_.recording());
    transport_.emplace(*recording_, viewers_clock);
    source_.emplace(4, &*transport_);
    screen_.emplace(*source_,
                    WatchStart{.pipeline = true, .recorded = true, .transport = &*transport_});
    pass(0);
  }

  // The second one is a change.
  static void begin(Snapshot& now, uint32_t number, const std::string& label,
                    const std::string& key) {
    Segment& current = now.throughput.current;
    current.number = number;
    current.label = label;
    current.key = key;
    current.begin_ns = kFakeWatchNow_ns + (number - 1) * 100 * kFrame_ns + 1;
    if (number == 1) return;
    Intervention& change = now.interventions.emplace_back();
    change.text = label;
    change.at_ns = current.begin_ns;
  }

  void pass(uint64_t ns) {
    viewer_ns += ns;
    screen_->tick(viewer_ns);
    screen_->lay_out(40, 120);
  }
  Outcome press(Key key) {
    const Outcome outcome = screen_->handle({Input::Kind::key, key, {}});
    pass(0);
    return outcome;
  }
  std::string text() const {
    Canvas canvas(glyphs_of(GlyphSet::unicode), 40, 120);
    screen_->draw(canvas);
    return canvas.text();
  }
  bool shows(std::string_view part) const { return text().find(part) != std::string::npos; }
  double at_s() const { return double(transport_->state().at_ns) / 1e9; }

  Kept tape_;
  std::optional<Recording> recording_;
  std::optional<Transport> transport_;
  std::optional<RecordedPipeline> source_;
  std::optional<WatchController> screen_;
};

TEST_F(WatchReplay, EveryFrameIsTheOneThatWasShown) {
  ASSERT_EQ(recording_->frames(), 200u);
  const Snapshot& last = recording_->frame(199);
  ASSERT_TRUE(last.watched);
  EXPECT_EQ(last.watched->title(), tape_.all[199].watched->title());
  EXPECT_EQ(last.watched->verdict.because, tape_.all[199].watched->verdict.because);
  ASSERT_EQ(last.interventions.size(), 1u);
  EXPECT_TRUE(last.table.rows.empty()) << "the table isn't recorded";
  ASSERT_EQ(recording_->marks().size(), 2u);
  EXPECT_EQ(recording_->marks()[1].key, "}");
}

TEST_F(WatchReplay, ItPlaysAsAReplayOfTheDashboardDoes) {
  EXPECT_TRUE(shows(" REPLAY"));
  EXPECT_TRUE(shows("●")) << "the time line";
  EXPECT_FALSE(shows("CHANGED"));
  pass(2 * kSecond);
  EXPECT_NEAR(at_s(), 2, 0.1);
  press(U' ');
  pass(2 * kSecond);
  EXPECT_NEAR(at_s(), 2, 0.1);
  EXPECT_TRUE(shows("paused"));
  press(U'n');
  EXPECT_NEAR(at_s(), 5, 0.1);
  EXPECT_TRUE(shows("pipe 81000: 64 KiB -> 128 KiB"));
  EXPECT_TRUE(shows(" 1 CHANGED"));
  press(key::left);
  EXPECT_NEAR(at_s(), 0, 0.1);
  EXPECT_FALSE(shows("CHANGED"));
  press(key::end);
  EXPECT_TRUE(shows("at the end"));
  press(key::home);
  EXPECT_EQ(at_s(), 0);
}

TEST_F(WatchReplay, NothingCanBeChanged) {
  press(key::end);
  for (const Key key : {U'{', U'}', U'x', U'u', U'0', U'1', U'9'}) {
    press(key);
    EXPECT_TRUE(shows("a recording cannot be changed; ? shows its keys")) << uint32_t(key);
    EXPECT_FALSE(screen_->refused().empty());
  }
  press(U'W');
  EXPECT_TRUE(shows("this is a recording"));
  EXPECT_EQ(press(U'q'), Outcome::quit) << "the changes in it are nobody's";
}

TEST_F(WatchReplay, KeysThatOnlyShowWork) {
  press(U'j');
  press(key::enter);
  press(key::escape);
  press(key::escape);
  EXPECT_TRUE(shows("a recording holds the open pipeline only; q quits"));
  press(U'?');
  EXPECT_TRUE(shows("5 seconds back or forward"));
  EXPECT_FALSE(shows("halve or double"));
}

TEST_F(WatchReplay, SmallScreensHaveATimeLineToo) {
  for (const auto& [rows, cols] : kWatchSizes) {
    Canvas canvas(glyphs_of(GlyphSet::ascii), rows, cols);
    screen_->lay_out(rows, cols);
    screen_->draw(canvas);
    EXPECT_NE(canvas.text().find("0:09.9"), std::string::npos) << rows << "x" << cols;
  }
}

// A file that somebody made to do harm can hold any values.
TEST(WatchReplayOfAnything, CanBeDrawn) {
  recording::RandomValues values(5);
  Snapshot s;
  std::string bytes;
  Recorder recorder({}, [&](std::string_view block) { bytes += block; });
  for (int i = 0; i < 200; ++i) {
    values.change(s, 3);
    if (s.watched) recorder.add(s);
  }
  recorder.finish();
  Recording read = Recording::of_bytes("test", bytes);
  ASSERT_GT(read.frames(), 50u);
  RecordedPipeline source(4);
  WatchController screen(source, {.pipeline = true, .recorded = true});
  for (size_t i = 0; i < read.frames(); ++i) {
    source.show(read.frame(i));
    screen.tick(read.frame(i).now_ns);
    for (const auto& [rows, cols] : kWatchSizes) {
      Canvas canvas(glyphs_of(GlyphSet::unicode), rows, cols);
      screen.handle({Input::Kind::key, i % 9 == 0 ? key::tab : i % 5 == 0 ? key::enter : U'j', {}});
      screen.lay_out(rows, cols);
      screen.draw(canvas);
    }
  }
}

}  // namespace
}  // namespace pipetop::tui
