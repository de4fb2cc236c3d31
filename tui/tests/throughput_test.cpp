#include "tui/widgets/throughput.h"

#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "tui/draw/charts.h"
#include "tui/draw/numbers.h"
#include "tui/tests/snapshots.h"
#include "tui/widgets/curve.h"

namespace pipetop::tui {
namespace {

Lines panel(const Throughput& t, int rows, int cols, GlyphSet set = GlyphSet::unicode) {
  return drawn(
      rows, cols, [&](const Area& a) { draw_throughput(a, t, 60 * kSecond); }, set);
}

TEST(Throughput, SmallHasNumberComparisonAndSpread) {
  const Lines lines = panel(throughput(), 4, 34);
  EXPECT_EQ(lines[0], "62.1 GiB/s  ±0.40  was 13.1  ×4.7");
  EXPECT_EQ(lines[1], "now 62.5  10 s 62.1 ±0.40");
  EXPECT_NE(lines[3].find('v'), std::string::npos);
}

TEST(Throughput, BigDigitsWhereThereIsRoom) {
  const Lines lines = panel(throughput(), 9, 50);
  EXPECT_EQ(lines[0], "█▀▀ ▀▀█   ▄█    GiB/s  ±0.40");
  EXPECT_EQ(lines[1], "█▀█ █▀▀    █    was 13.1  ×4.7");
  EXPECT_EQ(lines[2], "▀▀▀ ▀▀▀ ▀ ▀▀▀   now 62.5  10 s 62.1 ±0.40");
}

TEST(Throughput, WarmingIsNotZero) {
  const Lines lines = panel({}, 9, 50);
  EXPECT_EQ(lines[0], "                GiB/s");
  EXPECT_EQ(lines[1], "measuring");
  EXPECT_EQ(lines[2], "                now …  10 s …");
  EXPECT_EQ(panel({}, 4, 40, GlyphSet::ascii)[0], "measuring  now ~  10 s ~");
}

// The rate of before must not stand below what is new, nor a factor that moves.
TEST(Throughput, IsMeasuringUntilTheNewSegmentHasSettled) {
  Throughput t = throughput();
  for (const uint32_t samples : {0u, kSettledRates - 1}) {
    t.current.rate.value->samples = samples;
    if (samples == 0) t.current.rate = {};
    EXPECT_EQ(panel(t, 4, 50)[0], "measuring  was 13.1  now 62.5  10 s 62.1 ±0.40");
    const Lines big = panel(t, 9, 50);
    EXPECT_EQ(big[0], "                GiB/s");
    EXPECT_EQ(big[1], "measuring       was 13.1");
    if (samples == 0) t.current.rate = t.over_10s;
  }
  t.current.rate.value->samples = kSettledRates;
  EXPECT_EQ(panel(t, 4, 34)[0], "62.1 GiB/s  ±0.40  was 13.1  ×4.7");
}

// Who computes along gets the same.
TEST(Throughput, TheFactorIsThatOfTheNumbersShown) {
  EXPECT_EQ(ratio_of_shown(2.0149, 0.5451), "×3.7");
  EXPECT_EQ(ratio_of_shown(2.0051, 0.5449), "×3.7") << "2.01 and 0.54";
  EXPECT_EQ(ratio_of_shown(1.004, 0.996), "×1.00") << "1.00 and 1.00";
  EXPECT_EQ(ratio_of_shown(0.004, 0.002), "×2.0") << "0.00 and 0.00";
  Throughput t = throughput();
  t.over_1s = Reading<double>::of(2.5);
  t.current.rate.value->mean = 2.0051;
  Segment previous = *t.previous;
  previous.rate.value->mean = 0.5449;
  t.previous = std::make_shared<const Segment>(previous);
  EXPECT_EQ(panel(t, 4, 34)[0], "2.01 GiB/s  ±0.40  was 0.54  ×3.7");
}

TEST(Throughput, NowIsNotOfTheTimeBeforeTheChange) {
  Throughput t = throughput();
  t.over_100ms = Reading<double>::of(13.2);
  t.current.begin_ns = 60 * kSecond - 1'400'000'000;
  EXPECT_EQ(panel(t, 4, 34)[1], "now 13.2  10 s 62.1 ±0.40");
  t.current.begin_ns = 60 * kSecond - 1'500'000'000;
  EXPECT_EQ(panel(t, 4, 34)[1], "now 62.5  10 s 62.1 ±0.40");
}

TEST(Throughput, TheCauseHasALineWhereThereIsRoom) {
  const auto lines = [](int rows, int cols) {
    return drawn(rows, cols, [](const Area& a) {
      draw_throughput(a, throughput(), 60 * kSecond, Pace::normal, nullptr, {}, "fewer sleeps");
    });
  };
  EXPECT_EQ(lines(12, 58)[5], "fewer sleeps");
  EXPECT_EQ(lines(10, 50)[3], "fewer sleeps");
  EXPECT_FALSE(has_cause_row(11, 58));
  for (const std::string& line : lines(11, 58)) EXPECT_EQ(line.find("fewer"), std::string::npos);
}

Throughput slow_throughput() {
  constexpr double kTenPages = 10.0 * kPageBytes / kGiB;
  Throughput t = throughput();
  t.over_1s = Reading<double>::of(kTenPages);
  t.over_10s = Reading<RateStats>::of({kTenPages, kTenPages, 0, 0, 0, 100, kTenPages / 100});
  t.history = {};
  for (const uint64_t at : {59, 60}) t.history.push_back({at * kSecond, kTenPages});
  return t;
}

TEST(SlowMotion, IsMarkedAndCountsPages) {
  EXPECT_EQ(pace_badge(Pace::normal).text, "");
  EXPECT_EQ(pace_badge(Pace::slow_motion).text, " SLOW MOTION ");
  const auto lines = [](int rows, int cols) {
    return drawn(rows, cols, [](const Area& a) {
      draw_throughput(a, slow_throughput(), 60 * kSecond, Pace::slow_motion);
    });
  };
  EXPECT_EQ(lines(5, 60)[0], "10.0 pages/s  was 13.1 GiB/s  10 s 10.0 ±0.10 pages/s");
  const Lines big = lines(9, 60);
  EXPECT_EQ(big[0], "▄█  █▀█   █▀█   pages/s");
  EXPECT_EQ(big[1], " █  █ █   █ █   was 13.1 GiB/s") << "and no ratio";
  EXPECT_EQ(big[2], "▀▀▀ ▀▀▀ ▀ ▀▀▀   10 s 10.0 ±0.10 pages/s");
  EXPECT_EQ(big[3].substr(0, 4), "  10") << "the axis is in pages too";
}

TEST(SlowMotion, AFastSecondIsStillInGiB) {
  Throughput t = slow_throughput();
  t.over_1s = Reading<double>::of(3.5);
  const auto draw = [&](const Area& a) { draw_throughput(a, t, 60 * kSecond, Pace::slow_motion); };
  EXPECT_EQ(drawn(5, 60, draw)[0].substr(0, 10), "3.50 GiB/s");
}

TEST(SlowMotion, NothingIsComparedWithIt) {
  Throughput t = throughput();
  Segment slow = *t.previous;
  slow.requested.pipe.slow_motion = true;
  t.previous = std::make_shared<const Segment>(slow);
  EXPECT_EQ(panel(t, 4, 40)[0], "62.1 GiB/s  ±0.40  was slow motion");
}

TEST(SlowMotion, LastsUntilTheEndOfItIsInForce) {
  Snapshot s;
  EXPECT_EQ(pace_of(s), Pace::normal);
  s.requested.pipe.slow_motion = true;
  EXPECT_EQ(pace_of(s), Pace::slow_motion);
  s.requested.pipe.slow_motion = false;
  s.effective.settings.pipe.slow_motion = true;
  EXPECT_EQ(pace_of(s), Pace::slow_motion);
}

TEST(History, BinsAreWeightedByTime) {
  const std::vector<RatePoint> history = {{kSecond, 10}, {3 * kSecond / 2, 20}, {2 * kSecond, 40}};
  const Bins bins = bin_history(history, 2 * kSecond, 90);
  EXPECT_EQ(bins.axis.width_ns, kSecond / 2);
  EXPECT_EQ(bins.values.size(), 90u);
  EXPECT_DOUBLE_EQ(bins.values[88], 40);
  EXPECT_DOUBLE_EQ(bins.values[87], 20);
  EXPECT_LT(bins.values[89], 0) << "the interval that has just begun is unknown";
}

TEST(History, AGapIsUnknown) {
  const std::vector<RatePoint> history = {{10 * kSecond, 10}, {20 * kSecond, 10}};
  const Bins bins = bin_history(history, 20 * kSecond, 100);
  int known = 0;
  for (const double value : bins.values) known += value >= 0;
  EXPECT_LE(known, 4);
}

TEST(History, TheAxisEndsAtARoundNumber) {
  EXPECT_DOUBLE_EQ(axis_end(0), 1);
  EXPECT_DOUBLE_EQ(axis_end(62.1), 80);
  EXPECT_DOUBLE_EQ(axis_end(3.7), 4);
  EXPECT_DOUBLE_EQ(axis_end(10), 10);
  EXPECT_DOUBLE_EQ(axis_end(0.013), 0.015);
}

TEST(History, MarksStandWhereTheRateChanged) {
  const auto draw = [](const Area& a) { draw_history(a, throughput(), 60 * kSecond); };
  const Lines lines = drawn(3, 61, draw, GlyphSet::ascii);
  EXPECT_EQ(lines[0].substr(0, 5), "  80 ");
  const size_t mark = lines[2].find("^v");
  ASSERT_NE(mark, std::string::npos);
  EXPECT_EQ(lines[0].find_first_not_of(" 80"), mark) << lines[0];
}

Lines with_roof(double roof, int rows, int cols, Pace pace = Pace::normal) {
  return drawn(
      rows, cols,
      [&](const Area& a) {
        draw_throughput(a, throughput(), 60 * kSecond, pace, nullptr, {.roof = roof});
      },
      GlyphSet::ascii);
}

TEST(Roof, IsSaidBesideTheRates) {
  EXPECT_EQ(with_roof(102, 4, 34)[1], "now 62.5  61 % of roof 102");
  EXPECT_NE(with_roof(102, 9, 60)[2].find("61 % of roof 102"), std::string::npos);
  EXPECT_EQ(with_roof(102, 4, 34, Pace::slow_motion)[1].find("roof"), std::string::npos);
}

TEST(Then, IsSaidWithTheRatioAndDrawnAsALine) {
  const auto draw = [](const Area& a) {
    draw_throughput(a, throughput(), 60 * kSecond, Pace::normal, nullptr, {.then = 50.0});
  };
  std::string all;
  for (const std::string& line : drawn(16, 90, draw, GlyphSet::unicode)) all += line + "\n";
  EXPECT_NE(all.find("now 62.5  then 50.0 ×1.2"), all.npos) << all;
  EXPECT_NE(all.find(" then 50.0 GiB/s ─ ─ "), all.npos) << all;
}

TEST(Roof, IsADashedLineAtItsHeight) {
  const auto history = [](double roof) {
    const auto draw = [&](const Area& a) {
      draw_history(a, throughput(), 60 * kSecond, Pace::normal, {.roof = roof});
    };
    return drawn(11, 65, draw, GlyphSet::ascii);
  };
  const Lines near = history(70);
  EXPECT_EQ(near[0].substr(0, 4), "  80") << "the axis has room for it";
  EXPECT_NE(near[1].find(" roof 70.0 GiB/s - - "), std::string::npos) << near[1];
  const Lines higher = history(102);
  EXPECT_EQ(higher[0].substr(0, 4), " 150") << "and rises to it";
  EXPECT_NE(higher[3].find(" roof 102 GiB/s - - - "), std::string::npos) << higher[3];
  for (const std::string& line : history(1000))
    EXPECT_EQ(line.find("roof"), std::string::npos) << "far above the picture";
}

TEST(BigNumber, KnowsItsWidth) {
  EXPECT_EQ(big_number_cols("62.5", DigitSize::half), 13);
  EXPECT_EQ(big_number_cols("62.5", DigitSize::full), 26);
  EXPECT_EQ(big_number_cols("", DigitSize::full), 0);
}

TEST(Numbers, AreShort) {
  EXPECT_EQ(rate_text(3.7), "3.70");
  EXPECT_EQ(rate_text(62.54), "62.5");
  EXPECT_EQ(rate_text(128.4), "128");
  EXPECT_EQ(percent_text(0.391), "39.1");
  EXPECT_EQ(percent_text(1), "100");
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(0.25), "0.2");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'310), "1.31 k");
  EXPECT_EQ(count_text(532'000), "532 k");
  EXPECT_EQ(count_text(1'200'000), "1.20 M");
  EXPECT_EQ(grouped_text(7), "7");
  EXPECT_EQ(grouped_text(2'983), "2,983");
  EXPECT_EQ(grouped_text(1'234'567), "1,234,567");
  EXPECT_EQ(bytes_text(131072), "128 KiB");
  EXPECT_EQ(bytes_text(1.5 * 1024 * 1024), "1.5 MiB");
  EXPECT_EQ(bytes_text(1024 * 1024 - 1), "1 MiB");
  EXPECT_EQ(elapsed_text(72 * kSecond), "00:01:12");
  EXPECT_EQ(elapsed_text(100 * 3600 * kSecond), "100:00:00");
  EXPECT_EQ(ratio_text(4.74), "×4.7");
  EXPECT_EQ(ratio_text(16.8), "×17");
  EXPECT_EQ(ratio_text(0.5), "×0.50");
}

}  // namespace
}  // namespace pipetop::tui
