// A and B in turns, on a machine whose rates are alike for a second and drift.
#include "engine/experiment/turns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/base/clock.h"
#include "engine/judge/change_words.h"

namespace pipetop {
namespace {

constexpr uint64_t kTick = 50 * kMs;

struct Pipe {
  double b_over_a = 1, alike = 0.9, scatter = 0.05, drift_per_s = 0;  // per tick
  uint32_t seed = 0;

  std::mt19937 random{seed};
  std::normal_distribution<double> normal{};
  double now = 0, slow = 0, items = 0;
  uint64_t now_ns = kSecond;
  Turns::Side side = Turns::Side::b;
  uint64_t settles_ns = 0;
  std::string sides = "b";

  Progress progress() const { return {uint64_t(items), now_ns}; }
  void apply(std::optional<Turns::Side> next) {
    if (!next) return;
    side = *next;
    settles_ns = now_ns + 100 * kMs;
    sides += side == Turns::Side::a ? 'a' : 'b';
  }
  void tick() {
    now_ns += kTick;
    now = alike * now + std::sqrt(1 - alike * alike) * scatter * normal(random);
    slow += drift_per_s * 0.05;
    const bool is_b = side == Turns::Side::b && now_ns >= settles_ns;
    items += 1e8 * std::exp(now + slow) * (is_b ? b_over_a : 1);
  }
  Turns run() {
    Turns turns(now_ns);
    while (!turns.ended()) {
      tick();
      apply(turns.add(now_ns, now_ns >= settles_ns, progress()));
    }
    return turns;
  }
};

int found(double b_over_a, double drift_per_s, int runs) {
  int differ = 0;
  for (int seed = 0; seed < runs; ++seed) {
    Pipe pipe{.b_over_a = b_over_a, .drift_per_s = drift_per_s, .seed = uint32_t(seed)};
    differ += pipe.run().ratio().differs();
    EXPECT_EQ(pipe.side, Turns::Side::b);
  }
  return differ;
}

TEST(Turns, FindFivePercent) {
  EXPECT_GE(found(1.05, 0, 50), 45);
  EXPECT_GE(found(1 / 1.05, -0.005, 50), 45);
}

TEST(Turns, ClaimNothingOfNothing) {
  EXPECT_LE(found(1, 0, 100), 7);
  EXPECT_LE(found(1, 0.005, 100), 7) << "a steady drift cancels out";
}

TEST(Turns, AreShortWhereTheDifferenceIsLarge) {
  Pipe pipe{.b_over_a = 3};
  const Turns turns = pipe.run();
  EXPECT_EQ(turns.turns(), 8u);
  EXPECT_LT(turns.ratio().low, 3);
  EXPECT_GT(turns.ratio().high, 3);
  EXPECT_EQ(pipe.sides, "babababab");
}

TEST(Turns, AnIntervalWithoutOneDoesNotShowIt) {
  EXPECT_EQ(interval_text(1.0004, 1.08), " [1.0004 .. 1.08]");
  EXPECT_EQ(interval_text(0.9, 0.997), " [0.90 .. 0.997]");
  EXPECT_EQ(interval_text(0.998, 1.004), " [1.00 .. 1.00]");
  EXPECT_EQ(interval_text(1.02, 11), " [1.02 .. 11.0]");
}

TEST(Turns, SayWithinWhatBothAreTheSame) {
  Pipe pipe{.scatter = 0.002};
  const Turns turns = pipe.run();
  EXPECT_EQ(turns.words().substr(0, 16), "B/A same within ") << turns.words();
  EXPECT_LT(turns.turns(), 20u);
}

TEST(Turns, EndWithinABound) {
  Pipe pipe{.scatter = 0.5};
  const Turns turns = pipe.run();
  EXPECT_LE(pipe.now_ns, 64 * kSecond);
  EXPECT_GE(turns.turns(), 40u);
}

TEST(Turns, EndAtBWhenStopped) {
  Pipe pipe;
  Turns turns(pipe.now_ns);
  while (pipe.side == Turns::Side::b) {
    pipe.tick();
    pipe.apply(turns.add(pipe.now_ns, true, pipe.progress()));
  }
  EXPECT_FALSE(turns.ended());
  EXPECT_EQ(turns.stop(), Turns::Side::b);
  EXPECT_TRUE(turns.ended());
  EXPECT_EQ(turns.stop(), std::nullopt);
  EXPECT_EQ(turns.words(), "B/A not known yet, 1 turns, 1 s, stopped");
}

TEST(Turns, ShowNoIntervalThatSpansEverything) {
  Pipe pipe{.scatter = 4};
  Turns turns(pipe.now_ns);
  while (turns.turns() < 4) {
    pipe.tick();
    pipe.apply(turns.add(pipe.now_ns, true, pipe.progress()));
  }
  EXPECT_NE(turns.words().find("[?], 4 turns"), std::string::npos) << turns.words();
}

// A worker that died: its turn begins anew.
TEST(Turns, CountNothingThatIsNotInEffect) {
  Pipe pipe;
  Turns turns(pipe.now_ns);
  for (int i = 0; i < 200; ++i) {
    pipe.tick();
    EXPECT_EQ(turns.add(pipe.now_ns, i % 10 != 0, pipe.progress()), std::nullopt);
  }
  EXPECT_EQ(turns.turns(), 0u);
}

}  // namespace
}  // namespace pipetop
