// What an audience sees: the show, its layout, the ladder, and a zoomed panel.
#include "tui/widgets/show.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/keymap.h"
#include "tui/dashboard/layout.h"
#include "tui/dashboard/view.h"
#include "tui/draw/text.h"
#include "tui/tests/fake_source.h"
#include "tui/tests/profiles.h"
#include "tui/tests/recording_source.h"
#include "tui/tests/snapshots.h"
#include "tui/widgets/ladder.h"
#include "tui/widgets/pages.h"

namespace pipetop::tui {
namespace {

constexpr std::array kViews = {ShowPart::ring,      ShowPart::functions, ShowPart::tree,
                               ShowPart::waiting,   ShowPart::log,       ShowPart::ladder,
                               ShowPart::throughput};
constexpr std::array<std::pair<int, int>, 6> kSizes = {
    {{16, 60}, {24, 80}, {30, 100}, {40, 120}, {45, 160}, {60, 200}}};

// Three lines of 70 columns.
constexpr const char* kCaption =
    "vmsplice puts the writer's own pages into the ring: nothing is copied\n"
    "on this side any more, and the pages belong to both processes at once,\n"
    "until the reader has taken the bytes out of them. Watch who waits now.\n";

DashboardState in_show(ShowPart view = ShowPart::ring) {
  DashboardState state;
  state.presets = built_in_presets();
  state.show.on = true;
  state.show.view = view;
  return state;
}

DashboardState in_a_talk(ShowPart view = ShowPart::ring) {
  DashboardState state = in_show(view);
  state.show.title = "Lending pages";
  state.show.caption = kCaption;
  state.show.scene = 3;
  state.show.scenes = 12;
  return state;
}

Snapshot changed_snapshot() {
  Snapshot s = example_snapshot();
  s.throughput.segments = {s.throughput.previous};
  s.change = Reading<Change>::of({13.1, 62.5, 4.77, 12.3, "the reader no longer copies",
                                  "_copy_to_iter 13.5 → 0 %", "_copy_to_iter"});
  s.verdict = Reading<Verdict>::of({Verdict::Kind::lock, "writer spins on the pipe mutex 39 %"});
  return s;
}

std::string frame(int rows, int cols, const Snapshot& s, DashboardState state,
                  GlyphSet set = GlyphSet::unicode) {
  Canvas canvas(glyphs_of(set), rows, cols);
  show_lists(state, s, rows, cols);
  draw(canvas, s, state);
  return canvas.text();
}

bool shows(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Ink ink_at(const Canvas& canvas, std::string_view part) {
  for (int row = 0; row < canvas.rows(); ++row) {
    const std::string line = canvas.line(row);
    const size_t at = line.find(part);
    if (at != line.npos) return canvas.at(row, columns_of(line.substr(0, at))).ink;
  }
  ADD_FAILURE() << part << " is not in\n" << canvas.text();
  return {};
}

// ---- layout ----

bool cross(const Rect& a, const Rect& b) {
  return a.row < b.end_row() && b.row < a.end_row() && a.col < b.end_col() && b.col < a.end_col();
}

TEST(ShowLayout, HoldsAtEverySize) {
  for (const WorkloadEntry& entry : workloads()) {
    Settings settings;
    settings.workload = entry.kind;
    for (const ShowPart view : kViews) {
      for (const bool talk : {false, true}) {
        const ShowState show = talk ? in_a_talk(view).show : in_show(view).show;
        for (int rows = 1; rows <= 70; rows += rows < 50 ? 1 : 5) {
          for (int cols = 1; cols <= 220; cols += cols < 130 ? 1 : 10) {
            const ShowLayout l = show_layout(rows, cols, settings, show);
            ASSERT_EQ(l.fits, rows >= kMinRows && cols >= kMinCols);
            if (!l.fits) continue;
            SCOPED_TRACE(testing::Message() << cols << "x" << rows << " view " << int(view));
            const std::array rects = {l.title,   l.number, l.factor, l.compared, l.cause, l.caption,
                                      l.message, l.words,  l.strip,  l.top,      l.large};
            ASSERT_GE(l.large.rows, talk ? 4 : 5);
            for (size_t i = 0; i < rects.size(); ++i) {
              if (rects[i].empty()) continue;
              ASSERT_TRUE(rects[i].row >= 0 && rects[i].col >= 0) << i;
              ASSERT_TRUE(rects[i].end_row() <= rows && rects[i].end_col() <= cols) << i;
              for (size_t k = 0; k < i; ++k) {
                ASSERT_TRUE(rects[k].empty() || !cross(rects[i], rects[k])) << i << " and " << k;
              }
            }
          }
        }
      }
    }
  }
}

TEST(ShowLayout, DigitsGrowWithTheScreen) {
  const auto size = [](int rows, int cols) { return show_layout(rows, cols, {}, {}).number_size; };
  EXPECT_EQ(size(16, 60), DigitSize::half);
  EXPECT_EQ(size(24, 80), DigitSize::full);
  EXPECT_EQ(size(45, 160), DigitSize::huge);
  EXPECT_EQ(show_layout(45, 160, {}, {}).factor_size, DigitSize::huge);
  EXPECT_EQ(show_layout(45, 110, {}, {}).factor_size, DigitSize::full) << "beside the number";
}

TEST(ShowLayout, ACaptionKeepsItsLinesAndItsWords) {
  EXPECT_EQ(caption_lines("one\ntwo\n\n", 40), (std::vector<std::string_view>{"one", "two"}));
  EXPECT_EQ(caption_lines("one two three", 8), (std::vector<std::string_view>{"one two", "three"}));
  EXPECT_EQ(caption_lines("one\n\ntwo", 8).size(), 3u) << "an empty line is one, too";
  EXPECT_TRUE(caption_lines("", 8).empty());
}

// ---- what is on it ----

TEST(Show, HasWhatTheBackRowNeeds) {
  for (const auto& [rows, cols] : kSizes) {
    for (const ShowPart view : kViews) {
      const std::string text = frame(rows, cols, changed_snapshot(), in_a_talk(view));
      SCOPED_TRACE(testing::Message() << cols << "x" << rows << "\n" << text);
      for (const char* part : {"3/12 Lending pages", "COPIED", "GiB/s", "13.1 → 62.5 GiB/s", "×4.8",
                               "×12 since the start", "the reader no longer copies", "? keys"})
        EXPECT_TRUE(shows(text, part)) << part;
      if (cols < 80) continue;
      EXPECT_TRUE(shows(text, "_copy_to_iter 13.5 → 0 %"));
      EXPECT_TRUE(shows(text, "lock-bound: writer spins on the pipe mutex 39 %"));
      for (const char* line : {"own pages into the ring: nothing is copied\n",
                               " both processes at once,\n", "Watch who waits now.\n"})
        EXPECT_TRUE(shows(text, line)) << line;
    }
  }
}

TEST(Show, EachViewHasItsLargePart) {
  const auto on = [](ShowPart view, int rows = 40, int cols = 120) {
    return frame(rows, cols, changed_snapshot(), in_a_talk(view));
  };
  EXPECT_TRUE(shows(on(ShowPart::ring), "empty 40 %"));
  EXPECT_TRUE(shows(on(ShowPart::functions), "self"));
  EXPECT_TRUE(shows(on(ShowPart::functions), "entry_SYSCALL_64_after"));
  EXPECT_TRUE(shows(on(ShowPart::tree), "callers were not recorded"));
  EXPECT_TRUE(shows(on(ShowPart::waiting), "blocked time"));
  EXPECT_TRUE(shows(on(ShowPart::log), "segments"));
  EXPECT_TRUE(shows(on(ShowPart::ladder), "× first"));
  EXPECT_TRUE(shows(on(ShowPart::throughput), " now"));
  for (const ShowPart view : {ShowPart::ring, ShowPart::throughput}) {
    const std::string text = on(view, 24, 80);
    EXPECT_TRUE(shows(text, "40.0 %  ") || shows(text, "40.0 % ")) << text;
    EXPECT_TRUE(shows(text, "gup_fast_fallback")) << "the second of three\n" << text;
  }
}

TEST(Show, OutsideOfATalkThePresetIsTheTitle) {
  const std::string text = frame(24, 80, changed_snapshot(), in_show());
  EXPECT_TRUE(text.starts_with(" write, read ")) << text;
  EXPECT_FALSE(shows(text, "0/0"));
}

// Never an old rate under a new title.
TEST(Show, MeasuresBeforeItSpeaks) {
  Snapshot s = changed_snapshot();
  s.change = Reading<Change>::warming("measuring");
  s.throughput.current.rate = Reading<RateStats>::warming("measuring");
  for (const auto& [rows, cols] : kSizes) {
    const std::string text = frame(rows, cols, s, in_a_talk(ShowPart::functions));
    EXPECT_TRUE(shows(text, "measuring")) << text;
    for (const char* old : {"62.5", "13.1", "×", "0.00"}) EXPECT_FALSE(shows(text, old)) << text;
    EXPECT_TRUE(shows(text, "3/12 Lending pages"));
  }
}

TEST(Show, TheNumberIsTheOneOfTheFactor) {
  Snapshot s = changed_snapshot();
  EXPECT_EQ(*show_rate(s), 62.5);
  s.change = Reading<Change>::unavailable("nothing has changed yet");
  EXPECT_EQ(*show_rate(s), 62.1) << "the mean of the segment";
  s.throughput.current.rate.value->samples = 4;
  EXPECT_FALSE(show_rate(s).has_value()) << "too early";
  s.throughput.current.rate = {};
  EXPECT_FALSE(show_rate(s).has_value());
}

TEST(Show, TheFirstSettingsAreComparedWithNothing) {
  Snapshot s = example_snapshot();
  s.throughput.previous = nullptr;
  s.change = Reading<Change>::unavailable("nothing has changed yet");
  const std::string text = frame(24, 80, s, in_show());
  EXPECT_FALSE(shows(text, "×"));
  EXPECT_FALSE(shows(text, "→"));
}

TEST(Show, WhatIsOnIsSaidInWords) {
  Snapshot s = example_snapshot();
  EXPECT_EQ(words_of(s), "write · read");
  s.workers[0].technique = {"vmsplice", "thp", "busy"};
  s.workers[1].technique = {"splice → /dev/null", "busy"};
  EXPECT_EQ(words_of(s), "vmsplice · huge pages · busy · splice");
}

TEST(Show, WithoutBpfItSaysWhy) {
  Settings settings = article_presets()[4].settings;
  FakeSource source(settings, FakeMood::no_bpf);
  source.advance(10'000'000'000);
  DashboardState state = in_a_talk();
  state.requested = settings;
  for (const auto& [rows, cols] : kSizes) {
    if (rows < 24) continue;  // there is no room for functions at all
    for (const ShowPart view : {ShowPart::ring, ShowPart::functions}) {
      state.show.view = view;
      const std::string text = frame(rows, cols, source.tick(), state);
      EXPECT_TRUE(shows(text, "functions unavailable: needs root")) << text;
      EXPECT_TRUE(shows(text, "sudo pipetop")) << text;
    }
  }
}

TEST(Show, EveryWorkloadSizeAndViewCanBeDrawn) {
  for (const WorkloadEntry& entry : workloads()) {
    Snapshot s = changed_snapshot();
    s.requested.workload = s.throughput.current.requested.workload = entry.kind;
    for (int i = 1; i <= 4; ++i) {
      PartReadings part;
      part.name = std::string(entry.terms.part) + " " + std::to_string(i);
      part.rate = Reading<double>::of(i);
      if (!entry.terms.has_ring) s.parts.push_back(part);
    }
    DashboardState state = in_a_talk();
    state.requested = s.requested;
    for (const ShowPart view : kViews) {
      state.show.view = view;
      for (int rows = kMinRows; rows <= 60; rows += 4) {
        for (int cols = kMinCols; cols <= 200; cols += 20) {
          const std::string text = frame(rows, cols, s, state);
          SCOPED_TRACE(testing::Message() << cols << "x" << rows << "\n" << text);
          ASSERT_TRUE(shows(text, entry.terms.unit.rate));
          ASSERT_TRUE(shows(text, "? keys"));
          std::istringstream stream(text);
          for (std::string line; std::getline(stream, line);) ASSERT_LE(columns_of(line), cols);
        }
      }
    }
  }
}

TEST(Show, NothingMovesWhileNothingHappens) {
  for (const auto& [rows, cols] : kSizes) {
    for (const ShowPart view : kViews) {
      DashboardState state = in_a_talk(view);
      const Snapshot s = changed_snapshot();
      const std::string first = frame(rows, cols, s, state);
      state.now_ns += 700'000'000;
      EXPECT_EQ(frame(rows, cols, s, state), first);
    }
  }
}

// Digits, a factor and a cause that come and go leave everything else in its place.
TEST(Show, NoBorderMovesWithTheFigures) {
  for (const auto& [rows, cols] : kSizes) {
    for (const ShowPart view : kViews) {
      Snapshot other = changed_snapshot();
      other.change = Reading<Change>::warming("measuring");
      other.verdict = Reading<Verdict>::warming("too few samples yet");
      Canvas a(glyphs_of(GlyphSet::unicode), rows, cols), b(a);
      DashboardState state = in_a_talk(view);
      show_lists(state, changed_snapshot(), rows, cols);
      draw(a, changed_snapshot(), state);
      draw(b, other, state);
      for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col)
          ASSERT_EQ(a.at(row, col).ink.style == Style::frame && a.at(row, col).glyph == U'─',
                    b.at(row, col).ink.style == Style::frame && b.at(row, col).glyph == U'─')
              << a.text() << b.text();
      }
    }
  }
}

// ---- what is highlighted ----

Canvas drawn_with(std::string_view highlight, ShowPart view, int rows = 24, int cols = 80) {
  DashboardState state = in_a_talk(view);
  state.show.highlight = highlight;
  const Snapshot s = changed_snapshot();
  Canvas canvas(glyphs_of(GlyphSet::unicode), rows, cols);
  show_lists(state, s, rows, cols);
  draw(canvas, s, state);
  return canvas;
}

TEST(Show, AHighlightedFunctionIsAlwaysThere) {
  EXPECT_EQ(ink_at(drawn_with("gup_fast_fallback", ShowPart::ring), "gup_fast_fallback"),
            kHighlighted);
  const Canvas last = drawn_with("[user]", ShowPart::ring);
  EXPECT_EQ(ink_at(last, "[user]"), kHighlighted) << "in the place of the third";
  const Canvas gone = drawn_with("_copy_to_iter", ShowPart::throughput);
  EXPECT_TRUE(shows(gone.text(), "0.0 % _copy_to_iter")) << gone.text();
  EXPECT_EQ(ink_at(drawn_with("gup_fast_fallback", ShowPart::functions), "gup_fast_fallback"),
            kHighlighted);
}

TEST(Show, AHighlightHidesNoMoreThanItMust) {
  DashboardState state = in_a_talk(ShowPart::functions);
  state.show.highlight = "gup_fast_fallback";  // the second row
  state.list(Role::writer).scroll = 1;         // it was the third
  int rows = 24;                               // of which the list has two or three
  while (function_rows(list_of(screen_layout(state, rows, 80), Role::writer)) > 3) --rows;
  ASSERT_GE(function_rows(list_of(screen_layout(state, rows, 80), Role::writer)), 2);
  show_lists(state, changed_snapshot(), rows, 80);
  EXPECT_EQ(state.list(Role::writer).scroll, 0);
}

TEST(Show, AHighlightFarDownTakesTheLastPlaceOfTheList) {
  Snapshot s = changed_snapshot();
  FunctionTable table;
  table.samples = 2100;
  std::vector<FunctionRow> rows;
  for (uint64_t i = 0; i < 40; ++i)
    rows.push_back({Function(fmt::format("step_{:02}", i)).name(), 200 - i, 200 - i});
  table.tree = flat_tree(rows);
  for (WorkerReadings& w : s.workers) w.functions = Reading<FunctionTable>::of(table);
  DashboardState state = in_a_talk(ShowPart::functions);
  state.show.highlight = "step_37";
  Canvas canvas(glyphs_of(GlyphSet::unicode), 24, 80);
  show_lists(state, s, 24, 80);
  draw(canvas, s, state);
  EXPECT_EQ(ink_at(canvas, "step_37"), kHighlighted) << canvas.text();
  EXPECT_TRUE(shows(canvas.text(), "step_00")) << canvas.text();
  EXPECT_FALSE(shows(canvas.text(), "above")) << canvas.text();
}

TEST(Show, FewSamplesAreCounted) {
  Snapshot s = changed_snapshot();
  FunctionTable table;
  table.samples = 3;
  table.tree = flat_tree({{Function("step").name(), 2, 2}, {Function("other").name(), 1, 1}});
  for (WorkerReadings& w : s.workers) w.functions = Reading<FunctionTable>::of(table);
  Canvas canvas(glyphs_of(GlyphSet::unicode), 24, 80);
  DashboardState state = in_a_talk(ShowPart::ring);
  show_lists(state, s, 24, 80);
  draw(canvas, s, state);
  EXPECT_TRUE(shows(canvas.text(), "2/3 step")) << canvas.text();
  EXPECT_FALSE(shows(canvas.text(), "66.7 %")) << canvas.text();
}

TEST(Show, OtherThingsCanBeHighlighted) {
  EXPECT_EQ(ink_at(drawn_with("verdict", ShowPart::ladder), "lock-bound"), kHighlighted);
  EXPECT_EQ(ink_at(drawn_with("slots", ShowPart::ring), "ring ─"), kHighlighted);
  EXPECT_EQ(ink_at(drawn_with("rate", ShowPart::ring), "GiB/s"), kHighlighted);
  EXPECT_NE(ink_at(drawn_with("", ShowPart::ring), "GiB/s"), kHighlighted);
}

TEST(Show, CanBeBlank) {
  DashboardState state = in_a_talk();
  state.show.blank = true;
  EXPECT_EQ(frame(3, 80, changed_snapshot(), state), "\n\n\n");
}

TEST(Show, AsciiFramesHoldNothingElse) {
  for (const ShowPart view : kViews) {
    for (const char c : frame(24, 80, changed_snapshot(), in_a_talk(view), GlyphSet::ascii))
      ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << int(c);
  }
}

// ---- the ladder ----

std::shared_ptr<const Segment> rung_segment(size_t preset, double rate) {
  Segment s;
  s.label = "preset " + article_presets()[preset].name;
  s.requested = article_presets()[preset].settings;
  s.rate = Reading<RateStats>::of({rate, rate, .1, rate, rate, 50});
  return std::make_shared<const Segment>(s);
}

Snapshot climbed() {
  Snapshot s = example_snapshot();
  auto custom = *rung_segment(2, 9.5);
  custom.requested.pipe.buf_size = 1 << 20;
  custom.label = "buf_size 1MiB";
  s.throughput.segments = {rung_segment(0, 3), rung_segment(2, 6),
                           std::make_shared<const Segment>(custom), rung_segment(0, 2)};
  s.throughput.current = *rung_segment(4, 12);
  return s;
}

TEST(Ladder, HasEachSettingOnceWithItsNewestRate) {
  const auto rungs = rungs_of(climbed(), built_in_presets());
  ASSERT_EQ(rungs.size(), 4u);
  EXPECT_EQ(rungs[0], (Rung{"write_read", 2, 1, 3.7, false}));
  EXPECT_EQ(rungs[1], (Rung{"vmsplice_read", 6, 3, 12.7, false}));
  EXPECT_EQ(rungs[2], (Rung{"buf_size 1MiB", 9.5, 4.75, 0, false}));
  EXPECT_EQ(rungs[3], (Rung{"vmsplice_splice", 12, 6, 32.8, true}));
}

TEST(Ladder, WhatHasNoRateIsLeftOutUnlessItIsPresent) {
  Snapshot s = climbed();
  Segment hasty = *rung_segment(5, 1), slow = *rung_segment(6, 1);
  hasty.rate = Reading<RateStats>::warming("too short");
  slow.requested.pipe.slow_motion = true;
  s.throughput.segments = {std::make_shared<const Segment>(hasty),
                           std::make_shared<const Segment>(slow)};
  s.throughput.current.rate = {};
  const auto rungs = rungs_of(s, built_in_presets());
  ASSERT_EQ(rungs.size(), 1u);
  EXPECT_EQ(rungs[0], (Rung{"vmsplice_splice", std::nullopt, 0, 32.8, true}));
}

TEST(Ladder, OneWorkloadIsNotComparedWithAnother) {
  Snapshot s = climbed();
  s.throughput.current.requested.workload = WorkloadKind::percpu;
  EXPECT_EQ(rungs_of(s, {}).size(), 1u);
}

Lines ladder(int rows, int cols, int scroll = 0) {
  return drawn(rows, cols, [&](const Area& a) {
    draw_ladder(a, rungs_of(climbed(), built_in_presets()), unit_of(Settings{}), scroll);
  });
}

TEST(Ladder, HasBarsOnOneScale) {
  const Lines lines = ladder(9, 76);
  EXPECT_NE(lines[0].find("GiB/s  × first full bar 15 GiB/s"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("write_read          2.00    ×1.00 ███▌"), std::string::npos) << lines[1];
  EXPECT_TRUE(lines[1].ends_with("article 3.70")) << lines[1];
  EXPECT_TRUE(lines[4].starts_with("▸ vmsplice_splice"));
}

TEST(Ladder, ScrollsToWhatIsPresent) {
  const auto rungs = rungs_of(climbed(), built_in_presets());
  EXPECT_EQ(ladder_scroll_end(4, rungs), 1);
  EXPECT_EQ(scroll_to_present(4, rungs), 1);
  EXPECT_EQ(scroll_to_present(9, rungs), 0);
  const Lines lines = ladder(4, 76, 1);
  EXPECT_NE(lines[0].find("▴ 1 above"), std::string::npos) << lines[0];
  EXPECT_TRUE(lines[3].starts_with("▸ vmsplice_splice")) << lines[3];
  EXPECT_NE(ladder(4, 76)[0].find("▾ 1 more below"), std::string::npos) << ladder(4, 76)[0];
}

// ---- keys ----

class ShowKeysTest : public testing::Test {
 protected:
  ShowKeysTest() { controller_.show(snapshot_, 24, 80); }
  void press(Key key) { controller_.handle({Input::Kind::key, key, {}}); }
  const DashboardState& state() const { return controller_.state(); }
  std::string screen(int rows = 24, int cols = 80) {
    controller_.show(snapshot_, rows, cols);
    Canvas canvas(glyphs_of(GlyphSet::unicode), rows, cols);
    controller_.draw(canvas);
    return canvas.text();
  }

  Snapshot snapshot_ = changed_snapshot();
  RecordingSource source_;
  Controller controller_{source_, Settings{}, article_presets()};
};

TEST_F(ShowKeysTest, SOpensTheShowAndClosesIt) {
  press(U'L');
  press(U'S');
  EXPECT_TRUE(state().show.on);
  EXPECT_FALSE(state().log.open);
  EXPECT_TRUE(shows(screen(), "? keys"));
  press(U'v');
  EXPECT_EQ(source_.settings.pipe.write_with, WriteWith::vmsplice) << "knobs stay one key away";
  press(U'S');
  EXPECT_FALSE(state().show.on);
  EXPECT_TRUE(shows(screen(), "v vmsplice"));
}

TEST_F(ShowKeysTest, InTheShowTheKeysChooseTheLargePart) {
  press(U'S');
  press(U'L');
  EXPECT_EQ(state().show.view, ShowPart::log);
  press(U'B');
  EXPECT_EQ(state().show.view, ShowPart::ladder);
  press(U'B');
  EXPECT_EQ(state().show.view, ShowPart::ring);
  press(U'w');
  EXPECT_EQ(state().show.view, ShowPart::waiting);
  screen();
  EXPECT_EQ(state().choice.activity, Activity::waiting);
  press(U'w');
  screen();
  EXPECT_EQ(state().choice.activity, Activity::running);
  press(U'f');
  EXPECT_EQ(state().show.view, ShowPart::tree);
  press(U'V');
  EXPECT_EQ(state().show.view, ShowPart::waiting);
}

TEST_F(ShowKeysTest, TheTreeIsOpenInTheShowOnly) {
  for (WorkerReadings& w : snapshot_.workers) w.functions = Reading<FunctionTable>::of(writing());
  press(U'S');
  press(U'f');
  EXPECT_TRUE(shows(screen(40, 120), "spin_on_owner"));
  press(U'C');
  screen();
  EXPECT_EQ(rows_of(state().list(Role::writer)).size(), 2u) << "and can be closed";
  press(U'f');
  screen();
  EXPECT_EQ(rows_of(state().list(Role::writer))[1].depth, 0) << "a flat list is closed";
  press(U'f');
  press(U'S');
  screen();
  EXPECT_EQ(rows_of(state().list(Role::writer)).size(), 2u);
}

TEST_F(ShowKeysTest, BOpensTheLadderInTheDashboard) {
  press(U'B');
  EXPECT_TRUE(shows(screen(), "ladder · j k scroll, B closes")) << screen();
  press(U'L');
  EXPECT_TRUE(shows(screen(), "segments")) << "one page at a time";
  EXPECT_FALSE(state().ladder.open);
  press(U'B');
  press(key::escape);
  EXPECT_FALSE(state().ladder.open);
}

TEST_F(ShowKeysTest, ZShowsOnePanelAndTabTheNext) {
  const auto panel = [&] {
    const std::string text = screen();
    EXPECT_TRUE(shows(text, "lock-bound: writer spins on the pipe mutex 39 %")) << text;
    EXPECT_TRUE(shows(text, "? help"));
    return text;
  };
  press(U'Z');
  EXPECT_TRUE(shows(panel(), "╭ writer 812"));
  EXPECT_FALSE(shows(panel(), "reader 813"));
  press(key::tab);
  EXPECT_TRUE(shows(panel(), "╭ reader 813"));
  EXPECT_EQ(state().focus, Role::reader);
  press(key::tab);
  EXPECT_TRUE(shows(panel(), "╭ throughput"));
  press(key::tab);
  EXPECT_TRUE(shows(panel(), "╭ ring"));
  press(key::back_tab);
  EXPECT_TRUE(shows(panel(), "╭ throughput"));
  press(key::escape);
  EXPECT_FALSE(state().zoom);
  EXPECT_TRUE(shows(screen(), "╭ writer 812")) << screen();
  EXPECT_TRUE(shows(screen(), "╭ reader 813"));
}

TEST_F(ShowKeysTest, ZZoomsInTheShowToo) {
  press(U'S');
  press(U'Z');
  EXPECT_EQ(state().zoom, Panel::ring) << "the large part";
  EXPECT_TRUE(shows(screen(), "? keys"));
  EXPECT_TRUE(shows(screen(), "╭ ring"));
  press(U'Z');
  EXPECT_FALSE(state().zoom);
  EXPECT_TRUE(state().show.on);
}

TEST_F(ShowKeysTest, AZoomedPanelIsDrawnAtEverySize) {
  press(U'Z');
  for (int panel = 0; panel < 4; ++panel, press(key::tab)) {
    for (const auto& [rows, cols] : kSizes) {
      const std::string text = screen(rows, cols);
      EXPECT_EQ(std::ranges::count(text, '\n'), rows);
      EXPECT_TRUE(shows(text, "q quit")) << text;
    }
  }
}

TEST_F(ShowKeysTest, TabLeadsToThePipelineOfOurWorkersAndBack) {
  press(key::tab);
  press(key::tab);
  EXPECT_EQ(state().zoom, Panel::pipeline);
  for (const auto& [rows, cols] : kSizes) {
    const std::string text = screen(rows, cols);
    EXPECT_EQ(std::ranges::count(text, '\n'), rows);
    EXPECT_TRUE(shows(text, "writer 812")) << text;
    EXPECT_TRUE(shows(text, "reader 813")) << text;
    EXPECT_TRUE(shows(text, "128 KiB")) << "the ring between them\n" << text;
    EXPECT_TRUE(shows(text, "q quit")) << text;
  }
  EXPECT_TRUE(shows(screen(), "╭ reader 813")) << "the list that had the focus\n" << screen();
  press(key::left);
  EXPECT_TRUE(shows(screen(), "╭ ring")) << screen();
  press(key::left);
  EXPECT_TRUE(shows(screen(), "╭ writer 812")) << screen();
  press(key::left);
  EXPECT_EQ(state().below_pipeline, Panel::writer);
  press(key::down);
  EXPECT_EQ(state().list(Role::writer).selected, 0) << "its list takes the keys";
  press(U'L');
  EXPECT_TRUE(shows(screen(), "╭ segments")) << screen();
  EXPECT_TRUE(shows(screen(), "reader 813")) << "the stages stay\n" << screen();
  press(U'L');
  press(key::tab);
  EXPECT_FALSE(state().zoom);
  EXPECT_EQ(state().focus, Role::writer);
  press(key::back_tab);
  EXPECT_EQ(state().zoom, Panel::pipeline);
  press(key::escape);
  EXPECT_FALSE(state().zoom);
}

// The remedy of the writer's list is no help where that list is not shown.
TEST_F(ShowKeysTest, AZoomedPanelHasItsOwnRemedy) {
  for (WorkerReadings& w : snapshot_.workers)
    w.functions = Reading<FunctionTable>::unavailable("needs root; sudo pipetop");
  press(key::tab);
  press(U'Z');
  EXPECT_TRUE(shows(screen(), "sudo pipetop")) << screen();
}

}  // namespace
}  // namespace pipetop::tui
