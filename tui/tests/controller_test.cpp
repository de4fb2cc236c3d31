#include "tui/dashboard/controller.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/layout.h"
#include "tui/tests/recording_source.h"
#include "tui/tests/snapshots.h"

namespace pipetop::tui {
namespace {

class ControllerTest : public testing::Test {
 protected:
  ControllerTest() { controller_.show(snapshot_, 24, 80); }

  Outcome press(Key key) { return controller_.handle({Input::Kind::key, key, {}}); }
  Outcome mouse(int row, int col, MouseAct act) {
    return controller_.handle({Input::Kind::mouse, 0, {row, col, act}});
  }
  const DashboardState& state() const { return controller_.state(); }

  Snapshot snapshot_ = example_snapshot();
  RecordingSource source_;
  Controller controller_{source_, Settings{}, article_presets()};
};

TEST_F(ControllerTest, EveryHotKeyChangesItsKnob) {
  for (const HotKey& hot : hot_keys(WorkloadKind::pipe)) {
    if (hot.key == '<') press(U'>');  // there is nothing below one pair
    const Settings before = source_.settings;
    press(static_cast<Key>(hot.key));
    EXPECT_NE(source_.settings, before) << hot.key;
    EXPECT_EQ(state().requested, source_.settings);
  }
  EXPECT_EQ(source_.labels.front(), "v: write_with vmsplice");
}

TEST_F(ControllerTest, UndoGoesBackStepByStep) {
  press(U'v');
  press(U'5');
  press(U'b');
  EXPECT_EQ(source_.labels[1], "5: preset vmsplice_splice");
  press(U'u');
  EXPECT_EQ(source_.settings, article_presets()[4].settings);
  press(U'u');
  EXPECT_EQ(source_.settings.pipe.write_with, WriteWith::vmsplice);
  press(U'u');
  EXPECT_EQ(source_.settings, Settings{});
  const size_t changes = source_.labels.size();
  press(U'u');
  EXPECT_EQ(source_.labels.size(), changes);
  EXPECT_EQ(state().message, "nothing to undo");
}

TEST_F(ControllerTest, RedoGoesForwardUntilSomethingElseChanges) {
  press(U'v');
  press(U's');
  press(U'u');
  press(U'u');
  press(U'U');
  EXPECT_EQ(source_.labels.back(), "U: redo");
  EXPECT_EQ(source_.settings.pipe.write_with, WriteWith::vmsplice);
  EXPECT_EQ(source_.settings.pipe.read_with, ReadWith::read);
  press(U'U');
  EXPECT_EQ(source_.settings.pipe.read_with, ReadWith::splice);
  press(U'U');
  EXPECT_EQ(state().message, "nothing to redo");
  press(U'u');
  press(U'b');  // another way: what was undone is gone
  press(U'U');
  EXPECT_EQ(state().message, "nothing to redo");
  EXPECT_EQ(source_.settings.pipe.read_with, ReadWith::read);
}

// "1 b 3" must not make vmsplice look slower than a busy write.
TEST_F(ControllerTest, APresetSaysWhatElseItTakesBack) {
  press(U'1');
  press(U'b');
  press(U'3');
  EXPECT_EQ(state().message, "vmsplice_read: also wait busy → block");
  press(U'5');
  EXPECT_EQ(state().message, "vmsplice, splice");
  press(U'y');
  press(U')');
  press(U'6');
  EXPECT_EQ(state().message,
            "vmsplice_splice_huge: also buf_size 512KiB → 256KiB, payload stamped → constant");
  press(U'u');  // the changes made by hand are back
  press(U'6');
  EXPECT_NE(state().message.find("also buf_size"), std::string::npos);
}

TEST_F(ControllerTest, ValuesThatTheMachineLacksAreSkipped) {
  source_.lacks = Pages::hugetlb;
  press(U'H');
  EXPECT_EQ(state().message, "hugetlb: none here");
  EXPECT_EQ(state().requested, Settings{});
  EXPECT_TRUE(source_.labels.empty());
  press(U'h');
  EXPECT_EQ(state().requested.pipe.pages, Pages::thp);
  press(U'H');
  EXPECT_EQ(state().requested.pipe.pages, Pages::thp) << "not to 4k instead";
  EXPECT_EQ(state().message, "hugetlb: none here");
  source_.lacks = Pages::thp;
  press(U'h');
  press(U'h');
  EXPECT_EQ(state().message, "thp: none here");
}

TEST_F(ControllerTest, BracketsMakeSingleSteps) {
  press(U'[');
  EXPECT_TRUE(source_.settings.pipe.slow_motion);
  EXPECT_TRUE(source_.settings.pipe.single_step);
  EXPECT_EQ(source_.labels, (std::vector<std::string>{"[: single steps"}));
  press(U']');
  EXPECT_EQ(source_.labels.size(), 1u) << "no further change";
  EXPECT_EQ(source_.steps, (std::vector{Role::writer, Role::reader}));
  source_.can_step = false;
  press(U']');
  EXPECT_EQ(state().message, "the last read still waits for data; [ writes");
  press(U'm');
  EXPECT_TRUE(source_.settings.pipe.slow_motion);
  EXPECT_FALSE(source_.settings.pipe.single_step);
  press(U'm');
  EXPECT_FALSE(source_.settings.pipe.slow_motion);
}

TEST_F(ControllerTest, QClosesWhatLiesOverTheDashboard) {
  for (const Key opens : {U'?', U'L', U'!', U'i'}) {
    press(opens);
    EXPECT_EQ(press(U'q'), Outcome::stay) << char(opens);
  }
  EXPECT_FALSE(state().help.open || state().log.open || state().messages.open);
  EXPECT_FALSE(state().ring.inspected);
  for (const Key key : {Key{U'/'}, Key{U'q'}, key::enter}) EXPECT_EQ(press(key), Outcome::stay);
  EXPECT_EQ(state().choice.filter, "q") << "a letter while it is typed";
  EXPECT_EQ(press(U'q'), Outcome::stay);
  EXPECT_EQ(state().choice.filter, "");
  press(U'?');
  EXPECT_EQ(press(3), Outcome::interrupt) << "Ctrl-C always quits";
  press(U'q');
  EXPECT_EQ(press(U'q'), Outcome::quit);
}

// What a clicker sends beside the arrows.
TEST_F(ControllerTest, KeysWithoutAMeaningChangeNothing) {
  press(key::other);  // F5
  EXPECT_EQ(state().message, "");
  press(U'.');
  EXPECT_EQ(state().message, ". does nothing here; ? shows the keys");
  press(key::page_down);
  press(key::page_up);
  press(key::escape);
  EXPECT_TRUE(source_.labels.empty());
}

TEST_F(ControllerTest, AFrozenScreenStaysWhatItIs) {
  controller_.show(snapshot_, 24, 80);
  press(U' ');
  press(U'3');
  EXPECT_EQ(source_.settings, article_presets()[2].settings) << "data goes on";
  EXPECT_EQ(state().title(), "write_read");
  EXPECT_EQ(state().running_behind(), "vmsplice_read");
  EXPECT_EQ(state().message, "the screen is frozen on write_read; Space shows vmsplice_read");
  source_.present.number = 2;
  press(U'a');
  EXPECT_FALSE(state().reference.is_a) << "not what the screen shows";
  press(U'u');
  EXPECT_EQ(state().running_behind(), "");
  press(U'3');
  press(U' ');
  EXPECT_EQ(state().title(), "vmsplice_read");
  EXPECT_EQ(state().running_behind(), "");
  EXPECT_EQ(state().message, "") << "nothing is frozen any more";
}

class TurnsTest : public ControllerTest {
 protected:
  // What `v` changes makes it twice as fast.
  void begin() {
    source_.coming.effective.settled = true;
    controller_.tick(source_.coming.now_ns);
    press(U'a');
    press(U'v');
    b_ = source_.settings;
    press(U'a');
    ASSERT_TRUE(state().take_turns());
  }
  void tick() {
    source_.coming.now_ns += 50'000'000;
    source_.coming.throughput.clock_ns += 50'000'000;
    source_.coming.throughput.total_items += source_.settings == b_ ? 2000 : 1000;
    controller_.tick(source_.coming.now_ns);
  }
  void until_a_runs() {
    for (int i = 0; i < 100 && source_.settings == b_; ++i) tick();
    ASSERT_EQ(source_.labels.back(), "a: A in turns");
    EXPECT_EQ(source_.settings, Settings{});
    EXPECT_EQ(state().requested, b_) << "what the keys change";
  }

