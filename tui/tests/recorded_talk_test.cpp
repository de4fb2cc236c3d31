// A recorded talk is the same show as a live one, and one takes the place of the other.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/config/config.h"
#include "engine/recording/recorder.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/source.h"
#include "tui/tests/talk_model.h"

namespace pipetop::tui {
namespace {

constexpr const char* kRecordedTalk = R"(
scenes:
  - {title: Copying, preset: write_read, view: functions, notes: "two copies"}
  - {title: Slowly, preset: write_read, slow_motion: true, wait: key, caption: "a ring"}
  - {title: Lending, preset: vmsplice_read, wait: 9s}
  - {title: Again, preset: vmsplice_read, view: tree, highlight: gup_fast_fallback}
  - {title: One client, workload: page-cache, preset: one_client}
  - {title: Busy, preset: busy_loop_huge, view: ladder}
)";

class MemoryTape final : public Tape {
 public:
  bool on() const override { return true; }
  std::string toggle() override { return {}; }
  void add(const Snapshot& now) override { recorder_.add(now); }
  void begin_scene(uint64_t now_ns, uint32_t number, const Scene& scene) override {
    recorder_.begin_scene(now_ns, number, scene);
  }
  std::string finish() {
    recorder_.finish();
    return bytes_;
  }

 private:
  std::string bytes_;
  Recorder recorder_{{}, [this](std::string_view block) { bytes_ += block; }};
};

uint64_t watched_until_ns = 0;

class RecordedTalk : public testing::Test {
 protected:
  RecordedTalk() {
    const TalkOptions options;
    live_.begin_talk(config_.scenes, &options);
    recorded_source_.present();
    scenes_ = recorded_source_.scenes();
    recorded_.begin_talk(scenes_, &options);
    for (Controller* talk : {&live_, &recorded_}) look(*talk);
  }

  static std::vector<size_t> all_scenes() { return {1, 2, 3, 4, 5, 6}; }

  std::string record(const std::vector<size_t>& scenes) {
    TalkModel source(config_.scenes.front().settings);
    Controller talk(source, config_.scenes.front().settings, config_.presets);
    const TalkOptions options;
    talk.begin_talk(config_.scenes, &options);
    MemoryTape tape;
    for (const size_t scene : scenes) {
      talk.handle({Input::Kind::key, U'0' + static_cast<Key>(scene), {}});
      talk.handle({Input::Kind::key, U'G', {}});
      for (int frame = 0; frame < 5; ++frame) {
        look(talk);
        talk.record(tape);
      }
    }
    return tape.finish();
  }

  static void look(Controller& talk) {
    watched_until_ns += 100'000'000;
    talk.tick(watched_until_ns);
    talk.show(talk.shown(), 40, 120);
  }
  static Outcome press(Controller& talk, Key key) {
    const Outcome outcome = talk.handle({Input::Kind::key, key, {}});
    look(talk);
    return outcome;
  }

  // What an audience sees of a talk.
  static std::vector<std::string> state_of(const Controller& talk) {
    const ShowState& show = talk.state().show;
    const TalkState& state = talk.state().talk;
    return {std::to_string(show.scene),
            std::to_string(show.scenes),
            show.title,
            show.caption,
            show.highlight,
            std::to_string(int(show.view)),
            show.on ? "show" : "knobs",
            show.blank ? "black" : "",
            std::to_string(int(state.page)),
            std::to_string(state.selected),
            state.typed,
            std::string(talk.state().preset_name()),
            state.at ? std::to_string(*state.at) : "none"};
  }

