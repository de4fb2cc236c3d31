#include "tui/widgets/ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tui/tests/snapshots.h"
#include "tui/widgets/ring_state.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kRingNow = 60'000'000'000;

// It is read at this moment unless `age_ns` says otherwise.
Snapshot with_ring(RingReadings ring, uint64_t age_ns = 0) {
  Snapshot s;
  s.now_ns = kRingNow;
  if (ring.frame.value) ring.frame.value->at_ns = kRingNow - age_ns;
  s.ring = std::move(ring);
  return s;
}

Lines ring_panel(const Snapshot& s, int rows, int cols, const RingState& state = {}) {
  return drawn(rows, cols, [&](const Area& a) { draw_ring(a, s, state); });
}

TEST(Ring, TellsSizeAndUseAtATinySize) {
  const RingReadings ring = ring_view(ring_frame(32, 17, 3));
  EXPECT_EQ(ring_panel(with_ring(ring), 4, 38),
            (Lines{"32 slots  128 KiB  17 used  53 %", "█████████████████···············",
                   "▒ copy 25 %  █ user page 75 %", "empty 40 % █▁▁▁▁▁▁▁▁▅ full 25 %"}));
}

TEST(Ring, MarksHeadAndTail) {
  const RingReadings ring = ring_view(ring_frame(32, 17, 3, SlotKind::user_page, true));
  const Lines lines = ring_panel(with_ring(ring), 10, 38);
  EXPECT_EQ(lines[1], "▾tail 3   head 20▾");
  EXPECT_EQ(lines[2], "█████████████████···············");
  EXPECT_EQ(lines[4], "▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔");
}

TEST(Ring, TheHeadOfAFullRingIsStillMarked) {
  const RingReadings ring = ring_view(ring_frame(32, 32, 3));
  EXPECT_EQ(ring_panel(with_ring(ring), 10, 32)[1], "▾tail 3                  head 3▾");
}

