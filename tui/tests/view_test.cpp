#include "tui/dashboard/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/dashboard/keymap.h"
#include "tui/dashboard/layout.h"
#include "tui/draw/text.h"
#include "tui/tests/fake_source.h"
#include "tui/tests/snapshots.h"

namespace pipetop::tui {
namespace {

std::string frame(int rows, int cols, const Snapshot& s, GlyphSet set = GlyphSet::unicode,
                  DashboardState state = {}) {
  Canvas canvas(glyphs_of(set), rows, cols);
  state.presets = built_in_presets();
  show_lists(state, s, rows, cols);
  draw(canvas, s, state);
  return canvas.text();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(View, BelowTheSmallestItSaysWhatItNeeds) {
  EXPECT_EQ(frame(3, 40, example_snapshot()), "\n         needs 60x16, has 40x3\n\n");
  EXPECT_EQ(frame(2, 12, example_snapshot()), "needs 60x16,\nhas 12x2\n");
  EXPECT_EQ(frame(1, 1, example_snapshot()), "…\n");
  EXPECT_EQ(frame(0, 0, example_snapshot()), "");
}

TEST(View, TheSmallestScreenHasTheEssential) {
  const std::string text = frame(16, 60, example_snapshot());
  for (const char* part :
       {"write_read", "COPIED", "62.1 GiB/s", "was 13.1", "32 slots", "17 used", "full 25 %",
        "writer", "reader", "532 k calls/s", "mutex_spin_on_o", "v vmsplice", "q quit", "? help"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(View, ARemedyThatIsCutIsAKeyAway) {
  Snapshot s = example_snapshot();
  s.effective.mismatches.push_back(
      {"pages", "hugetlb", "thp", "no free huge pages; echo 64 > /proc/sys/vm/nr_hugepages"});
  DashboardState page;
  page.messages.open = true;
  for (const int cols : {60, 80, 120}) {
    const std::string text = frame(24, cols, s);
    EXPECT_TRUE(has(text, "vm/nr_hugepages") || has(text, "… (! all)")) << cols << "\n" << text;
    EXPECT_TRUE(has(frame(24, cols, s, GlyphSet::unicode, page), "vm/nr_hugepages")) << cols;
  }
}

// Whatever is said, the panels keep their borders.
TEST(View, MessagesMoveNothing) {
  const Snapshot quiet = example_snapshot();
  Snapshot loud = quiet;
  for (int i = 0; i < 3; ++i)
    loud.effective.mismatches.push_back({"pages", "hugetlb", "thp", std::string(300, 'x')});
  for (const auto& [rows, cols] : {std::pair{16, 60}, {24, 80}, {30, 100}, {40, 120}, {45, 160}}) {
    const Layout layout = make_layout(rows, cols);
    std::istringstream before(frame(rows, cols, quiet)), after(frame(rows, cols, loud));
    std::string a, b;
    for (int row = 0; std::getline(before, a) && std::getline(after, b); ++row) {
      // The title has a badge, and the lamp of the knob differs.
      if (row > 0 && row < layout.message.row) {
        EXPECT_EQ(a, b) << row;
      }
    }
  }
}

TEST(View, AFrozenScreenIsOfOneRun) {
  DashboardState state;
  state.requested = built_in_presets()[2].settings;
  state.frozen = true;
  state.frozen_on = Settings{};
  for (const auto& [rows, cols] : {std::pair{24, 80}, {40, 120}, {45, 160}}) {
    const std::string text = frame(rows, cols, example_snapshot(), GlyphSet::unicode, state);
    EXPECT_TRUE(has(text, "v vmsplice ○")) << text;
    EXPECT_TRUE(has(text, "write_read"));
    EXPECT_TRUE(has(text, "vmsplice_read is running")) << text;
  }
}

TEST(View, SlowMotionKeepsThePresetsName) {
  DashboardState state;
  state.requested = built_in_presets()[2].settings;
  state.requested.pipe.slow_motion = true;
  Snapshot s = example_snapshot();
  s.requested = state.requested;
  const std::string slow = frame(24, 80, s, GlyphSet::unicode, state);
  EXPECT_TRUE(has(slow, "vmsplice_read · slow motion")) << slow;
  EXPECT_TRUE(has(slow, " SLOW MOTION "));
  state.requested.pipe.single_step = s.requested.pipe.single_step = true;
  const std::string steps = frame(24, 80, s, GlyphSet::unicode, state);
  EXPECT_TRUE(has(steps, "vmsplice_read · single steps")) << steps;
  EXPECT_TRUE(has(steps, " SINGLE STEPS "));
}

TEST(View, DamagedDigitsAreRed) {
  Snapshot s = example_snapshot();
  const auto large_ink = [&] {
    Canvas canvas(glyphs_of(GlyphSet::unicode), 40, 120);
    DashboardState state;
    show_lists(state, s, 40, 120);
    draw(canvas, s, state);
    const Rect panel = inside(make_layout(40, 120), make_layout(40, 120).throughput);
    int col = panel.col;
    while (canvas.at(panel.row, col).ink.emphasis != kBold) ++col;
    return canvas.at(panel.row, col).ink.style;
  };
  EXPECT_EQ(large_ink(), Style::graph);
  s.integrity = Reading<Integrity>::of({});
  s.integrity.value->wrong_share = Reading<double>::of(0.54);
  EXPECT_EQ(large_ink(), Style::error);
}

// To somebody without root all panels lack the same thing.
TEST(View, OneRemedyIsEnough) {
  const std::string reason = "needs root; sudo pipetop, or see pipetop help privileges";
  Snapshot s = example_snapshot();
  s.ring.frame = Reading<RingFrame>::unavailable(reason);
  for (WorkerReadings& w : s.workers) w.functions = Reading<FunctionTable>::unavailable(reason);
  for (const auto& [rows, cols] : {std::pair{24, 80}, {40, 120}, {60, 200}}) {
    const std::string text = frame(rows, cols, s);
    SCOPED_TRACE(testing::Message() << cols << "x" << rows << "\n" << text);
    EXPECT_TRUE(has(text, "slots unavailable: needs root"));
    const size_t first = text.find("functions unavailable: needs root");
    ASSERT_NE(first, std::string::npos);
    EXPECT_NE(text.find("functions unavailable: needs root", first + 1), std::string::npos);
    const size_t remedy = text.find("sudo pipetop");
    ASSERT_NE(remedy, std::string::npos);
    EXPECT_EQ(text.find("sudo pipetop", remedy + 1), std::string::npos);
    EXPECT_TRUE(has(text, "privileges"));
  }
}

// Nothing that was seen before is left, and no rate is lost.
TEST(View, ObserversThatAreOffAreSaid) {
  FakeSource source(article_presets()[6].settings);
  source.advance(10'000'000'000);
  Settings off = article_presets()[6].settings;
  off.observers = Observing::off;
  source.apply(off, "observers off", "O");
  source.advance(3'000'000'000);
  DashboardState state;
  state.requested = off;
  for (const auto& [rows, cols] : {std::pair{24, 80}, {40, 120}, {60, 200}}) {
    for (const Activity activity : {Activity::running, Activity::waiting}) {
      state.choice.activity = activity;
      const std::string text = frame(rows, cols, source.tick(), GlyphSet::unicode, state);
      SCOPED_TRACE(testing::Message() << cols << "x" << rows << "\n" << text);
      EXPECT_TRUE(has(text, "busy_loop_huge")) << "it is still that preset";
      EXPECT_TRUE(has(text, "slots unavailable: observers are off"));
      EXPECT_TRUE(has(text, "press O"));
      EXPECT_TRUE(cols < 200 || has(text, "O observe ○"));
      EXPECT_TRUE(has(text, "GiB/s"));
      EXPECT_EQ(text.find("press O"), text.rfind("press O")) << "once is enough";
      for (const char* seen : {"cpu-clock", "mutex_spin", "lock-bound", "no samples", "used"})
        EXPECT_FALSE(has(text, seen)) << seen;
    }
  }
}

// As large as was asked for, and with what has to be on every screen.
void check(const std::string& text, int rows, int cols) {
  SCOPED_TRACE(testing::Message() << cols << "x" << rows << "\n" << text);
  ASSERT_EQ(std::ranges::count(text, '\n'), rows);
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) ASSERT_LE(columns_of(line), cols) << line;
  for (const char* no_figure : {"nan", "inf ", "-1 "}) ASSERT_FALSE(has(text, no_figure));
  if (!make_layout(rows, cols).fits) {
    const bool has_room = cols >= 12 && rows >= (cols >= 24 ? 1 : 2);
    ASSERT_TRUE(has(text, "needs 60x16") || !has_room);
    return;
  }
  for (const char* part : {"throughput", "writer", "reader", "/s", "slots", "? help", "q quit"})
    ASSERT_TRUE(has(text, part)) << part;
}

TEST(View, EverySizeAndMoodCanBeDrawn) {
  for (const FakeMood mood : {FakeMood::normal, FakeMood::no_bpf, FakeMood::warming}) {
    for (const bool slow_motion : {false, true}) {
      Settings settings = article_presets()[6].settings;
      settings.pipe.slow_motion = slow_motion;
      FakeSource source(settings, mood);
      source.advance(100'000'000'000);
      const Snapshot s = source.tick();
      for (int rows = 0; rows <= 80; rows += rows < 20 ? 1 : 7) {
        for (int cols = 0; cols <= 250; cols += cols < 62 ? 1 : 9)
          check(frame(rows, cols, s), rows, cols);
      }
    }
  }
}

// Every way to look at the lists, at every size that is promised.
TEST(View, ListsAreUsableAtEverySize) {
  FakeSource source(article_presets()[6].settings);
  source.advance(10'000'000'000);
  source.apply(article_presets()[0].settings, "preset write_read", "1");
  const Snapshot s = source.tick();
  for (const auto& [rows, cols] : {std::pair(16, 60), {24, 80}, {40, 120}, {60, 200}}) {
    DashboardState state;
    state.presets = article_presets();
    for (ListState& list : state.lists) list.folds.set_all(true);
    for (const Activity activity : {Activity::running, Activity::waiting}) {
      for (const ListForm form : {ListForm::flat, ListForm::tree}) {
        state.choice.activity = activity;
        state.choice.form = form;
        const std::string text = frame(rows, cols, s, GlyphSet::unicode, state);
        SCOPED_TRACE(testing::Message() << cols << "x" << rows << "\n" << text);
        EXPECT_TRUE(has(text, state.choice.sort() == ListSort::self ? "▾self" : "▾child"));
        EXPECT_TRUE(has(text, activity == Activity::running ? "Δ" : "waiting"));
        if (form == ListForm::tree) {
          EXPECT_TRUE(has(text, "entry_SYSC"));
          EXPECT_TRUE(has(text, "└")) << "how rows hang together";
        }
      }
    }
  }
}

TEST(View, AIsAlwaysSaid) {
  const Snapshot s = example_snapshot();
  Segment a;
  a.label = "write_with vmsplice";
  a.rate = Reading<RateStats>::of({12.3, 12.3, .1, 12, 13, 20, .1});
  DashboardState state;
  state.reference = {std::make_shared<const Segment>(a), true};
  const auto shown = [&](int rows, int cols) {
    return frame(rows, cols, s, GlyphSet::unicode, state);
  };
  EXPECT_TRUE(has(shown(40, 120), "A: write_with vmsplice, 12.3 GiB/s"));
  EXPECT_TRUE(has(shown(24, 80), "A: write_…, 12.3 GiB/s"));
  EXPECT_TRUE(has(shown(16, 60), "A: 12.3 GiB/s"));
  EXPECT_TRUE(has(shown(40, 120), "A 12.3  ×5.0")) << "in place of what was before";
}

TEST(View, AVerdictIsReadableAtEverySize) {
  Snapshot s = example_snapshot();
  s.verdict = Reading<Verdict>::of({Verdict::Kind::reader, "the ring is full 83 % of the time"});
  for (const auto& [rows, cols] : {std::pair{16, 60}, {24, 80}, {40, 120}, {60, 200}})
    EXPECT_NE(frame(rows, cols, s).find("reader-bound: the ring is full 83 % of the time"),
              std::string::npos)
        << cols << "\n"
        << frame(rows, cols, s);
}

TEST(View, TheRoofHasItsLineAndItsKey) {
  DashboardState state;
  const auto shown = [&](int rows, int cols) {
    return frame(rows, cols, example_snapshot(), GlyphSet::unicode, state);
  };
  EXPECT_FALSE(has(shown(40, 160), "roof"));
  state.roof_gib_per_s = 102;
  EXPECT_TRUE(has(shown(40, 160), "roof 102 GiB/s ─ ─")) << shown(40, 160);
  EXPECT_TRUE(has(shown(40, 220), "R roof ●"));
  EXPECT_TRUE(has(shown(40, 160), "61 % of roof 102"));
  EXPECT_TRUE(has(shown(24, 80), "roof 102 GiB/s ─ ─")) << shown(24, 80);
  state.roof_hidden = true;
  EXPECT_FALSE(has(shown(40, 160), "roof 102"));
  EXPECT_TRUE(has(shown(40, 220), "R roof ○"));
}

TEST(View, NothingIsKnownYet) {
  const std::string text = frame(30, 100, {});
  EXPECT_EQ(text.find("0.00"), std::string::npos) << text;
  EXPECT_EQ(text.find("0 %"), std::string::npos) << text;
}

TEST(View, AsciiFramesHoldNothingElse) {
  DashboardState help;
  help.help.open = true;
  Canvas canvas(glyphs_of(GlyphSet::ascii), 50, 150);
  draw(canvas, example_snapshot(), help);
  for (const char c : canvas.text() + frame(40, 120, example_snapshot(), GlyphSet::ascii))
    ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << int(c);
}

TEST(View, TheFrozenBadgeShowsWithoutColour) {
  Canvas canvas(glyphs_of(GlyphSet::unicode), 24, 80);
  DashboardState state;
  state.frozen = true;
  draw(canvas, example_snapshot(), state);
  EXPECT_NE(canvas.line(0).find("FROZEN"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::tui