  Config config_ = parse_config("t", kRecordedTalk);
  TalkModel source_{config_.scenes.front().settings};
  Controller live_{source_, config_.scenes.front().settings, config_.presets};
  Recording recording_ = Recording::of_bytes("test", record(all_scenes()));
  ReplaySource recorded_source_{recording_, [] { return watched_until_ns; }};
  std::vector<Scene> scenes_;
  Controller recorded_{recorded_source_, config_.scenes.front().settings, config_.presets};
};

TEST_F(RecordedTalk, HasAllOfItsScenes) {
  ASSERT_EQ(scenes_.size(), config_.scenes.size());
  for (size_t i = 0; i < scenes_.size(); ++i) {
    EXPECT_EQ(scenes_[i].title, config_.scenes[i].title);
    EXPECT_EQ(scenes_[i].caption, config_.scenes[i].caption);
    EXPECT_EQ(scenes_[i].notes, config_.scenes[i].notes);
    EXPECT_EQ(scenes_[i].view, config_.scenes[i].view);
    EXPECT_EQ(scenes_[i].highlight, config_.scenes[i].highlight);
    EXPECT_EQ(scenes_[i].wait.what, config_.scenes[i].wait.what);
    EXPECT_EQ(scenes_[i].wait.ns, config_.scenes[i].wait.ns);
  }
}

TEST_F(RecordedTalk, ScenesKeepTheirNumbersWhereSomeAreMissing) {
  Recording recording = Recording::of_bytes("test", record({1, 3, 5}));
  ReplaySource source(recording, [] { return watched_until_ns; });
  source.present();
  const std::vector<Scene> scenes = source.scenes();
  Controller talk(source, config_.scenes.front().settings, config_.presets);
  const TalkOptions options;
  talk.begin_talk(scenes, &options);
  look(talk);
  press(talk, U'n');
  EXPECT_EQ(talk.state().show.scene, 3u);
  EXPECT_EQ(talk.state().show.scenes, 5u);
  press(talk, U'5');
  press(talk, U'G');
  EXPECT_EQ(talk.state().show.title, "One client");
  press(talk, U'4');
  press(talk, U'G');
  EXPECT_EQ(talk.state().message, "scene 4 was not recorded");
  EXPECT_EQ(talk.state().show.scene, 5u);
}

// The moment at which a talk goes on by itself is the next scene's, as on the screen.
TEST_F(RecordedTalk, AFrameIsOfTheSceneThatItShows) {
  TalkModel source(config_.scenes.front().settings);
  Controller talk(source, config_.scenes.front().settings, config_.presets);
  const TalkOptions by_itself{.auto_ns = 500'000'000};
  talk.begin_talk(config_.scenes, &by_itself);
  MemoryTape tape;
  std::vector<size_t> shown;
  for (int frame = 0; frame < 200; ++frame) {
    look(talk);
    talk.record(tape);
    shown.push_back(talk.state().show.scene);
  }
  Recording recording = Recording::of_bytes("test", tape.finish());
  ASSERT_EQ(recording.frames(), shown.size());
  ASSERT_GT(shown.back(), 2u);
  size_t mark = 0, scene = 0;
  for (size_t frame = 0; frame < shown.size(); ++frame) {
    for (; mark < recording.marks().size() &&
           recording.marks()[mark].at_ns <= recording.frame(frame).now_ns;
         ++mark)
      if (recording.marks()[mark].kind == RecordedMark::Kind::scene)
        scene = recording.marks()[mark].number;
    EXPECT_EQ(scene, shown[frame]) << "frame " << frame;
  }
}

TEST_F(RecordedTalk, SixtyKeysDoTheSame) {
  std::vector<Key> keys;
  for (const char32_t key : std::u32string_view(U"nnb.nN.3GV\tn?x4\rqnq n12G6G2Gb1G"))
    keys.push_back(key);
  for (const Key key :
       {key::ctrl('P'), key::down,      key::down,     key::enter,     key::home,   key::end,
        key::page_up,   key::tab,       key::back_tab, key::ctrl('P'), key::escape, key::left,
        key::right,     key::up,        U'f',          U'w',           U'V',        U'Z',
        U'Z',           U'B',           U'B',          key::tab,       U'n',        U'n',
        key::back_tab,  key::page_down, U'1',          U'2',           U'G',        U'V'})
    keys.push_back(key);
  EXPECT_GE(keys.size(), 60u);
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(press(live_, keys[i]), press(recorded_, keys[i])) << "key " << i;
    EXPECT_EQ(state_of(live_), state_of(recorded_)) << "key " << i;
  }
}

TEST_F(RecordedTalk, GoesOnByItselfAtTheEndOfATake) {
  const TalkOptions by_itself{.auto_ns = 2'000'000'000, .loop = true};
  recorded_.begin_talk(scenes_, &by_itself);
  const auto until_scene = [&](size_t scene) {
    for (int frame = 0; frame < 200 && recorded_.state().show.scene != scene; ++frame)
      look(recorded_);
    return recorded_.state().show.scene;
  };
  for (const size_t scene : {1, 2, 3, 4, 5, 6, 1}) EXPECT_EQ(until_scene(scene), scene);
}

TEST_F(RecordedTalk, TakesTheLiveOnesPlaceAtTheSameScene) {
  FallbackSource both(source_, recorded_source_);
  Controller talk(both, config_.scenes.front().settings, config_.presets);
  const TalkOptions options;
  talk.begin_talk(config_.scenes, &options);
  look(talk);
  press(talk, U'n');
  press(talk, U'n');
  EXPECT_EQ(talk.state().replay, nullptr);
  press(talk, U'F');
  ASSERT_NE(talk.state().replay, nullptr);
  EXPECT_EQ(talk.state().show.scene, 3u);
  EXPECT_EQ(talk.shown().requested, config_.scenes[2].settings);
  press(talk, U'n');
  press(talk, U'n');
  EXPECT_EQ(talk.shown().requested.workload, WorkloadKind::page_cache);
  EXPECT_EQ(source_.segment().requested, config_.scenes[2].settings) << "it stands still";
  press(talk, U'F');
  EXPECT_EQ(talk.state().replay, nullptr);
  EXPECT_EQ(talk.state().show.scene, 5u);
  EXPECT_EQ(source_.segment().requested, config_.scenes[4].settings);
  EXPECT_EQ(talk.state().requested, config_.scenes[4].settings);
}

TEST_F(RecordedTalk, WithoutARecordingThereIsNothingToFallBackOn) {
  press(live_, U'F');
  EXPECT_EQ(live_.state().replay, nullptr);
  EXPECT_NE(live_.state().message.find("--fallback FILE"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::tui