bool contains(const Lines& lines, std::string_view text) {
  return std::ranges::any_of(
      lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

TEST(Ring, ATornFrameIsNeverDrawnAsSlots) {
  RingFrame torn = ring_frame(32, 17, 3);
  torn.torn = true;
  RingReadings ring = ring_view(torn);
  ring.occupancy = {};
  for (const int rows : {4, 6, 10, 21}) {
    const Lines lines = ring_panel(with_ring(ring), rows, 70);
    EXPECT_EQ(lines[0], "32 slots  128 KiB  torn") << "and claims no use";
    EXPECT_EQ(lines[1], "torn: both ends moved while it was read, so it shows no real state");
    EXPECT_FALSE(contains(lines, "██")) << rows;
    EXPECT_FALSE(contains(lines, "head")) << rows;
  }
}

RingReadings torn_ring(uint32_t slots, uint64_t at_ns) {
  RingFrame f = ring_frame(slots, 5);
  f.torn = true;
  f.at_ns = at_ns;
  return ring_view(f);
}

TEST(Ring, AWholeFrameStandsInForATornOne) {
  WholeFrames frames;
  RingReadings ring = ring_view(ring_frame(32, 17, 3));
  frames.replace_torn(ring);
  const auto steadied = [&](uint32_t slots, uint64_t at_ns) {
    RingReadings view = torn_ring(slots, at_ns);
    frames.replace_torn(view);
    return view.frame;
  };
  EXPECT_EQ(steadied(32, 100'000'000)->used, 17u);
  EXPECT_EQ(steadied(32, 100'000'000).status, ReadingStatus::ok);
  EXPECT_EQ(steadied(32, 900'000'000)->used, 17u);
  EXPECT_EQ(steadied(32, 900'000'000).status, ReadingStatus::stale) << "long ago";
  EXPECT_TRUE(steadied(64, 100'000'000)->torn) << "the ring has another size now";
}

TEST(Ring, AnOldFrameIsDimAndSaysItsAge) {
  Snapshot s = with_ring(ring_view(ring_frame(32, 17, 3)), 1'200'000'000);
  s.ring.frame.status = ReadingStatus::stale;
  Canvas canvas(glyphs_of(GlyphSet::unicode), 10, 60);
  draw_ring(Area(canvas, {0, 0, 10, 60}), s, {});
  EXPECT_EQ(canvas.line(0), "32 slots  128 KiB  17 used  53 %  torn; seen 1.2 s ago");
  EXPECT_EQ(canvas.at(2, 0).ink.style, Style::dim);
}

TEST(Ring, AFrameOfAnotherSizeIsNotDrawn) {
  Snapshot s = with_ring(ring_view(ring_frame(32, 17, 3)));
  s.ring.slots = 64;
  s.ring.bytes = 64 * kPageBytes;
  const Lines lines = ring_panel(s, 10, 60);
  EXPECT_EQ(lines[0], "64 slots  256 KiB") << "and no use, which is of the old one";
  EXPECT_EQ(lines[1], "resized from 32 slots: waiting for the next sample");
  EXPECT_FALSE(contains(lines, "█████████████████"));
}

TEST(Ring, TooManySlotsAreSaidToBe) {
  RingFrame f = ring_frame(8192, 100, 7);
  f.slot.clear();
  RingReadings ring = ring_view(f);
  ring.frame.reason = "8192 slots are more than the 4096 that can be shown";
  const Lines lines = ring_panel(with_ring(ring), 10, 100);
  EXPECT_EQ(lines[0], "8,192 slots  32 MiB  100 used  1 %");
  EXPECT_EQ(lines[1], "tail 7  head 107; 8192 slots are more than the 4096 that can be shown");
}

TEST(Ring, EverySizeOfRingFitsEveryPanel) {
  for (const uint32_t slots : {1u, 2u, 16u, 32u, 256u, 1024u, 4096u}) {
    for (int rows = 1; rows <= 30; ++rows) {
      for (const int cols : {28, 36, 56, 96}) {
        for (const RingPicture picture :
             {RingPicture::both, RingPicture::histogram, RingPicture::heat_map}) {
          for (const bool inspecting : {false, true}) {
            RingState state;
            state.picture = picture;
            if (inspecting) state.inspected = 0;
            const RingLayout plan = ring_layout(rows, cols, slots, state, Pace::normal);
            const int last = rows - (has_verdict_row(rows) ? 1 : 0);
            for (const Rect& piece : {plan.strip, plan.detail, plan.picture})
              ASSERT_LE(piece.end_row(), last) << slots << " in " << cols << "x" << rows;
            ASSERT_TRUE(rows < 2 || !plan.strip.empty());
            ASSERT_TRUE(rows < 6 || inspecting || !plan.picture.empty());
          }
        }
      }
    }
  }
}

TEST(Ring, SaysHowManySlotsShareACell) {
  const Lines lines = ring_panel(with_ring(ring_view(ring_frame(4096, 17, 3))), 12, 56);
  EXPECT_EQ(lines[0], "4,096 slots  16 MiB  17 used  0 %");
  EXPECT_EQ(lines[1], "tail 3  head 20                        64 slots per cell");
  const Lines narrow = ring_panel(with_ring(ring_view(ring_frame(4096, 9, 1500))), 6, 36);
  EXPECT_EQ(narrow[1], "▾tail 1500 head 1509        128/cell");
}

TEST(Ring, TheVerdictIsItsLastLineUnlessTheMessageHasIt) {
  Snapshot s = with_ring(ring_view(ring_frame(32, 17, 3)));
  s.verdict = Reading<Verdict>::of({Verdict::Kind::lock, "writer spins on the pipe mutex 39 %"});
  EXPECT_EQ(ring_panel(s, 12, 56).back(), "lock-bound: writer spins on the pipe mutex 39 %");
  EXPECT_FALSE(contains(ring_panel(s, 6, 56), "lock-bound"));
  for (const TitlePart& part : ring_title(s)) EXPECT_EQ(part.text.find("lock"), part.text.npos);
  const auto elsewhere = [&](const Area& a) {
    draw_ring(a, s, {}, {.verdict = VerdictAt::message});
  };
  EXPECT_EQ(drawn(12, 56, elsewhere).back(), "") << "once is enough";
  s.verdict = Reading<Verdict>::warming("too few samples yet");
  EXPECT_EQ(ring_panel(s, 12, 56).back(), "no verdict: too few samples yet");
}

TEST(Ring, SlowMotionShowsTheEndsMoveThroughTheRing) {
  Snapshot s = with_ring(ring_view(ring_frame(16, 2, 3)), 100'000'000);
  s.requested.pipe.slow_motion = true;
  RingState state;
  state.trail.update(*s.ring.frame);
  s = with_ring(ring_view(ring_frame(16, 2, 4)));
  s.requested.pipe.slow_motion = true;
  state.trail.update(*s.ring.frame);
  const Lines lines = ring_panel(s, 7, 16, state);
  EXPECT_EQ(lines[2], "···-██··········") << "as the ring lies in memory";
  EXPECT_EQ(lines[4], "     +");
  state.trail.clear();
  EXPECT_EQ(ring_panel(s, 7, 16, state)[2], "····██··········");
}

TEST(Ring, IntegrityIsShownWhenPagesAreChecked) {
  EXPECT_EQ(integrity_title({}, Payload::constant).text, "");
  EXPECT_EQ(integrity_title({}, Payload::stamped).text, "no page verified yet");
  const auto title = [](Integrity i) {
    return integrity_title(Reading<Integrity>::of(std::move(i)), Payload::stamped);
  };
  EXPECT_EQ(title({1234, 0, 0, 0, 1}).text, "1,234 pages verified");
  const TitlePart bad = title({1234, 2, 1, 0, 1});
  EXPECT_EQ(bad.text, "3 pages were wrong");
  EXPECT_EQ(bad.ink.style, Style::error);
  EXPECT_EQ(title({1234, 0, 1, 0, 1}).text, "1 page was wrong");
  Integrity mended{{1234, 2, 1, 0, 1}};
  mended.wrong_share = Reading<double>::of(0.0);
  EXPECT_EQ(title(mended).text, "3 pages were wrong, none now");
  EXPECT_EQ(title(mended).ink.style, Style::dim);
}

TEST(Ring, DamageIsAShareOfThePages) {
  Integrity i;
  i.wrong_share = Reading<double>::of(0.54);
  const TitlePart part = integrity_title(Reading<Integrity>::of(i), Payload::stamped);
  EXPECT_EQ(part.text, "54 % of pages wrong");
  EXPECT_EQ(part.ink.style, Style::error);
}

TEST(Ring, RewrittenSlotsAreMarkedWithoutColourToo) {
  RingFrame f = ring_frame(16, 4, 3);
  f.slot[3].rewritten = f.slot[4].rewritten = true;
  Snapshot s = with_ring(ring_view(f));
  const Lines lines = ring_panel(s, 7, 32);
  EXPECT_TRUE(lines[2].starts_with("╳ ╳ █ █")) << lines[2];
  EXPECT_TRUE(contains(lines, "╳ rewritten")) << lines[4];
  Canvas canvas(glyphs_of(GlyphSet::unicode), 7, 32);
  draw_ring(Area(canvas, {0, 0, 7, 32}), s, {});
  EXPECT_EQ(canvas.at(2, 0).ink.style, Style::error);
}

TEST(Ring, WhatCannotBeVerifiedSaysWhy) {
  const TitlePart part = integrity_title(
      Reading<Integrity>::unavailable("unverifiable: nobody reads the bytes; set read_with read"),
      Payload::stamped);
  EXPECT_EQ(part.text, "unverifiable: nobody reads the bytes");
  EXPECT_EQ(part.ink.style, Style::warning);
}

TEST(Ring, WithoutFramesItSaysWhyAndWhatToDo) {
  RingReadings ring = ring_view(ring_frame(32, 17));
  ring.frame = Reading<RingFrame>::unavailable("no permission to load BPF; run as root");
  EXPECT_EQ(ring_panel(with_ring(ring), 5, 50),
            (Lines{"32 slots  128 KiB", "slots unavailable: no permission to load BPF",
                   "run as root", "empty 40 % █▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▅ full 25 %", "12,345 samples"}));
}

TEST(Ring, WarmingIsNotZero) {
  RingReadings ring;
  ring.slots = 16;
  ring.bytes = 65536;
  EXPECT_EQ(ring_panel(with_ring(ring), 4, 40),
            (Lines{"16 slots  64 KiB", "slots: warming …", "occupancy: warming …", ""}));
}

TEST(Occupancy, TallWithItsSource) {
  const RingReadings ring = ring_view(ring_frame(32, 17));
  const Lines lines = drawn(5, 40, [&](const Area& a) { draw_occupancy(a, ring.occupancy); });
  EXPECT_EQ(lines[0], "█");
  EXPECT_EQ(lines[2], "█▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁█");
  EXPECT_EQ(lines[3], "empty 40 %  mean 42 %    full 25 %");
  EXPECT_EQ(lines[4], "switches, 999 Hz · 12,345 samples");
}

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
  OccupancyColumn column{kNow, 200, {}};
  column.count[0] = 120;
  column.count[16] = 20;
  column.count[kFull] = 60;
  const Lines lines = map(history_of({column}), 4, 14, GlyphSet::ascii);
  EXPECT_EQ(lines[0], "full        %");
  EXPECT_EQ(lines[1], "            :");
  EXPECT_EQ(lines[2], "empty       #");
}

TEST(HeatMap, NobodyLookedIsNotEmpty) {
  const auto columns = occupancy_history(kNow, {0, 0, 0})->columns;
  OccupancyColumn first = columns[0];
  EXPECT_EQ(map(history_of({first, {columns[1].end_ns, 0, {}}, columns[2]}), 4, 14)[2],
            "empty     █ █");
  first.end_ns -= 10'000'000'000;  // or nobody noted it
  EXPECT_EQ(map(history_of({first, columns[2]}), 4, 14)[2], "empty       █");
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
