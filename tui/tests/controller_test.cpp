#include "tui/dashboard/controller.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/registry/workloads.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/state/layout.h"
#include "tui/tests/recording_source.h"
#include "tui/tests/snapshots.h"

namespace pipetop::tui {
namespace {

class ControllerTest : public testing::Test {
 protected:
  ControllerTest() { controller_.show(snapshot_, 24, 80); }

  Outcome press(Key key) { return controller_.handle({Input::Kind::key, key, {}}, snapshot_); }
  Outcome mouse(int row, int col, MouseAct act) {
    return controller_.handle({Input::Kind::mouse, 0, {row, col, act}}, snapshot_);
  }
  const ViewState& view() const { return controller_.view(); }

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
    EXPECT_EQ(view().requested, source_.settings);
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
  EXPECT_EQ(view().message, "nothing to undo");
}

// Somebody who holds a key down all night must not fill the memory.
TEST_F(ControllerTest, UndoRemembersTheLastChanges) {
  for (int i = 0; i < 10'000; ++i) press(U'v');
  const size_t changes = source_.labels.size();
  do press(U'u');
  while (view().message != "nothing to undo");
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
  EXPECT_EQ(view().preset_name(), "vmsplice_splice");
  press(U'5');
  EXPECT_EQ(view().message, "already on preset vmsplice_splice");
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
  EXPECT_EQ(view().message, "writer: it will not");
  EXPECT_EQ(view().severity, Severity::error);
  EXPECT_EQ(view().requested, source_.settings);
  press(U'u');  // refused too: the step stays
  source_.refuses = false;
  press(U'u');
  EXPECT_EQ(source_.settings, Settings{});
}

TEST_F(ControllerTest, AKeyAtItsLimitSaysSo) {
  for (int i = 0; i < 20; ++i) press(U'(');
  EXPECT_EQ(view().message, "buf_size 4KiB is already at its limit");
  press(U'9');
  EXPECT_EQ(view().message, "there are only 7 presets");
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
  EXPECT_EQ(view().message, "the roof is unknown: start pipetop with --roof");
  controller_.set_roof(102);
  EXPECT_EQ(view().shown_roof(), 102);
  press(U'R');
  EXPECT_EQ(view().shown_roof(), std::nullopt);
  press(U'R');
  EXPECT_EQ(view().shown_roof(), 102);
}

TEST_F(ControllerTest, HintsGoAwayByThemselves) {
  controller_.set_time(1'000'000'000);
  press(U'Q');
  EXPECT_EQ(view().message, "Q does nothing here; ? shows the keys");
  controller_.set_time(2'000'000'000);
  EXPECT_NE(view().message, "");
  controller_.set_time(5'000'000'000);
  EXPECT_EQ(view().message, "");
}

TEST_F(ControllerTest, FreezeIsTheScreensOnly) {
  press(U' ');
  EXPECT_TRUE(view().frozen);
  press(U'v');
  EXPECT_EQ(source_.settings.pipe.write_with, WriteWith::vmsplice);
  press(U' ');
  EXPECT_FALSE(view().frozen);
}

TEST_F(ControllerTest, TheArrowsSelectInTheFocusedList) {
  press(key::down);
  EXPECT_EQ(view().list(Role::writer).selected, 0);
  press(U'j');
  EXPECT_EQ(view().list(Role::writer).name, "gup_fast_fallback");
  press(key::end);
  EXPECT_EQ(view().list(Role::writer).name, "[user]");
  press(key::page_up);
  EXPECT_EQ(view().list(Role::writer).selected, 0);
  press(key::tab);
  EXPECT_EQ(view().focus, Role::reader);
  EXPECT_EQ(view().list(Role::reader).selected, -1);
  press(key::back_tab);
  EXPECT_EQ(view().focus, Role::writer);
  press(key::escape);
  EXPECT_EQ(view().list(Role::writer).selected, -1);
}

TEST_F(ControllerTest, InspectsASlotWithTheArrows) {
  press(U'i');
  EXPECT_EQ(view().ring.inspected, 3u) << "the tail";
  press(key::right);
  press(key::right);
  EXPECT_EQ(view().ring.inspected, 5u);
  EXPECT_EQ(view().focus, Role::writer) << "the arrow was not for the lists";
  press(U' ');
  EXPECT_TRUE(view().frozen);
  press(key::left);
  EXPECT_EQ(view().ring.inspected, 4u) << "also while frozen";
  press(U'j');
  EXPECT_EQ(view().list(Role::writer).selected, 0) << "the lists keep their letters";
  press(key::escape);
  EXPECT_FALSE(view().ring.inspected);
  EXPECT_EQ(view().list(Role::writer).selected, 0);
  press(U'i');
  press(U'i');
  EXPECT_FALSE(view().ring.inspected);
}

TEST_F(ControllerTest, WithoutSlotsThereIsNothingToInspect) {
  press(U'i');
  snapshot_.ring.frame = Reading<RingFrame>::unavailable("no BPF; run as root");
  press(key::right);
  EXPECT_EQ(view().focus, Role::reader) << "the arrows are the lists' again";
  press(key::escape);
  EXPECT_FALSE(view().ring.inspected);
  press(U'i');
  EXPECT_FALSE(view().ring.inspected);
  EXPECT_EQ(view().message, "no slot to inspect: no BPF; run as root");
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
        if (view().ring.inspected) slots.insert(*view().ring.inspected);
      }
    }
    EXPECT_EQ(slots.size(), 32u) << cols;
  }
}

TEST_F(ControllerTest, TheRingsPictureHasThreeForms) {
  EXPECT_EQ(view().ring.picture, RingPicture::both);
  press(U'r');
  EXPECT_EQ(view().ring.picture, RingPicture::histogram);
  press(U'r');
  EXPECT_EQ(view().ring.picture, RingPicture::heat_map);
  press(U'r');
  EXPECT_EQ(view().ring.picture, RingPicture::both);
}

TEST_F(ControllerTest, TheTrailIsOfSlowMotionOnly) {
  const auto step = [&] {
    RingFrame& f = *snapshot_.ring.frame.value;
    f.head += 1, f.tail += 1, f.at_ns += 50'000'000;
    controller_.show(snapshot_, 24, 80);
  };
  step(), step();
  EXPECT_FALSE(view().ring.trail.filled(21));
  snapshot_.requested.pipe.slow_motion = true;
  step(), step();
  EXPECT_TRUE(view().ring.trail.filled(23));
  EXPECT_TRUE(view().ring.trail.freed(6));
  snapshot_.requested.pipe.slow_motion = false;
  controller_.show(snapshot_, 24, 80);
  EXPECT_FALSE(view().ring.trail.filled(23));
}

TEST_F(ControllerTest, HelpOpensScrollsAndCloses) {
  press(U'?');
  EXPECT_TRUE(view().help.open);
  press(key::down);
  EXPECT_EQ(view().help.scroll, 1);
  EXPECT_EQ(view().list(Role::writer).selected, -1);
  press(key::escape);
  EXPECT_FALSE(view().help.open);
}

TEST_F(ControllerTest, OutcomesForTheTerminal) {
  EXPECT_EQ(press(U'q'), Outcome::quit);
  EXPECT_EQ(press(3), Outcome::quit);
  EXPECT_EQ(press(26), Outcome::suspend);
  EXPECT_EQ(press(28), Outcome::abort);
  EXPECT_EQ(press(12), Outcome::redraw_all);
  EXPECT_EQ(press(U'M'), Outcome::toggle_mouse);
  EXPECT_EQ(press(key::other), Outcome::stay);
  EXPECT_EQ(view().message, "");
}

TEST_F(ControllerTest, AClickTogglesAndTheWheelScrolls) {
  const Layout layout = make_layout(24, 80);
  mouse(layout.keys.row, 3, MouseAct::press);
  EXPECT_EQ(source_.settings.pipe.write_with, WriteWith::vmsplice);
  mouse(layout.reader.row + 2, layout.reader.col + 2, MouseAct::press);
  EXPECT_EQ(view().focus, Role::reader);
  controller_.show(snapshot_, 16, 60);
  mouse(make_layout(16, 60).writer.row + 3, 2, MouseAct::wheel_down);
  EXPECT_EQ(view().list(Role::writer).scroll, 1) << "as far as the list goes";
  EXPECT_EQ(view().list(Role::reader).scroll, 0);
  EXPECT_EQ(mouse(make_layout(16, 60).keys.end_row() - 1, 57, MouseAct::press), Outcome::quit);
}

TEST(Keymap, NoKeyHasTwoMeanings) {
  std::set<Key> taken;
  for (const Controller::Binding& binding : Controller::bindings())
    EXPECT_TRUE(taken.insert(binding.key).second) << uint32_t(binding.key);
  for (const HotKey& hot : hot_keys(WorkloadKind::pipe)) {
    EXPECT_TRUE(taken.insert(Key(hot.key)).second) << hot.key;
    EXPECT_FALSE(hot.key >= '0' && hot.key <= '9');
  }
}

}  // namespace
}  // namespace pipetop::tui
