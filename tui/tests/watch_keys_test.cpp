// What the keys and the mouse do, in the table and in a pipeline.
#include "tui/tests/watch_fixture.h"

namespace pipetop::tui {
namespace {

class WatchKeys : public WatchTest {
 protected:
  PipeId top_pipe() const { return state().table.rows.rows().front().row->pipe.id; }
};

TEST_F(WatchKeys, EnterOpensThePipelineAndEscLeavesIt) {
  start(fake_watch(20));
  const uint64_t inode = top_pipe().inode;
  press(key::enter);
  EXPECT_TRUE(asked("open " + std::to_string(inode))) << "the top row, if nothing is selected";
  EXPECT_TRUE(state().in_pipeline);
  EXPECT_TRUE(shows("bottleneck: zstd")) << text();
  press(key::escape);
  EXPECT_TRUE(asked("close"));
  EXPECT_FALSE(state().in_pipeline);
  EXPECT_TRUE(shows("20 pipes")) << text();
  press(key::enter);
  press(key::backspace);
  EXPECT_FALSE(state().in_pipeline);
}

TEST_F(WatchKeys, APipeThatIsGoneCannotBeOpened) {
  start(fake_watch(20));
  source->refuses = "pipe 81001 is gone";
  press(key::enter);
  EXPECT_FALSE(state().in_pipeline);
  EXPECT_TRUE(shows("pipe 81001 is gone")) << text();
  start(fake_watch(0));
  press(key::enter);
  EXPECT_FALSE(state().in_pipeline);
}

TEST_F(WatchKeys, TheSelectedStageIsToldForItsFunctions) {
  open(fake_chain(4));
  EXPECT_TRUE(asked("select 4002")) << "the bottleneck, at first";
  press(key::down);
  EXPECT_TRUE(asked("select nothing")) << "a ring";
  press(key::down);
  EXPECT_TRUE(asked("select 4003"));
  press(key::left);
  press(key::left);
  EXPECT_EQ(source->asked.back(), "select 4002");
}

TEST_F(WatchKeys, EnterShowsFunctionsOrSlots) {
  open(fake_chain(4));
  press(key::enter);
  EXPECT_TRUE(shows("zstd 4002 · functions")) << text();
  EXPECT_TRUE(shows("mutex_spin_on_owner")) << text();
  type("jo/gup");
  EXPECT_TRUE(shows("gup_fast_fallback")) << text();
  EXPECT_FALSE(shows("mutex_spin_on_owner")) << text();
  press(key::escape);
  EXPECT_EQ(state().pipeline.choice.filter, "");
  type("fE");
  EXPECT_EQ(state().pipeline.choice.form, ListForm::tree);
  press(key::tab);
  EXPECT_TRUE(shows("→ ssh 4003")) << "the ring behind it\n" << text();
  EXPECT_TRUE(shows("tail ")) << text();
  press(key::right);
  EXPECT_TRUE(shows("slot ")) << text();
  press(key::right);
  press(key::escape);
  EXPECT_FALSE(state().pipeline.ring.inspected);
  press(key::back_tab);
  EXPECT_TRUE(shows("zstd 4002 · functions")) << text();
  press(key::escape);
  EXPECT_EQ(state().pipeline.focus, PipelineFocus::chain);
}

TEST_F(WatchKeys, TabGoesBetweenChainAndDetail) {
  open(fake_chain(4), 40, 120);
  press(key::tab);
  EXPECT_EQ(state().pipeline.focus, PipelineFocus::detail);
  press(key::down);
  EXPECT_EQ(state().pipeline.functions.selected, 0);
  press(key::tab);
  EXPECT_EQ(state().pipeline.focus, PipelineFocus::chain);
  resize(24, 80);
  press(key::tab);
  EXPECT_EQ(state().pipeline.focus, PipelineFocus::chain) << "there is no room for another panel";
  EXPECT_TRUE(shows("too small for a second panel")) << text();
}

TEST_F(WatchKeys, KKeepsWhatWasChanged) {
  open(fake_chain(4));
  type("K");
  EXPECT_TRUE(shows("nothing was changed")) << text();
  type("j}");
  press(key::enter);
  EXPECT_TRUE(shows("1 CHANGED")) << text();
  type("K");
  EXPECT_TRUE(shows("Keep what was changed?")) << text();
  press(key::escape);
  EXPECT_FALSE(asked("keep"));
  type("K");
  press(key::enter);
  EXPECT_TRUE(asked("keep"));
  EXPECT_FALSE(shows("1 CHANGED")) << text();
  type("u");
  EXPECT_TRUE(shows("nothing to undo")) << text();
  EXPECT_EQ(press(U'q'), Outcome::quit) << "without a question";
}

TEST_F(WatchKeys, BracesResizeTheSelectedRing) {
  start(fake_watch(20));
  const std::string inode = std::to_string(top_pipe().inode);
  type("}");
  EXPECT_TRUE(shows("no pipe is selected")) << "the busiest one is on top\n" << text();
  type("j}");
  press(key::enter);
  EXPECT_TRUE(asked("resize " + inode + " larger"));
  open(fake_chain(4));
  type("{");
  EXPECT_TRUE(shows("no ring is selected, but the stage zstd 4002")) << text();
  const std::string second = std::to_string(fake_chain(4).pipes[1].id.inode);
  type("j{");
  press(key::enter);
  EXPECT_TRUE(asked("resize " + second + " smaller"));
  EXPECT_TRUE(shows("resize " + second + " smaller")) << "what was done is said\n" << text();
  EXPECT_TRUE(shows("1 CHANGED")) << text();
  source->now.interventions[0].before_bytes_per_s = 100;
  source->now.interventions[0].after_bytes_per_s = 170;
  source->changed();
  tick(50);
  EXPECT_TRUE(shows("×1.70")) << "next to the ring\n" << text();
}

TEST_F(WatchKeys, TheFirstChangeOfASessionIsAskedFor) {
  for (const auto& [rows, cols] : kWatchSizes) {
    start(fake_watch(20), {}, rows, cols);
    const PipeRow row = *state().table.rows.rows().front().row;
    const std::string inode = std::to_string(row.pipe.id.inode);
    type("j}");
    EXPECT_TRUE(shows("Double pipe " + inode + "?")) << text();
    EXPECT_TRUE(shows("64 KiB → 128 KiB")) << text();
    for (const auto* ends : {&row.pipe.writers, &row.pipe.readers}) {
      const Stage& stage = row.stages[main_end(*ends)->stage];
      EXPECT_TRUE(shows(stage.name + " " + std::to_string(stage.id.pid) + ", user alice"))
          << text();
    }
    for (const Key key : {key::escape, Key(U' '), Key(U'}'), Key(U'q')}) {
      press(key);
      EXPECT_TRUE(shows("nothing was changed")) << text();
      EXPECT_FALSE(state().question);
      type("}");
    }
    EXPECT_FALSE(asked("resize " + inode + " larger"));
    press(key::enter);
    EXPECT_TRUE(asked("resize " + inode + " larger"));
    source->asked.clear();
    type("}");
    EXPECT_TRUE(asked("resize " + inode + " larger")) << "once";
  }
}

TEST_F(WatchKeys, ARingInThePlaceOfOneThatIsGoneIsNotResized) {
  open(fake_chain(4));
  type("j");
  source->now.watched->pipes[1].id.inode += 1000;
  source->changed();
  tick(50);
  ASSERT_NE(selected_pipe(state().pipeline), nullptr);
  type("}");
  EXPECT_TRUE(shows("no ring is selected")) << text();
}

TEST_F(WatchKeys, TheNextPressResizesTheSameRing) {
  start(fake_watch(20));
  const PipeId first = top_pipe();
  type("j}");
  press(key::enter);
  for (PipeRow& row : source->now.table.rows.own())
    if (row.pipe.id == first) row.pipe.bytes_per_s = Reading<double>::of(1);
  source->changed();
  tick(500);
  ASSERT_NE(top_pipe(), first) << "it came down in the table";
  source->asked.clear();
  type("}");
  EXPECT_TRUE(asked("resize " + std::to_string(first.inode) + " larger"));
}

TEST_F(WatchKeys, ARefusedChangeSaysWhy) {
  open(fake_chain(4));
  source->refuses = "EPERM: above /proc/sys/fs/pipe-max-size; sudo";
  type("j}");
  press(key::enter);
  EXPECT_TRUE(shows("above /proc/sys/fs/pipe-max-size")) << text();
  EXPECT_FALSE(controller->has_changes());
}

TEST_F(WatchKeys, XCountsExactlyAndSaysThePrice) {
  open(fake_chain(4));
  type("x");
  EXPECT_TRUE(asked("count"));
  EXPECT_TRUE(shows("every system call of this machine takes 0.2 to 0.3")) << text();
  EXPECT_TRUE(shows(" EXACT")) << text();
  type("x");
  EXPECT_TRUE(asked("don't count"));
  EXPECT_FALSE(shows(" EXACT")) << text();
}

TEST_F(WatchKeys, BytesAreCountedOnlyInAPipeline) {
  start(fake_watch(20), {}, 40, 160);
  EXPECT_FALSE(shows("exact bytes")) << text();
  type("x");
  EXPECT_FALSE(asked("count"));
  EXPECT_TRUE(shows("x does nothing here")) << text();
  press(key::enter);
  EXPECT_TRUE(shows("exact bytes")) << text();
}

TEST_F(WatchKeys, UndoAndPutBack) {
  open(fake_chain(4));
  type("u0");
  EXPECT_FALSE(asked("undo") || asked("undo all"));
  type("j}");
  press(key::enter);
  type("}u");
  EXPECT_TRUE(asked("undo"));
  EXPECT_EQ(source->now.interventions.size(), 1u);
  type("0");
  EXPECT_TRUE(asked("undo all"));
  EXPECT_FALSE(controller->has_changes());
}

TEST_F(WatchKeys, LeavingAsksWhatBecomesOfTheChanges) {
  open(fake_chain(4));
  EXPECT_EQ(press(U'q'), Outcome::quit) << "nothing was changed";
  type("j}");
  press(key::enter);
  EXPECT_EQ(press(U'q'), Outcome::stay);
  EXPECT_TRUE(shows("1 change is in place")) << text();
  EXPECT_TRUE(shows("Enter put back")) << text();
  EXPECT_EQ(press(key::escape), Outcome::stay);
  EXPECT_FALSE(state().leaving);
  press(U'q');
  EXPECT_EQ(press(key::enter), Outcome::quit);
  EXPECT_FALSE(controller->keeps_changes()) << "the screen puts them back when it is closed";
  EXPECT_EQ(press(U'k'), Outcome::quit);
  EXPECT_TRUE(controller->keeps_changes());
}

TEST_F(WatchKeys, WhatCannotBePutBackStaysOnTheScreen) {
  open(fake_chain(4));
  type("j}");
  press(key::enter);
  ASSERT_EQ(source->now.interventions.size(), 1u);
  source->now.interventions[0].waits = "131072 bytes are in the pipe; it is tried again";
  source->changed();
  tick(500);
  EXPECT_TRUE(shows("1 CHANGED")) << text();
  type("!");
  EXPECT_TRUE(shows("not put back: resize ")) << text();
}

TEST_F(WatchKeys, LeavingAFrozenScreenListsTheChanges) {
  open(fake_chain(4));
  type(" j}");
  press(key::enter);
  type("q");
  EXPECT_TRUE(shows("1 change is in place")) << text();
}

TEST_F(WatchKeys, CtrlCEndsWhateverIsOpen) {
  open(fake_chain(4));
  type("j}");
  press(key::enter);
  type("q");
  EXPECT_EQ(press(key::ctrl('C')), Outcome::interrupt);
  type("n");
  EXPECT_EQ(press(key::ctrl('\\')), Outcome::abort);
}

TEST_F(WatchKeys, SpaceFreezesTheScreen) {
  open(fake_chain(4));
  press(U' ');
  EXPECT_TRUE(shows(" FROZEN")) << text();
  source->now.watched->pipes[0].bytes_per_s = Reading<double>::of(1048576);
  source->changed();
  EXPECT_FALSE(tick(2000));
  EXPECT_TRUE(shows("~191 MiB/s"));
  press(U' ');
  EXPECT_TRUE(shows("~1.00 MiB/s")) << text();
  press(key::escape);
  press(U' ');
  press(key::enter);
  EXPECT_FALSE(state().frozen) << "another pipeline is not the frozen one";
  EXPECT_TRUE(state().pipeline.has_pipeline());
}

TEST_F(WatchKeys, HelpNamesTheKeysOfThePlace) {
  start(fake_watch(20), {}, 60, 200);
  type("?");
  for (const char* part : {"sort by another column", "tree:", "log of the changes", "estimated"})
    EXPECT_EQ(shows(part), std::string_view(part) != "log of the changes") << part << "\n"
                                                                           << text();
  press(key::escape);
  EXPECT_FALSE(state().help.open);
  open(fake_chain(4), 60, 200);
  press(key::f1);
  for (const char* part : {"log of the changes", "halve or double"})
    EXPECT_TRUE(shows(part)) << text();
  type("q");
  EXPECT_FALSE(state().help.open);
}

TEST_F(WatchKeys, MessagesAreKept) {
  open(fake_chain(4));
  source->now.notices = {{now_ns, Severity::info, "ssh 4003 has exited"}};
  source->changed();
  tick(50);
  EXPECT_TRUE(shows("ssh 4003 has exited")) << text();
  tick(20'000);
  EXPECT_FALSE(shows("ssh 4003 has exited")) << text();
  type("!");
  EXPECT_TRUE(shows("ssh 4003 has exited")) << text();
  type("q");
  EXPECT_FALSE(state().messages.open);
}

TEST_F(WatchKeys, WhatFailsIsToldForAsLongAsItDoes) {
  open(fake_chain(4));
  source->now.stale_because = "list of pipes: Too many open files; raise the limit";
  source->now.stale_since_ns = now_ns;
  source->changed();
  tick(50);
  EXPECT_TRUE(shows(" STALE")) << text();
  EXPECT_TRUE(shows("bottleneck: ")) << "the last picture stays\n" << text();
  tick(20'000);
  EXPECT_TRUE(shows("as of 20s ago, tried again: list of pipes: Too many open files")) << text();
  source->now.stale_because = "";
  source->changed();
  tick(50);
  EXPECT_FALSE(shows("STALE")) << text();
  EXPECT_FALSE(shows("as of")) << text();
}

TEST_F(WatchKeys, TheMouseSelectsAndOpens) {
  start(fake_watch(20));
  click(5, 10);
  EXPECT_EQ(selected_row(), 5);
  EXPECT_FALSE(state().in_pipeline);
  click(5, 10);
  EXPECT_TRUE(state().in_pipeline);
  click(row_of("ssh 4003"), 10);
  EXPECT_EQ(source->asked.back(), "select 4003");
  const int bar = row_of("Esc table");
  ASSERT_GT(bar, 0);
  click(bar, 2);
  EXPECT_FALSE(state().in_pipeline);
}

// Every key in every place, twice: nothing breaks, and nobody is left in a place without a way out.
TEST_F(WatchKeys, EveryKeyDoesSomethingOrSaysSo) {
  std::vector<Key> keys = {key::up,    key::down,      key::page_up, key::page_down, key::home,
                           key::end,   key::left,      key::right,   key::back_tab,  key::backspace,
                           key::other, key::f1,        key::f5,      key::f6,        key::tab,
                           key::enter, key::ctrl('L'), U'é',         U'日'};
  for (Key key = 0x20; key < 0x7F; ++key)
    if (key != U'q') keys.push_back(key);
  size_t number = 0;
  for (const Pipeline& pipeline :
       {fake_chain(4), fake_fork(), fake_warming(2), fake_ended(3, 3), fake_chain(1)}) {
    const auto& [rows, cols] = kWatchSizes[number++ % 3];
    open(pipeline, rows, cols);
    source->turns = 1;
    for (const Key first : keys) {
      for (const Key second : {first, key::enter, key::down}) press(second);
      canvas();
    }
    for (int i = 0; i < 8 && state().in_pipeline; ++i) press(key::escape);
    EXPECT_FALSE(state().in_pipeline) << pipeline.title();
    press(U'q');
    if (state().leaving) {
      EXPECT_EQ(press(U'p'), Outcome::quit);
    }
  }
}

}  // namespace
}  // namespace pipetop::tui
