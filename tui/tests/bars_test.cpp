// The lines at the top and the bottom: title, message, keys; and the help page.
#include <gtest/gtest.h>

#include "engine/registry/workloads.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/dashboard/keymap.h"
#include "tui/state/status.h"
#include "tui/tests/snapshots.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/pages.h"

namespace pipetop::tui {
namespace {

ViewState state_with_presets() {
  ViewState state;
  state.presets = built_in_presets();
  return state;
}

std::string title(const Snapshot& s, const ViewState& state, int cols) {
  return drawn(1, cols,
               [&](const Area& a) { draw_title_bar(a, s, state.preset_name(), state.frozen); })
      .front();
}

TEST(TitleBar, NamesPresetHostEventAndProof) {
  const std::string line = title(example_snapshot(), state_with_presets(), 110);
  EXPECT_EQ(line,
            " pipetop  write_read   Linux 6.18.44 · AMD EPYC · 2 CPUs · cpu-clock 999 Hz   COPIED  "
            "               00:01:12");
}

TEST(TitleBar, SaysWhatLookingCosts) {
  Snapshot s = example_snapshot();
  const auto says = [&](const char* words) {
    return title(s, state_with_presets(), 140).find(words) != std::string::npos;
  };
  s.event.value->price = Reading<double>::of(0.0102);
  EXPECT_TRUE(says("cpu-clock 999 Hz, costs 1 %"));
  s.event.value->share = 0.1;
  s.event.value->price = Reading<double>::of(0.018);
  EXPECT_TRUE(says("cpu-clock 999 Hz 10 % of the time, costs 2 %"));
  s.event.value->price = Reading<double>::of(0.001);
  EXPECT_TRUE(says("10 % of the time, costs <1 %"));
  s.event.value->price = Reading<double>::warming("not yet");
  EXPECT_TRUE(says("10 % of the time "));
  EXPECT_FALSE(says("costs"));
}

TEST(TitleBar, KeepsTheEssentialWhenNarrow) {
  ViewState state = state_with_presets();
  state.requested.pipe.gift = true;
  state.frozen = true;
  EXPECT_EQ(title(example_snapshot(), state, 60),
            " custom   Linux 6.18.44   COPIED           FROZEN  00:01:12");
  Snapshot s = example_snapshot();
  s.effective.pipe.zero_copy = ZeroCopy::unverifiable;
  EXPECT_NE(title(s, state, 60).find("UNVERIFIABLE"), std::string::npos);
}

TEST(TitleBar, ObserversThatAreOffAreSaid) {
  Snapshot s = example_snapshot();
  s.requested.observers = Observing::off;
  s.event = s.event.unavailable(kObserversOff);
  for (const int cols : {80, 120, 200})
    EXPECT_NE(title(s, state_with_presets(), cols).find("observers off"), std::string::npos);
}

TEST(TitleBar, StolenTimeIsSaid) {
  Snapshot s = example_snapshot();
  s.steal_share = Reading<double>::of(0.08);
  EXPECT_NE(title(s, state_with_presets(), 120).find("steal 8 %"), std::string::npos);
  s.steal_share = Reading<double>::of(0.001);
  EXPECT_EQ(title(s, state_with_presets(), 120).find("steal"), std::string::npos);
}

TEST(TitleBar, AMismatchTurnsTheBadgeIntoAWarning) {
  Snapshot s = example_snapshot();
  const auto badge_ink = [&] {
    Canvas canvas(glyphs_of(GlyphSet::unicode), 1, 120);
    draw_title_bar(Area(canvas, {0, 0, 1, 120}), s, "write_read");
    int col = 0;
    while (col < 119 && !(canvas.at(0, col).ink.emphasis & kReverse)) ++col;
    return canvas.at(0, col).ink;
  };
  EXPECT_EQ(badge_ink(), Ink(Style::copy, kReverse));
  s.effective.mismatches.push_back({"pages", "hugetlb", "thp", "none free"});
  EXPECT_NE(title(s, state_with_presets(), 120).find(" COPIED ! pages "), std::string::npos);
  EXPECT_EQ(badge_ink(), Ink(Style::warning, kReverse));
  s.effective.mismatches.push_back({"gift", "true", "false", ""});
  EXPECT_NE(title(s, state_with_presets(), 120).find(" COPIED ! 2 knobs "), std::string::npos);
  s.effective.pipe.zero_copy = ZeroCopy::unverifiable;
  ViewState narrow = state_with_presets();
  narrow.frozen = true;
  EXPECT_NE(title(s, narrow, 60).find(" UNVERIFIABLE ! "), std::string::npos);
}

Lines keys(int rows, int cols, const Snapshot& s, const ViewState& state) {
  return drawn(rows, cols, [&](const Area& a) {
    draw_keys(a, place_keys({0, 0, rows, cols}, s, state));
  });
}

TEST(KeyBar, ShowsEveryKnobWithItsState) {
  ViewState state = state_with_presets();
  state.requested = article_presets()[6].settings;
  const Lines lines = keys(3, 80, example_snapshot(), state);
  EXPECT_EQ(lines[0],
            " v vmsplice ●  s splice ●  h thp ●  b busy ●  p poll ○  z adapt ○  g gift ○");
  EXPECT_EQ(lines[1],
            " d bufs ○  t touch ●  l lock ○  y stamped ○  { } pipe 64K  ( ) buf 256K  c near");
  EXPECT_EQ(lines[2],
            " m slow ○  < > pairs 1  O observe ●  1-8 presets  u undo  L log  ? help  q quit");
}

TEST(KeyBar, AKnobThatDidNotTakeEffectIsMarked) {
  ViewState state = state_with_presets();
  Snapshot s = example_snapshot();
  s.requested.pipe.pages = state.requested.pipe.pages = Pages::hugetlb;
  s.effective.mismatches.push_back({"pages", "hugetlb", "thp", "none free"});
  EXPECT_NE(keys(3, 80, s, state)[0].find("h hugetlb !"), std::string::npos);
  state.requested.pipe.pages = Pages::k4;  // pressed a moment ago: nothing is known yet
  EXPECT_NE(keys(3, 80, s, state)[0].find("h huge ○"), std::string::npos);
}

TEST(KeyBar, EveryKnobHasItsPlaceFromTheSmallestScreenOn) {
  ViewState state = state_with_presets();
  Settings& wide = state.requested;
  wide.pipe.write_with = WriteWith::vmsplice;
  wide.pipe.read_with = ReadWith::splice;
  wide.pipe.writer_wait = wide.pipe.reader_wait = Wait::busy;
  wide.pipe.pages = Pages::hugetlb;
  Snapshot s = example_snapshot();
  s.effective.mismatches.push_back({"pages", "hugetlb", "thp", "none free"});
  // The last ones, pairs and the observers, are on the help page alone where there is no room.
  for (int cols = 60; cols <= 250; ++cols) {
    const auto items = place_keys({0, 0, cols >= 126 ? 2 : 3, cols}, s, state);
    for (const KeyItem& item : items) {
      const bool knob =
          !item.presses.empty() &&
          std::ranges::count(hot_keys(WorkloadKind::pipe), static_cast<char>(item.presses.front()),
                             &HotKey::key) > 0;
      const bool last = item.keys == "< >" || item.keys == "O";
      if ((knob && (cols >= 80 || !last)) || item.keys == "?" || item.keys == "q") {
        ASSERT_FALSE(item.place.empty()) << item.text << " at " << cols;
      }
      ASSERT_LE(item.place.end_col(), cols);
    }
  }
}

TEST(KeyBar, AClickPressesWhatIsUnderIt) {
  const auto items = place_keys({0, 0, 3, 80}, example_snapshot(), state_with_presets());
  EXPECT_EQ(key_at(items, 0, 1), U'v');
  EXPECT_EQ(key_at(items, 0, 5), U'v');
  EXPECT_EQ(key_at(items, 0, 79), 0u);
  for (const KeyItem& item : items) {
    if (item.keys != "{ }") continue;
    EXPECT_EQ(key_at(items, item.place.row, item.place.col), U'{');
    EXPECT_EQ(key_at(items, item.place.row, item.place.end_col() - 1), U'}');
  }
}

TEST(MessageLine, AMismatchSaysWhyAndWhatToDo) {
  Snapshot s = example_snapshot();
  s.effective.mismatches.push_back(
      {"pages", "hugetlb", "thp", "no free huge pages; echo 64 > /proc/sys/vm/nr_hugepages"});
  ViewState state;
  const Message m = message_of(s, state);
  EXPECT_EQ(m.severity, Severity::warning);
  EXPECT_EQ(m.text,
            "pages: hugetlb requested, thp effective: no free huge pages; echo 64 > "
            "/proc/sys/vm/nr_hugepages");
  s.effective.mismatches.push_back({"gift", "true", "false", ""});
  EXPECT_EQ(message_of(s, state).text.substr(0, 9), "(1 of 2) ");
  state.message = "there are only 7 presets";
  EXPECT_EQ(message_of(s, state).text, state.message);
}

TEST(MessageLine, AnErrorDoesNotHideAMismatchForLong) {
  Snapshot s = example_snapshot();
  s.effective.mismatches.push_back({"pages", "hugetlb", "thp", "none free"});
  s.notices.push_back({s.now_ns, Severity::warning, "slow to settle"});
  s.notices.push_back({s.now_ns, Severity::error, "writer died: signal 9"});
  ViewState state;
  const auto at = [&](uint64_t seconds) {
    state.now_ns = s.now_ns + seconds * 1'000'000'000;
    return message_of(s, state);
  };
  EXPECT_EQ(at(0).text, "(1 of 3) writer died: signal 9") << "the newest first";
  EXPECT_EQ(at(0).severity, Severity::error);
  EXPECT_EQ(at(4).text, "(2 of 3) pages: hugetlb requested, thp effective: none free");
  EXPECT_EQ(at(4).severity, Severity::warning);
  EXPECT_EQ(at(8).text, "(3 of 3) slow to settle");
  EXPECT_EQ(at(12).text, "(1 of 3) writer died: signal 9");
}

TEST(MessageLine, AWarningEndsWithTheSettingsThatItIsAbout) {
  Snapshot s = example_snapshot();
  s.notices.push_back({s.now_ns, Severity::warning, "2 % of the file was evicted"});
  EXPECT_EQ(message_of(s, {}).text, "2 % of the file was evicted");
  s.throughput.current.begin_ns = s.now_ns + 1;
  EXPECT_EQ(message_of(s, {}).text.find("evicted"), std::string::npos);
}

TEST(MessageLine, TheVerdictWhereTheRingHasNoPlaceForIt) {
  Snapshot s = example_snapshot();
  s.effective.pipe.zero_copy_reason = "copied";
  s.verdict = Reading<Verdict>::of({Bound::lock, "writer spins 39 %"});
  EXPECT_EQ(message_of(s, {}).text, "copied");
  EXPECT_EQ(message_of(s, {}, VerdictAt::message).text, "lock-bound: writer spins 39 %");
  s.requested.pipe.payload = Payload::stamped;
  s.integrity = Reading<Integrity>::unavailable("unverifiable: nobody reads; read_with read");
  EXPECT_EQ(message_of(s, {}, VerdictAt::message).text, s.integrity.reason);
}

TEST(MessageLine, NoticesGoAway) {
  Snapshot s = example_snapshot();
  s.notices.push_back({s.now_ns - 1'000'000'000, Severity::warning, "writer died: signal 9"});
  EXPECT_EQ(message_of(s, {}).text, "writer died: signal 9");
  s.now_ns += 60'000'000'000;
  EXPECT_EQ(message_of(s, {}).text, "");
}

TEST(MessageLine, ErrorsAreMarkedWithoutColour) {
  Canvas canvas(glyphs_of(GlyphSet::unicode), 1, 30);
  draw_message(canvas, {0, 0, 1, 30}, {"gift needs vmsplice", Severity::error});
  EXPECT_EQ(canvas.line(0), " ! gift needs vmsplice");
}

TEST(Help, TellsOfEveryKeyAndKnob) {
  ViewState state = state_with_presets();
  Canvas canvas(glyphs_of(GlyphSet::ascii), 80, 140);
  draw_help(canvas, help_of(state), 0);
  const std::string text = canvas.text();
  for (const HotKey& hot : hot_keys(WorkloadKind::pipe))
    EXPECT_NE(text.find(hot.key + std::string("  ") + std::string(hot.label)), std::string::npos);
  for (const Preset& preset : state.presets)
    EXPECT_NE(text.find(preset.title), std::string::npos) << preset.title;
  for (const ScreenKey& key : screen_keys())
    EXPECT_NE(text.find(key.help), std::string::npos) << key.help;
  EXPECT_NE(text.find("check_huge_page"), std::string::npos);
}

TEST(Help, CanBeScrolledToItsEnd) {
  ViewState state = state_with_presets();
  const int end = help_scroll_end(16, 60, help_of(state));
  EXPECT_GT(end, 0);
  Canvas canvas(glyphs_of(GlyphSet::ascii), 16, 60);
  draw_help(canvas, help_of(state), end);
  EXPECT_NE(canvas.text().find("quit; Ctrl-C does too"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::tui
