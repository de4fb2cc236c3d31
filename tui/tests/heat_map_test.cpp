#include <gtest/gtest.h>

#include <numeric>

#include "tui/tests/snapshots.h"
#include "tui/widgets/ring.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kNow = 60'000'000'000;
constexpr size_t kFull = kOccupancyBins - 1;

Lines map(const OccupancyHistory& history, int rows, int cols, GlyphSet set = GlyphSet::unicode,
          std::span<const ChangeMark> marks = {}) {
  return drawn(
      rows, cols, [&](const Area& a) { draw_heat_map(a, history, marks, kNow, TimeSpan::finest); },
      set);
}

TEST(HeatMap, TimeGoesToTheRightAndFullIsAtTheTop) {
  const Lines lines = map(*occupancy_history(kNow, {0, kFull, 16}), 5, 16);
  EXPECT_EQ(lines[0], "full         █");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "              █") << "and the newest interval has just begun";
  EXPECT_EQ(lines[3], "empty       █");
  EXPECT_EQ(lines[4], "  -2s        now");
}

TEST(HeatMap, ShadesAreSharesOfTheLooks) {
  EXPECT_EQ(heat_level(0), 0);
  EXPECT_EQ(heat_level(0.0001), 1) << "what was seen is shown";
  EXPECT_EQ(heat_level(0.05), 2);
  EXPECT_EQ(heat_level(0.2), 3);
  EXPECT_EQ(heat_level(0.499), 3);
  EXPECT_EQ(heat_level(0.5), 4);
  EXPECT_EQ(heat_level(1), 4);
  OccupancyHistory history = *occupancy_history(kNow, {0});
  history.columns[0].count = {};
  history.columns[0].count[0] = 120;
  history.columns[0].count[16] = 20;
  history.columns[0].count[kFull] = 60;
  const Lines lines = map(history, 4, 14, GlyphSet::ascii);
  EXPECT_EQ(lines[0], "full        %");
  EXPECT_EQ(lines[1], "            :");
  EXPECT_EQ(lines[2], "empty       #");
}

TEST(HeatMap, NobodyLookedIsNotEmpty) {
  OccupancyHistory history = *occupancy_history(kNow, {0, 0, 0});
  history.columns[1] = {history.columns[1].end_ns, 0, {}};
  EXPECT_EQ(map(history, 4, 14)[2], "empty     █ █");
  history.columns.erase(history.columns.begin() + 1);  // or nobody noted it
  history.columns[0].end_ns -= 10'000'000'000;
  EXPECT_EQ(map(history, 4, 14)[2], "empty       █");
}

TEST(HeatMap, AColumnBetweenTwoCellsIsInBoth) {
  const auto history = occupancy_history(kNow - 100'000'000, {kFull});
  EXPECT_EQ(map(*history, 4, 14)[0], "full       ██");
}

TEST(HeatMap, MarksChangesWhereTheyWere) {
  const std::vector<ChangeMark> marks = {{kNow - 300'000'000, "v"}, {kNow - 60'000'000'000, "h"}};
  const Lines lines = map(*occupancy_history(kNow, {0, 0, 0}), 4, 14, GlyphSet::unicode, marks);
  EXPECT_EQ(lines[3], "  -2s      ▴v");
}

TEST(HeatMap, FewLooksAreDim) {
  const auto ink = [](uint32_t looks) {
    Canvas canvas(glyphs_of(GlyphSet::unicode), 4, 14);
    draw_heat_map(Area(canvas, {0, 0, 4, 14}), *occupancy_history(kNow, {0}, looks), {}, kNow,
                  TimeSpan::finest);
    return canvas.at(2, 12).ink.style;
  };
  EXPECT_EQ(ink(200), Style::heat_4);
  EXPECT_EQ(ink(2), Style::dim);
}

TEST(HeatMap, HasALegendWhereThereIsRoom) {
  const Lines lines = map(*occupancy_history(kNow, {0}, 2), 9, 70);
  EXPECT_EQ(lines[8], "░ some  ▒ 5 %  ▓ 20 %  █ 50 % of samples  2 samples per column");
  EXPECT_EQ(map(*occupancy_history(kNow, {0}), 3, 70), (Lines{"", "", ""})) << "too low for one";
}

TEST(HeatMap, NoHistoryIsNoMap) { EXPECT_EQ(map({}, 4, 40), (Lines{"", "", "", ""})); }

TEST(FoldBins, LosesNothing) {
  std::array<double, kOccupancyBins> bins;
  std::iota(bins.begin(), bins.end(), 1.0);
  for (size_t rows = 3; rows <= kMostOccupancyRows; ++rows) {
    std::vector<double> folded(rows);
    fold_bins(bins, folded);
    EXPECT_NEAR(std::accumulate(folded.begin(), folded.end(), 0.0), 34 * 35 / 2.0, 1e-6) << rows;
    EXPECT_EQ(folded.front(), 1);
    EXPECT_EQ(folded.back(), 34);
    EXPECT_TRUE(std::ranges::is_sorted(folded.begin() + 1, folded.end() - 1)) << rows;
  }
  std::vector<double> all(kOccupancyBins);
  fold_bins(bins, all);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(all[i], bins[i], 1e-9);
}

TEST(OccupancyBars, StandBesideTheMap) {
  const RingReadings ring = ring_view(ring_frame(32, 17));
  const Lines lines = drawn(5, 20, [&](const Area& a) { draw_occupancy_bars(a, ring.occupancy); });
  EXPECT_EQ(lines[0], "█████▋     full 25 %");
  EXPECT_EQ(lines[2], "██▋        mean 42 %");
  EXPECT_EQ(lines[4], "█████████ empty 40 %");
}

}  // namespace
}  // namespace pipetop::tui
