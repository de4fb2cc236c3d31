#include <gtest/gtest.h>

#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {
namespace {

// Ten seconds of 20 frames each, from some time on; changes after 2 s and 7 s, scenes at the begin
// and after 4 s.
class PlaybackTest : public testing::Test {
 protected:
  static std::vector<uint64_t> some_times() {
    std::vector<uint64_t> times;
    for (uint64_t i = 0; i <= 200; ++i) times.push_back(kBegin + i * 50 * kMs);
    return times;
  }
  static RecordedMark mark(uint64_t s, RecordedMark::Kind kind, const char* label) {
    RecordedMark made;
    made.at_ns = kBegin + s * kSecond;
    made.kind = kind;
    made.label = label;
    return made;
  }

  static constexpr uint64_t kBegin = 1000 * kSecond;
  std::vector<uint64_t> times_ = some_times();
  std::vector<RecordedMark> marks_ = {
      mark(0, RecordedMark::Kind::scene, "write"), mark(0, RecordedMark::Kind::change, "start"),
      mark(2, RecordedMark::Kind::change, "vmsplice"), mark(4, RecordedMark::Kind::scene, "splice"),
      mark(7, RecordedMark::Kind::change, "splice")};
  Playback playback_{times_, marks_};
};

TEST_F(PlaybackTest, PlaysAtItsSpeedUntilTheEnd) {
  EXPECT_EQ(playback_.frame(), 0u);
  playback_.pass(1 * kSecond);
  EXPECT_EQ(playback_.frame(), 20u);
  EXPECT_TRUE(playback_.change_speed(1));
  playback_.pass(1 * kSecond);
  EXPECT_EQ(playback_.at_ns(), 3 * kSecond);
  EXPECT_TRUE(playback_.change_speed(-3));
  EXPECT_EQ(playback_.speed(), 0.25);
  EXPECT_FALSE(playback_.change_speed(-1));
  playback_.pass(2 * kSecond);
  EXPECT_EQ(playback_.at_ns(), 3500 * kMs);
  while (playback_.change_speed(1)) continue;
  EXPECT_EQ(playback_.speed(), 16);
  playback_.pass(100 * kSecond);
  EXPECT_TRUE(playback_.at_end());
  EXPECT_EQ(playback_.frame(), 200u);
  playback_.pass(1 * kSecond);
  EXPECT_EQ(playback_.frame(), 200u) << "it stays there";
}

TEST_F(PlaybackTest, ATalkStaysOnTheLastFrameOfEachScene) {
  Playback talk(times_, marks_);
  talk.hold_at_scenes();
  const auto go_to_scene = [&](size_t scene) {
    talk.go_to_take({uint32_t(scene + 1), kBegin + scene * 4 * kSecond});
  };
  go_to_scene(0);
  EXPECT_EQ(talk.at_ns(), 0u);
  for (int i = 0; i < 10; ++i) talk.pass(1 * kSecond);
  EXPECT_EQ(talk.frame(), 79u) << "the second scene begins with frame 80";
  go_to_scene(1);
  EXPECT_EQ(talk.frame(), 80u);
  talk.pass(100 * kSecond);
  EXPECT_TRUE(talk.at_end());
  go_to_scene(0);
  EXPECT_EQ(talk.at_ns(), 0u);
}

// Scene 2 was shown twice, the second time for longer.
TEST_F(PlaybackTest, TheLongestTakeOfAScene) {
  marks_[0].number = 1;
  marks_[3].number = 2;
  RecordedMark again = mark(6, RecordedMark::Kind::scene, "splice");
  again.number = 2;
  marks_.push_back(again);
  auto takes = takes_of(marks_, times_.back(), {});
  ASSERT_EQ(takes.size(), 2u);
  EXPECT_EQ(takes[1].at_ns, again.at_ns);
  const TakeChoice first{2, 1};
  takes = takes_of(marks_, times_.back(), std::span(&first, 1));
  EXPECT_EQ(takes[1].at_ns, kBegin + 4 * kSecond);
  const TakeChoice none{2, 3};
  EXPECT_THROW(takes_of(marks_, times_.back(), std::span(&none, 1)), Error);
}

TEST_F(PlaybackTest, APauseStopsIt) {
  playback_.pause(true);
  playback_.pass(5 * kSecond);
  EXPECT_EQ(playback_.frame(), 0u);
  playback_.step(1);
  playback_.step(1);
  EXPECT_EQ(playback_.frame(), 2u);
  EXPECT_EQ(playback_.at_ns(), 100 * kMs);
  playback_.step(-5);
  EXPECT_EQ(playback_.frame(), 0u);
}

TEST_F(PlaybackTest, SeeksWithinItsEnds) {
  playback_.go(5 * int64_t{kSecond});
  EXPECT_EQ(playback_.frame(), 100u);
  playback_.go(-7 * int64_t{kSecond});
  EXPECT_EQ(playback_.frame(), 0u);
  playback_.go_to(3025 * kMs);
  EXPECT_EQ(playback_.frame(), 60u) << "the last one that is not after it";
  playback_.go(INT64_MAX);
  EXPECT_TRUE(playback_.at_end());
}

TEST_F(PlaybackTest, GoesFromMarkToMark) {
  for (const uint64_t s : {2, 4, 7}) {
    EXPECT_TRUE(playback_.go_to_mark(true));
    EXPECT_EQ(playback_.at_ns(), s * kSecond);
  }
  EXPECT_FALSE(playback_.go_to_mark(true));
  EXPECT_EQ(playback_.scene()->label, "splice");
  for (const uint64_t s : {4, 2, 0}) {
    EXPECT_TRUE(playback_.go_to_mark(false));
    EXPECT_EQ(playback_.at_ns(), s * kSecond);
  }
  EXPECT_FALSE(playback_.go_to_mark(false));
  EXPECT_EQ(playback_.scene()->label, "write");
  playback_.go_to(6 * kSecond);
  EXPECT_TRUE(playback_.go_to_mark(false));
  EXPECT_EQ(playback_.at_ns(), 4 * kSecond) << "to the beginning of this one";
  playback_.go_to(4500 * kMs);
  EXPECT_TRUE(playback_.go_to_mark(false));
  EXPECT_EQ(playback_.at_ns(), 2 * kSecond) << "it has only just begun";
}

TEST_F(PlaybackTest, AGapIsNotWaitedFor) {
  times_.push_back(times_.back() + 3600 * kSecond);  // suspended for an hour
  times_.push_back(times_.back() + 50 * kMs);
  Playback playback(times_);
  playback.go_to(9900 * kMs);
  for (int i = 0; i < 100; ++i) playback.pass(50 * kMs);
  EXPECT_TRUE(playback.at_end());
}

TEST_F(PlaybackTest, ItCanBecomeShorter) {
  playback_.go_to(9 * kSecond);
  times_.resize(50);
  playback_.shorten(times_, marks_);
  EXPECT_EQ(playback_.frame(), 49u);
  EXPECT_TRUE(playback_.at_end());
}

TEST(Playback, OneFrameIsEnough) {
  const std::vector<uint64_t> times = {42};
  Playback playback(times);
  playback.pass(kSecond);
  playback.step(1);
  playback.go(-1);
  EXPECT_EQ(playback.frame(), 0u);
  EXPECT_TRUE(playback.at_end());
  EXPECT_FALSE(playback.go_to_mark(true));
  EXPECT_FALSE(playback.go_to_mark(false));
}

}  // namespace
}  // namespace pipetop::tui
