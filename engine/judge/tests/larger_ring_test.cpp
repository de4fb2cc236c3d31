#include "engine/judge/larger_ring.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "engine/base/clock.h"
#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

constexpr uint64_t kBetweenLooks_ns = 50 * kMs;
constexpr uint32_t kSlots = 16;

// One side: moves a burst a slot at a time, each after some work, and then rests.
struct Side {
  uint32_t burst;
  uint64_t slot_ns, rest_ns;
};

// Played in steps of a tenth of a millisecond, and looked at every `look_ns`.
std::vector<FlowPoint> played(Side writer, Side reader, uint32_t slots, uint64_t look_ns) {
  constexpr uint64_t kStep_ns = kMs / 10;
  std::vector<FlowPoint> points;
  FlowPoint now;
  uint64_t writer_works_ns = writer.rest_ns, reader_works_ns = 0;
  for (uint64_t t = 0; t < 5 * kSecond; t += kStep_ns) {
    if (t % look_ns == 0) {
      points.push_back(now);
      points.back().at_ns = kSecond + t;
    }
    const auto go = [&](const Side& side, uint64_t& works_ns, uint32_t& slot, uint64_t& blocked_ns,
                        const std::function<bool()>& may) {
      if (works_ns > 0) return void(works_ns -= std::min(works_ns, kStep_ns));
      // What takes no time goes on until it is blocked.
      while (works_ns == 0 && may()) {
        works_ns = side.slot_ns;
        if (++slot % side.burst == 0) works_ns += side.rest_ns;
      }
      if (works_ns == 0) blocked_ns += kStep_ns;
    };
    go(writer, writer_works_ns, now.head, now.writer_ns,
       [&] { return now.head - now.tail < slots; });
    go(reader, reader_works_ns, now.tail, now.reader_ns, [&] { return now.head != now.tail; });
  }
  return points;
}

double slots_per_s(const std::vector<FlowPoint>& points) {
  return double(points.back().tail - points.front().tail) * 1e9 /
         double(points.back().at_ns - points.front().at_ns);
}

// Two rings' worth at a time, in 100 ms, and a reader that needs nearly as long.
constexpr Side kBursts = {32, 0, 100 * kMs}, kSteady = {1, 3 * kMs, 0};

TEST(LargerRing, GainsWhatItsReplayPromises) {
  const auto larger =
      larger_ring(played(kBursts, kSteady, kSlots, kBetweenLooks_ns), kSlots * 4096);
  ASSERT_TRUE(larger);
  const auto with = uint32_t(larger->bytes / 4096);
  const double measured = slots_per_s(played(kBursts, kSteady, with, kBetweenLooks_ns)) /
                              slots_per_s(played(kBursts, kSteady, kSlots, kBetweenLooks_ns)) -
                          1;
  EXPECT_GT(measured, 0.3);
  EXPECT_NEAR(larger->gain, measured, 0.1);
  EXPECT_LE(with, 4 * kSlots) << "the smallest that does";
}

TEST(LargerRing, IsNoHelpWhereOneSideIsSlow) {
  EXPECT_FALSE(larger_ring(played({32, 0, 100 * kMs}, {1, 9 * kMs, 0}, kSlots, kBetweenLooks_ns),
                           kSlots * 4096));
}

TEST(LargerRing, NothingIsSaidOfBurstsThatLooksCannotTellApart) {
  // Many bursts between two looks.
  const Side writer = {32, 0, 6 * kMs}, reader = {32, 0, 6 * kMs};
  EXPECT_FALSE(larger_ring(played(writer, reader, kSlots, kBetweenLooks_ns), kSlots * 4096));
}

TEST(LargerRing, NothingIsSaidOfTooLittle) {
  const std::vector<FlowPoint> points = played(kBursts, kSteady, kSlots, kBetweenLooks_ns);
  EXPECT_FALSE(larger_ring(std::span(points).first(kLeastSamples), kSlots * 4096));
  EXPECT_FALSE(larger_ring(points, 0));
  EXPECT_FALSE(larger_ring(points, kLargePipe));
}

TEST(LargerRing, NothingIsSaidOfWhatStandsStill) {
  std::vector<FlowPoint> points;
  for (uint64_t i = 0; i < 100; ++i)
    points.push_back({i * kBetweenLooks_ns, 7, 7, 0, i * kBetweenLooks_ns});
  EXPECT_FALSE(larger_ring(points, kSlots * 4096));
}

}  // namespace
}  // namespace pipetop