  Settings b_;
};

TEST_F(TurnsTest, CompareAWithWhatWasChanged) {
  begin();
  until_a_runs();
  for (int i = 0; i < 1000 && state().take_turns(); ++i) tick();
  EXPECT_EQ(state().turns->turns(), 8u);
  EXPECT_NEAR(state().turns->ratio().ratio, 2, 0.1);
  EXPECT_EQ(state().message, state().turns->words());
  EXPECT_EQ(source_.settings, b_);
  press(U'a');
  EXPECT_FALSE(state().reference.is_a);
  press(U'u');
  EXPECT_EQ(source_.settings, Settings{}) << "turns are no changes to undo";
}

TEST_F(TurnsTest, EndAtBByAnyChange) {
  begin();
  until_a_runs();
  press(key::escape);
  EXPECT_FALSE(state().take_turns());
  EXPECT_EQ(source_.settings, b_);
  press(U's');
  press(U'a');
  ASSERT_TRUE(state().take_turns()) << "another B";
  press(U'b');
  EXPECT_FALSE(state().take_turns());
  EXPECT_EQ(source_.settings.pipe.read_with, ReadWith::splice);
  EXPECT_TRUE(is_busy(source_.settings.pipe.writer_wait));
}

TEST_F(TurnsTest, AFailureEndsThem) {
  begin();
  source_.refuses = true;
  for (int i = 0; i < 100 && state().take_turns(); ++i) tick();
  EXPECT_FALSE(state().take_turns());
  EXPECT_EQ(state().severity, Severity::error);
}

// Somebody who holds a key down all night must not fill the memory.
TEST_F(ControllerTest, UndoRemembersTheLastChanges) {
  for (int i = 0; i < 10'000; ++i) press(U'v');
  const size_t changes = source_.labels.size();
  do press(U'u');
  while (state().message != "nothing to undo");
  EXPECT_EQ(source_.labels.size() - changes, 200u);
}

TEST_F(ControllerTest, BaselineIsTheStartAndCanBeUndone) {
  press(U'7');
  press(U'0');
  EXPECT_EQ(source_.settings, Settings{});
  EXPECT_EQ(source_.labels.back(), "0: baseline");
  press(U'u');
  EXPECT_EQ(source_.settings, article_presets()[6].settings);
}

TEST_F(ControllerTest, PresetsLeaveTheObserversAlone) {
  press(U'O');
  EXPECT_EQ(source_.labels.back(), "O: observers off");
  press(U'5');
  EXPECT_EQ(source_.settings.pipe, article_presets()[4].settings.pipe);
  EXPECT_EQ(source_.settings.observers, Observing::off);
  EXPECT_EQ(state().preset_name(), "vmsplice_splice");
  press(U'5');
  EXPECT_EQ(state().message, "already on preset vmsplice_splice");
  press(U'u');
  press(U'u');
  EXPECT_EQ(source_.settings.observers, Observing::on);
  press(U'O');
  press(U'0');
  EXPECT_EQ(source_.settings.observers, Observing::on) << "as it began";
}

TEST_F(ControllerTest, AnErrorIsSaidAndNothingIsLost) {
  press(U'v');
  source_.refuses = true;
  press(U's');
  EXPECT_EQ(state().message, "writer: it will not");
  EXPECT_EQ(state().severity, Severity::error);
  EXPECT_EQ(state().requested, source_.settings);
  press(U'u');  // refused too: the step stays
  source_.refuses = false;
  press(U'u');
  EXPECT_EQ(source_.settings, Settings{});
}

TEST_F(ControllerTest, AKeyAtItsLimitSaysSo) {
  for (int i = 0; i < 20; ++i) press(U'(');
  EXPECT_EQ(state().message, "buf_size 4KiB is already at its limit");
  press(U'9');
  EXPECT_EQ(state().message, "there are only 7 presets");
}

TEST_F(ControllerTest, XSwitchesHowBpfCounts) {
  press(U'x');
  EXPECT_EQ(source_.counters, BpfCounters::shared);
  snapshot_.bpf_counters = BpfCounters::shared;
  press(U'x');
  EXPECT_EQ(source_.counters, BpfCounters::percpu);
}

TEST_F(ControllerTest, RHidesAndShowsTheRoof) {
  press(U'R');
  EXPECT_EQ(state().message, "the roof is unknown: start pipetop with --roof");
  controller_.set_roof(102);
  EXPECT_EQ(state().shown_roof(), 102);
  press(U'R');
  EXPECT_EQ(state().shown_roof(), std::nullopt);
  press(U'R');
  EXPECT_EQ(state().shown_roof(), 102);
}

TEST_F(ControllerTest, HintsGoAwayByThemselves) {
  controller_.set_time(1'000'000'000);
  press(U'Q');
  EXPECT_EQ(state().message, "Q does nothing here; ? shows the keys");
  controller_.set_time(2'000'000'000);
  EXPECT_NE(state().message, "");
  controller_.set_time(5'000'000'000);
  EXPECT_EQ(state().message, "");
}

TEST_F(ControllerTest, FreezeIsTheScreensOnly) {
  press(U' ');
  EXPECT_TRUE(state().frozen);
  press(U'v');
  EXPECT_EQ(source_.settings.pipe.write_with, WriteWith::vmsplice);
  press(U' ');
  EXPECT_FALSE(state().frozen);
}

TEST_F(ControllerTest, TheArrowsSelectInTheFocusedList) {
  press(key::down);
  EXPECT_EQ(state().list(Role::writer).selected, 0);
  press(U'j');
  EXPECT_EQ(state().list(Role::writer).name, "gup_fast_fallback");
  press(key::end);
  EXPECT_EQ(state().list(Role::writer).name, "[user]");
  press(key::page_up);
  EXPECT_EQ(state().list(Role::writer).selected, 0);
  press(key::tab);
  EXPECT_EQ(state().focus, Role::reader);
  EXPECT_EQ(state().list(Role::reader).selected, -1);
  press(key::back_tab);
  EXPECT_EQ(state().focus, Role::writer);
  press(key::escape);
  EXPECT_EQ(state().list(Role::writer).selected, -1);
}

TEST_F(ControllerTest, InspectsASlotWithTheArrows) {
  press(U'i');
  EXPECT_EQ(state().ring.inspected, 3u) << "the tail";
  press(key::right);
  press(key::right);
  EXPECT_EQ(state().ring.inspected, 5u);
  EXPECT_EQ(state().focus, Role::writer) << "the arrow was not for the lists";
  press(U' ');
  EXPECT_TRUE(state().frozen);
  press(key::left);
  EXPECT_EQ(state().ring.inspected, 4u) << "also while frozen";
  press(U'j');
  EXPECT_EQ(state().list(Role::writer).selected, 0) << "the lists keep their letters";
  press(key::escape);
  EXPECT_FALSE(state().ring.inspected);
  EXPECT_EQ(state().list(Role::writer).selected, 0);
  press(U'i');
  press(U'i');
  EXPECT_FALSE(state().ring.inspected);
}

TEST_F(ControllerTest, WithoutSlotsThereIsNothingToInspect) {
  press(U'i');
  snapshot_.ring.frame = Reading<RingFrame>::unavailable("no BPF; run as root");
  press(key::right);
  EXPECT_EQ(state().focus, Role::reader) << "the arrows are the lists' again";
  press(key::escape);
  EXPECT_FALSE(state().ring.inspected);
  press(U'i');
  EXPECT_FALSE(state().ring.inspected);
  EXPECT_EQ(state().message, "no slot to inspect: no BPF; run as root");
}

TEST_F(ControllerTest, AClickSelectsTheSlotUnderIt) {
  for (const auto& [rows, cols] : {std::pair{24, 80}, {40, 120}, {60, 200}}) {
    controller_.show(snapshot_, rows, cols);
    const Layout layout = make_layout(rows, cols);
    const Rect ring = inside(layout, layout.ring);
    std::set<uint32_t> slots;
    for (int row = ring.row; row < ring.end_row(); ++row) {
      for (int col = ring.col; col < ring.end_col(); ++col) {
        press(key::escape);
        mouse(row, col, MouseAct::press);
        if (state().ring.inspected) slots.insert(*state().ring.inspected);
      }
    }
    EXPECT_EQ(slots.size(), 32u) << cols;
  }
}

TEST_F(ControllerTest, TheRingsPictureHasThreeForms) {
  EXPECT_EQ(state().ring.picture, RingPicture::both);
  press(U'r');
  EXPECT_EQ(state().ring.picture, RingPicture::histogram);
  press(U'r');
  EXPECT_EQ(state().ring.picture, RingPicture::heat_map);
  press(U'r');
  EXPECT_EQ(state().ring.picture, RingPicture::both);
}

TEST_F(ControllerTest, TheTrailIsOfSlowMotionOnly) {
  const auto step = [&] {
    RingFrame& f = *snapshot_.ring.frame.value;
    f.head += 1, f.tail += 1, f.at_ns += 50'000'000;
    controller_.show(snapshot_, 24, 80);
  };
  step(), step();
  EXPECT_FALSE(state().ring.trail.filled(21));
  snapshot_.requested.pipe.slow_motion = true;
  step(), step();
  EXPECT_TRUE(state().ring.trail.filled(23));
  EXPECT_TRUE(state().ring.trail.freed(6));
  snapshot_.requested.pipe.slow_motion = false;
  controller_.show(snapshot_, 24, 80);
  EXPECT_FALSE(state().ring.trail.filled(23));
}

TEST_F(ControllerTest, HelpOpensScrollsAndCloses) {
  press(U'?');
  EXPECT_TRUE(state().help.open);
  press(key::down);
  EXPECT_EQ(state().help.scroll, 1);
  EXPECT_EQ(state().list(Role::writer).selected, -1);
  press(key::escape);
  EXPECT_FALSE(state().help.open);
}

TEST_F(ControllerTest, OutcomesForTheTerminal) {
  EXPECT_EQ(press(U'q'), Outcome::quit);
  EXPECT_EQ(press(3), Outcome::interrupt);
  EXPECT_EQ(press(26), Outcome::suspend);
  EXPECT_EQ(press(28), Outcome::abort);
  EXPECT_EQ(press(12), Outcome::redraw_all);
  EXPECT_EQ(press(U'M'), Outcome::toggle_mouse);
  EXPECT_EQ(press(key::other), Outcome::stay);
  EXPECT_EQ(state().message, "");
}

TEST_F(ControllerTest, AClickTogglesAndTheWheelScrolls) {
  const Layout layout = make_layout(24, 80);
  mouse(layout.keys.row, 3, MouseAct::press);
  EXPECT_EQ(source_.settings.pipe.write_with, WriteWith::vmsplice);
  mouse(layout.reader.row + 2, layout.reader.col + 2, MouseAct::press);
  EXPECT_EQ(state().focus, Role::reader);
  controller_.show(snapshot_, 16, 60);
  mouse(make_layout(16, 60).writer.row + 3, 2, MouseAct::wheel_down);
  EXPECT_EQ(state().list(Role::writer).scroll, 1) << "as far as the list goes";
  EXPECT_EQ(state().list(Role::reader).scroll, 0);
  EXPECT_EQ(mouse(make_layout(16, 60).keys.end_row() - 1, 57, MouseAct::press), Outcome::quit);
}

TEST(Keymap, NoKeyHasTwoMeanings) {
  std::set<Key> taken;
  for (const KeyTable table : Controller::keys())
    for (const KeyRow& row : table.rows)
      EXPECT_TRUE(taken.insert(row.key).second) << uint32_t(row.key);
  for (const HotKey& hot : hot_keys(WorkloadKind::pipe)) {
    EXPECT_TRUE(taken.insert(Key(hot.key)).second) << hot.key;
    EXPECT_FALSE(hot.key >= '0' && hot.key <= '9');
  }
}

}  // namespace
}  // namespace pipetop::tui
