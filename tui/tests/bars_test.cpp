// The lines at the top and the bottom: title, message, keys; and the help page.
#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/keymap.h"
#include "tui/dashboard/layout.h"
#include "tui/dashboard/messages.h"
#include "tui/dashboard/view.h"
#include "tui/tests/snapshots.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/pages.h"

namespace pipetop::tui {
namespace {

DashboardState state_with_presets() {
  DashboardState state;
  state.presets = built_in_presets();
  return state;
}

std::string title(const Snapshot& s, const DashboardState& state, int cols) {
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
  const auto costs = [&](double share, double low, double high) {
    s.event.value->set_price(Reading<Price>::of({share, low, high}));
  };
  costs(0.0102, 0.008, 0.012);
  EXPECT_TRUE(says("cpu-clock 999 Hz, costs <2 %"));
  s.event.value->share = 0.1;
  costs(0.038, 0.025, 0.051);
  EXPECT_TRUE(says("cpu-clock 999 Hz 10 % of the time, costs 3.8 % [2.5 .. 5.1]"));
  costs(0.001, 0, 0.002);
  EXPECT_TRUE(says("10 % of the time, costs <1 %"));
  s.event.value->set_price(Reading<Price>::warming("not yet"));
  EXPECT_TRUE(says("10 % of the time "));
  EXPECT_FALSE(says("costs"));
}

TEST(TitleBar, KeepsTheEssentialWhenNarrow) {
  DashboardState state = state_with_presets();
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

TEST(TitleBar, ADisturbedMachineIsSaid) {
  Snapshot s = example_snapshot();
  s.noise = "the host takes 3 % of the CPUs' time";
  for (const int cols : {60, 80, 120, 200})
    EXPECT_NE(title(s, state_with_presets(), cols).find(" NOISY "), std::string::npos) << cols;
  EXPECT_EQ(title(example_snapshot(), state_with_presets(), 120).find("NOISY"), std::string::npos);
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
  DashboardState narrow = state_with_presets();
  narrow.frozen = true;
  EXPECT_NE(title(s, narrow, 60).find(" UNVERIFIABLE ! "), std::string::npos);
}

Lines keys(int rows, int cols, const Snapshot& s, const DashboardState& state) {
  return drawn(rows, cols, [&](const Area& a) {
    draw_keys(a, place_keys({0, 0, rows, cols}, s, state));
  });
}

TEST(TitleBar, DamageComesFirstAndNothingLooksLikeSuccess) {
  Snapshot s = example_snapshot();
  s.effective.pipe.zero_copy = ZeroCopy::zero_copy;
  s.integrity = Reading<Integrity>::of({});
  s.integrity.value->wrong_share = Reading<double>::of(0.54);
  Canvas canvas(glyphs_of(GlyphSet::unicode), 1, 120);
  draw_title_bar(Area(canvas, {0, 0, 1, 120}), s, "hazard");
  const std::string line = canvas.line(0);
  const size_t damaged = line.find(" DAMAGED ");
  ASSERT_NE(damaged, std::string::npos) << line;
  EXPECT_LT(damaged, line.find(" ZERO-COPY "));
  for (int col = 0; col < 120; ++col) EXPECT_NE(canvas.at(0, col).ink.style, Style::good) << col;
  s.integrity.value->wrong_share = Reading<double>::of(0);
  EXPECT_EQ(title(s, state_with_presets(), 120).find("DAMAGED"), std::string::npos);
}

TEST(TitleBar, AFrozenScreenNamesWhatRunsBehindIt) {
  const Snapshot s = example_snapshot();
  const auto line = [&](int cols) {
    return drawn(1, cols,
                 [&](const Area& a) { draw_title_bar(a, s, "hazard", true, "vmsplice_read"); })[0];
  };
  EXPECT_NE(line(120).find(" FROZEN on hazard; vmsplice_read is running "), std::string::npos);
  EXPECT_NE(line(60).find(" FROZEN; vmsplice_read "), std::string::npos) << line(60);
  EXPECT_NE(line(60).find("hazard"), std::string::npos) << line(60);
}

TEST(KeyBar, ShowsEveryKnobWithItsState) {
  DashboardState state = state_with_presets();
  state.requested = article_presets()[6].settings;
  const Lines lines = keys(2, 250, example_snapshot(), state);
  const std::string all = lines[0] + lines[1];
  for (const char* item : {"v vmsplice ●",
                           "s splice ●",
                           "h H thp ●",
                           "b busy ●",
                           "p poll ○",
                           "z adapt ○",
                           "g gift ○",
                           "d bufs ○",
                           "t touch ●",
                           "l lock ○",
                           "y stamped ○",
                           "{ } pipe 64K",
                           "( ) buf 256K",
                           "c near",
                           "m slow ○",
                           "< > pairs 1",
                           "O observe ●",
                           "[ ] steps",
                           "1-8 busy_loop_huge",
                           "u U undo",
                           "0 baseline",
                           "Space freeze",
                           "Tab focus",
                           "f tree",
                           "w waiting",
                           "a compare",
                           "L log",
                           "? help",
                           "q quit"})
    EXPECT_NE(all.find(item), std::string::npos) << item << "\n" << all;
}

// What a talk needs; the rest is on the help page.
TEST(KeyBar, TheImportantKeysComeFirstWhereThereIsLittleRoom) {
  const Lines lines = keys(3, 80, example_snapshot(), state_with_presets());
  const std::string all = lines[0] + lines[1] + lines[2];
  for (const char* item : {"v vmsplice", "s splice", "h H huge", "b busy", "d bufs", "y stamped",
                           "m slow", "1-8 presets", "u U undo", "Space freeze", "Tab focus",
                           "w waiting", "a compare", "L log", "f tree", "? help", "q quit"})
    EXPECT_NE(all.find(item), std::string::npos) << item << "\n" << all;
}

// Whatever the values, every key stays where it is.
TEST(KeyBar, NothingMovesWhenAValueChanges) {
  for (const int cols : {60, 80, 100, 126, 160, 250}) {
    DashboardState state = state_with_presets();
    const auto places = [&] {
      std::vector<Rect> all;
      for (const KeyItem& item :
           place_keys({0, 0, cols >= 126 ? 2 : 3, cols}, example_snapshot(), state))
        all.push_back(item.place);
      return all;
    };
    const auto at_first = places();
    unsigned random = 1;
    for (int i = 0; i < 300; ++i) {
      random = random * 1664525u + 1013904223u;
      const auto knobs = hot_keys(WorkloadKind::pipe);
      knobs[(random >> 16) % knobs.size()].press(state.requested);
      ASSERT_EQ(places(), at_first) << cols;
    }
    state.frozen = state.reference.is_a = true;
    state.choice.form = ListForm::tree;
    state.choice.activity = Activity::waiting;
    EXPECT_EQ(places(), at_first) << cols;
  }
}

TEST(KeyBar, AKnobThatDidNotTakeEffectIsMarked) {
  DashboardState state = state_with_presets();
  Snapshot s = example_snapshot();
  s.requested.pipe.pages = state.requested.pipe.pages = Pages::hugetlb;
  s.effective.mismatches.push_back({"pages", "hugetlb", "thp", "none free"});
  EXPECT_NE(keys(3, 80, s, state)[0].find("h H hugetlb !"), std::string::npos);
  state.requested.pipe.pages = Pages::k4;  // pressed a moment ago: nothing is known yet
  EXPECT_NE(keys(3, 80, s, state)[0].find("h H huge ○"), std::string::npos);
}

TEST(KeyBar, TheKnobsOfTheStoryHaveTheirPlaceFromTheSmallestScreenOn) {
  DashboardState state = state_with_presets();
  Settings& wide = state.requested;
  wide.pipe.write_with = WriteWith::vmsplice;
  wide.pipe.read_with = ReadWith::splice;
  wide.pipe.writer_wait = wide.pipe.reader_wait = Wait::busy;
  wide.pipe.pages = Pages::hugetlb;
  Snapshot s = example_snapshot();
  s.effective.mismatches.push_back({"pages", "hugetlb", "thp", "none free"});
  for (int cols = 60; cols <= 250; ++cols) {
    for (const KeyItem& item : place_keys({0, 0, cols >= 126 ? 2 : 3, cols}, s, state)) {
      const bool needed = item.rank <= (cols >= 80 ? 2 : 1);
      ASSERT_TRUE(!needed || !item.place.empty()) << item.text << " at " << cols;
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
  DashboardState state;
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
  DashboardState state;
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
  s.verdict = Reading<Verdict>::of({Verdict::Kind::lock, "writer spins 39 %"});
  EXPECT_EQ(message_of(s, {}).text, "copied");
  EXPECT_EQ(message_of(s, {}, VerdictAt::message).text, "lock-bound: writer spins 39 %");
  s.requested.pipe.payload = Payload::stamped;
  s.integrity = Reading<Integrity>::unavailable("unverifiable: nobody reads; read_with read");
  EXPECT_EQ(message_of(s, {}, VerdictAt::message).text, s.integrity.reason);
}

// The last frame's answer stays as long as one looks at it.
TEST(MessageLine, ThatARecordingIsDamagedIsSaidAtItsEnd) {
  Snapshot s = example_snapshot();
  s.answer = Notice{s.now_ns, Severity::info, "undone"};
  DashboardState state;
  ReplayState replay;
  replay.at_ns = 5;
  replay.duration_ns = 10;
  replay.damage = "cut off";
  state.replay = &replay;
  EXPECT_EQ(message_of(s, state).text, "undone");
  replay.at_ns = 10;
  EXPECT_EQ(message_of(s, state).text, "the recording is cut off");
}

Snapshot snapshot_of_change() {
  Snapshot s = example_snapshot();
  s.change = Reading<Change>::of({.before = 0.55,
                                  .after = 2.01,
                                  .factor = 3.65,
                                  .cause = "the reader no longer copies",
                                  .evidence = "_copy_to_iter 13.5 → 0 %"});
  s.throughput.current.begin_ns = s.now_ns - kSecond;
  s.throughput.current.rate.value->mean = 2.01;
  return s;
}

TEST(MessageLine, TheCauseOfTheChangeWhereItHasNoPlaceElsewhere) {
  const Snapshot s = snapshot_of_change();
  const auto text = [](const Snapshot& shown) {
    return message_of(shown, {}, VerdictAt::ring, ChangeAt::message).text;
  };
  EXPECT_EQ(text(s), "×3.7: the reader no longer copies: _copy_to_iter 13.5 → 0 %");
  EXPECT_EQ(message_of(s, {}).text, "") << "it is in the panel";
  Snapshot later = s;
  later.throughput.current.rate.value->mean = 2.2;
  EXPECT_EQ(text(later), "×4.0: the reader no longer copies: _copy_to_iter 13.5 → 0 %")
      << "as the throughput panel says";
  Snapshot wrong = s;
  wrong.notices.push_back({s.now_ns, Severity::warning, "writer died: signal 9"});
  EXPECT_EQ(text(wrong), "writer died: signal 9");
  Snapshot young = s;
  young.change.value->cause = "";
  young.change.value->evidence = "";
  EXPECT_EQ(text(young), "") << "not known yet";
}

TEST(Cause, IsShortenedByParts) {
  Snapshot s = snapshot_of_change();
  s.change.value->evidence += "; also _copy_from_iter 33.0 → 0 %";
  EXPECT_EQ(
      cause_text(s, 100),
      "the reader no longer copies: _copy_to_iter 13.5 → 0 %; also _copy_from_iter 33.0 → 0 %");
  EXPECT_EQ(cause_text(s, 80), "the reader no longer copies: _copy_to_iter 13.5 → 0 %");
  EXPECT_EQ(cause_text(s, 40), "the reader no longer copies");
  EXPECT_EQ(cause_text({}, 40), "");
}

TEST(MessageLine, NoiseTakesTurnsWithTheRest) {
  Snapshot s = snapshot_of_change();
  s.noise = "the host takes 3 % of the CPUs' time";
  const auto at = [&](uint64_t seconds) {
    DashboardState state;
    state.now_ns = seconds * kSecond;
    return message_of(s, state, VerdictAt::ring, ChangeAt::message);
  };
  EXPECT_EQ(at(0).text, "disturbed: the host takes 3 % of the CPUs' time");
  EXPECT_EQ(at(0).severity, Severity::warning);
  EXPECT_EQ(at(4).text, "×3.7: the reader no longer copies: _copy_to_iter 13.5 → 0 %");
  EXPECT_EQ(at(8).text, "disturbed: the host takes 3 % of the CPUs' time");
}

// In a virtual machine without counters, wakeups are counted where they end.
TEST(MessageLine, AMarkedFunctionIsExplained) {
  Snapshot s = example_snapshot();
  FunctionTable table;
  table.samples = 1000;
  table.tree = flat_tree({{"_raw_spin_unlock_irqrestore", 450, 450}, {"[user]", 550, 550}});
  for (WorkerReadings& w : s.workers) w.functions = Reading<FunctionTable>::of(table);
  DashboardState state;
  show_lists(state, s, 24, 80);
  EXPECT_EQ(
      message_of(s, state).text,
      "* _raw_spin_unlock_irqrestore counts code that ran with interrupts off, mostly wakeups");
  s.event.value->name = "cycles";
  EXPECT_EQ(message_of(s, state).text, "");
}

TEST(MessageLine, ASelectedFunctionIsExplained) {
  Snapshot s = example_snapshot();
  DashboardState state;
  show_lists(state, s, 24, 80);
  select(state.list(Role::writer), 1);
  EXPECT_EQ(message_of(s, state).text,
            "looks up the physical pages of the buffer · gup_fast_fallback");
}

TEST(MessageLine, NoticesGoAway) {
  Snapshot s = example_snapshot();
  s.notices.push_back({s.now_ns - 1'000'000'000, Severity::warning, "writer died: signal 9"});
  EXPECT_EQ(message_of(s, {}).text, "writer died: signal 9");
  s.now_ns += 60'000'000'000;
  EXPECT_EQ(message_of(s, {}).text, "");
}

// Nor does it ever grow over what is above it.
TEST(MessageLine, ALongOneEndsInAWholeWordAndTheKeyForAllOfIt) {
  const std::string text = "pages: hugetlb requested, 4k effective: no free huge pages; echo 16";
  for (int rows : {1, 2}) {
    for (int cols = 20; cols < 80; ++cols) {
      Canvas canvas(glyphs_of(GlyphSet::unicode), 5, cols);
      draw_message(canvas, {4 - rows, 0, rows, cols}, {text, Severity::error});
      for (int row = 0; row < 4 - rows; ++row) ASSERT_EQ(canvas.line(row), "");
      ASSERT_EQ(canvas.line(4), "");
      std::string shown;
      for (int row = 4 - rows; row < 4; ++row)
        if (!canvas.line(row).empty()) shown += canvas.line(row).substr(3) + " ";
      const size_t more = shown.find(" … (! all)");
      if (more == shown.npos) {
        ASSERT_EQ(shown, text + " ");
        continue;
      }
      ASSERT_TRUE(text.starts_with(shown.substr(0, more) + " ")) << shown;
    }
  }
}

TEST(Messages, AllOfThemInFull) {
  Snapshot s = example_snapshot();
  s.effective.mismatches.push_back(
      {"pages", "hugetlb", "thp", "no free huge pages; echo 64 > /proc/sys/vm/nr_hugepages"});
  s.notices.push_back({s.now_ns, Severity::error, "writer died: signal 9"});
  s.verdict = Reading<Verdict>::of({Verdict::Kind::lock, "writer spins 39 %"});
  s.effective.pipe.zero_copy_reason = "write copies";
  const auto messages = messages_of(s, {});
  Canvas canvas(glyphs_of(GlyphSet::unicode), 24, 80);
  draw_messages(canvas, messages, 0);
  const std::string text = canvas.text();
  for (const char* part : {"writer died: signal 9", "pages: hugetlb requested", "nr_hugepages",
                           "lock-bound: writer spins 39 %", "write copies", "q closes"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_GT(messages_scroll_end(5, 40, messages), 0);
  EXPECT_EQ(messages_scroll_end(24, 80, messages), 0);
}

TEST(MessageLine, DamageIsSaidInWordsBeforeAnythingElse) {
  Snapshot s = example_snapshot();
  s.requested.pipe.buffers = Buffers::single;
  s.notices.push_back({s.now_ns, Severity::error, "writer died: signal 9"});
  s.integrity = Reading<Integrity>::of({});
  s.integrity.value->wrong_share = Reading<double>::of(0.54);
  const std::vector<Message> all = messages_of(s, {});
  EXPECT_EQ(all[0].severity, Severity::error);
  EXPECT_EQ(all[0].text,
            "54 % of pages wrong: rewritten while in the ring; d fixes it, m marks them");
}

TEST(MessageLine, ASingleBufferWithoutStampsIsAWarning) {
  Snapshot s = example_snapshot();
  s.effective.settings.pipe.buffers = Buffers::single;
  EXPECT_TRUE(message_of(s, {}).text.empty()) << "write lends nothing";
  s.effective.settings.pipe.write_with = WriteWith::vmsplice;
  EXPECT_EQ(message_of(s, {}).severity, Severity::warning);
  EXPECT_EQ(message_of(s, {}).text,
            "buffers single: new data would overwrite pages in the ring; y shows it");
  s.effective.settings.pipe.payload = Payload::stamped;
  EXPECT_TRUE(message_of(s, {}).text.empty()) << "they would show it";
}

TEST(MessageLine, ErrorsAreMarkedWithoutColour) {
  Canvas canvas(glyphs_of(GlyphSet::unicode), 1, 30);
  draw_message(canvas, {0, 0, 1, 30}, {"gift needs vmsplice", Severity::error});
  EXPECT_EQ(canvas.line(0), " ! gift needs vmsplice");
}

TEST(Help, TellsOfEveryKeyAndKnob) {
  DashboardState state = state_with_presets();
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
  DashboardState state = state_with_presets();
  const int end = help_scroll_end(16, 60, help_of(state));
  EXPECT_GT(end, 0);
  Canvas canvas(glyphs_of(GlyphSet::ascii), 16, 60);
  draw_help(canvas, help_of(state), end);
  EXPECT_NE(canvas.text().find("bound of the rate that"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::tui
