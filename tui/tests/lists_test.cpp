// Handles the keys of the function lists.
#include <gtest/gtest.h>

#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/layout.h"
#include "tui/dashboard/messages.h"
#include "tui/tests/profiles.h"
#include "tui/tests/recording_source.h"
#include "tui/tests/snapshots.h"
#include "tui/widgets/workers.h"

namespace pipetop::tui {
namespace {

Snapshot snapshot_with(const FunctionTable& functions) {
  Snapshot s = example_snapshot();
  for (WorkerReadings& w : s.workers) {
    w.functions = Reading<FunctionTable>::of(functions);
    w.blocked = Reading<BlockedTable>::of(sleeping());
  }
  s.throughput.previous = nullptr;
  return s;
}

std::shared_ptr<const Segment> segment_with(const FunctionTable& functions) {
  Segment segment;
  segment.label = "write_with vmsplice";
  for (SegmentRole& role : segment.roles) role.functions = Reading<FunctionTable>::of(functions);
  return std::make_shared<const Segment>(segment);
}

class ListsTest : public testing::Test {
 protected:
  ListsTest() { resize(40, 120); }

  void resize(int rows, int cols) {
    rows_ = rows;
    cols_ = cols;
    show();
  }
  void show() { controller_.show(snapshot_, rows_, cols_); }
  void press(std::u32string_view keys) {
    for (const char32_t k : keys) controller_.handle({Input::Kind::key, k, {}});
  }
  void click(int row, int col) {
    controller_.handle({Input::Kind::mouse, 0, {row, col, MouseAct::press}});
  }
  const ListState& list() const { return controller_.state().list(Role::writer); }
  std::string selected() const {
    const CallRow* row = selected_row(list());
    return row ? std::string(row->name) : "";
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const CallRow& row : rows_of(list()))
      names.push_back(std::string(size_t(row.depth), '.') + std::string(row.name));
    return names;
  }
  std::string message() { return message_of(snapshot_, controller_.state()).text; }

  Snapshot snapshot_ = snapshot_with(writing());
  RecordingSource source_;
  Controller controller_{source_, Settings{}, article_presets()};
  int rows_ = 0, cols_ = 0;
};

using Names = std::vector<std::string>;

TEST_F(ListsTest, FlatOpensToMergedCallees) {
  EXPECT_EQ(names(), (Names{"copy_from_iter", "spin_on_owner", "[user]", "pipe_write", "entry_64",
                            "mutex_lock"}));
  press(U"jjjj+");
  EXPECT_EQ(selected(), "pipe_write");
  EXPECT_EQ(names()[4], ".copy_from_iter");
  EXPECT_EQ(names()[5], ".mutex_lock");
  press(U"\r");
  EXPECT_EQ(names().size(), 6u);
}

TEST_F(ListsTest, TheTreeOpensLevelByLevelOrWhole) {
  press(U"f");
  const Names hottest = {"entry_64", ".pipe_write", "..copy_from_iter", "..mutex_lock", "[user]"};
  EXPECT_EQ(names(), hottest);
  press(U"+");
  EXPECT_EQ(names(), (Names{"entry_64", "[user]"})) << "the first row, as none was";
  press(U"+");
  EXPECT_EQ(names(), hottest) << "and as it was";
  press(U"e");
  EXPECT_EQ(names().size(), 6u);
  press(U"e");
  EXPECT_EQ(names(), (Names{"entry_64", "[user]"}));
  press(U"Ejjj");
  EXPECT_EQ(selected(), "mutex_lock");
  press(U"C");
  EXPECT_EQ(names().size(), 2u);
  EXPECT_EQ(selected(), "entry_64") << "where the selection was";
}

TEST_F(ListsTest, TheRolesOpenApart) {
  press(U"fE");
  EXPECT_EQ(rows_of(controller_.state().list(Role::writer)).size(), 6u);
  EXPECT_EQ(rows_of(controller_.state().list(Role::reader)).size(), 5u) << "the hottest path";
}

TEST_F(ListsTest, SelectionAndFoldsSurviveNewSamples) {
  press(U"fEjjj");
  EXPECT_EQ(selected(), "copy_from_iter");
  snapshot_ = snapshot_with(table({{"entry_64;pipe_write;copy_from_iter", .1},
                                   {"entry_64;pipe_write;mutex_lock;spin_on_owner", .2},
                                   {"[user]", .7}}));
  show();
  EXPECT_EQ(names(), (Names{"[user]", "entry_64", ".pipe_write", "..mutex_lock", "...spin_on_owner",
                            "..copy_from_iter"}));
  EXPECT_EQ(selected(), "copy_from_iter");
  snapshot_ = snapshot_with(table({{"[user]", 1}}));
  show();
  EXPECT_EQ(selected(), "[user]") << "the last there is";
  snapshot_ = snapshot_with(writing());
  show();
  EXPECT_EQ(selected(), "copy_from_iter") << "it is back";
}

TEST_F(ListsTest, TheSelectedFunctionIsFoundInTheOtherForm) {
  press(U"jj");
  EXPECT_EQ(selected(), "spin_on_owner");
  press(U"fE");
  press(U"f");
  EXPECT_EQ(selected(), "spin_on_owner");
}

TEST_F(ListsTest, SortsBySelfOrChildrenEachFormOnItsOwn) {
  press(U"o");
  EXPECT_EQ(names()[0], "entry_64");
  press(U"f");
  EXPECT_EQ(controller_.state().choice.sort(), ListSort::children);
  press(U"o");
  EXPECT_EQ(names()[0], "[user]");
  press(U"f");
  EXPECT_EQ(names()[0], "entry_64") << "as it was left";
}

TEST_F(ListsTest, TheFilterIsALineToEdit) {
  press(U"/Mutw");
  EXPECT_EQ(message(), "/Mutw_   Enter keeps the filter, Esc drops it");
  EXPECT_EQ(names(), Names{});
  press({U"\x7f", 1});
  EXPECT_EQ(names(), (Names{"mutex_lock"}));
  press(U"\r");
  EXPECT_FALSE(controller_.state().choice.filter_before) << "the line is gone";
  press(U"f");
  EXPECT_EQ(names(), (Names{"entry_64", ".pipe_write", "..mutex_lock"})) << "open by itself";
  press(U"C");
  EXPECT_EQ(names(), (Names{"entry_64"})) << "unless told otherwise";
  press(U"/x\033");
  EXPECT_EQ(names().size(), 3u) << "the filter before, all of it open again";
  press(U"\033");
  EXPECT_EQ(names().size(), 5u) << "none";
}

TEST_F(ListsTest, KeysThatAreNoTextPassTheFilter) {
  press(U"/v");
  press({&key::down, 1});
  EXPECT_TRUE(source_.labels.empty()) << "v is text here";
  EXPECT_EQ(controller_.handle({Input::Kind::key, 3, {}}), Outcome::interrupt);
}

TEST_F(ListsTest, BackspaceTakesAWholeCharacter) {
  press(U"/aé");
  press({&key::backspace, 1});
  EXPECT_EQ(controller_.state().choice.filter, "a");
  press(U"\x15");
  EXPECT_EQ(controller_.state().choice.filter, "");
}

TEST_F(ListsTest, WhatTheRolesWaitInIsAnotherList) {
  press(U"w");
  EXPECT_EQ(names()[0], "schedule");
  EXPECT_EQ(controller_.state().choice.sort(), ListSort::self);
  press(U"fE");
  EXPECT_EQ(names(), (Names{"entry_64", ".pipe_write", "..schedule", ".mutex_lock", "..schedule"}));
  press(U"w");
  EXPECT_EQ(names().back(), "[user]");
}

TEST_F(ListsTest, WallTimeSaysWhyItCannotBeHad) {
  snapshot_.workers[0].shares.runnable = Reading<double>::unavailable("no schedstat");
  press(U"%");
  EXPECT_EQ(names(), Names{});
  EXPECT_EQ(list().contents.rows.reason, "no schedstat");
  press(U"%");
  EXPECT_FALSE(names().empty());
}

TEST_F(ListsTest, EverythingComparesWithTheSegmentBefore) {
  EXPECT_FALSE(list().contents.compared);
  snapshot_.throughput.previous =
      segment_with(table({{"entry_64;pipe_write", .5}, {"[user]", .5}}));
  show();
  EXPECT_TRUE(list().contents.compared);
  EXPECT_EQ(list().contents.reference, "prev");
  EXPECT_DOUBLE_EQ(*rows_of(list())[2].change, -.3);
  snapshot_.throughput.previous = segment_with({});
  show();
  EXPECT_FALSE(list().contents.compared) << "no samples, so nothing is known";
}

TEST_F(ListsTest, AIsComparedWithUntilItIsLetGo) {
  source_.present = *segment_with(table({{"[user]", 1}}));
  press(U"a");
  EXPECT_EQ(list().contents.reference, "A");
  EXPECT_EQ(message(),
            "comparing with A: \"write_with vmsplice\"; change something, and a compares in turns");
  snapshot_.throughput.previous = segment_with(writing());
  show();
  EXPECT_EQ(list().contents.reference, "A") << "whatever changes";
  EXPECT_DOUBLE_EQ(*rows_of(list())[2].change, -.8);
  press(U"a");
  EXPECT_EQ(list().contents.reference, "prev");
}

TEST_F(ListsTest, ASegmentKnowsWhatWasWaitedIn) {
  snapshot_.throughput.previous = segment_with(writing());
  press(U"w");
  EXPECT_FALSE(list().contents.compared) << "of this one it is not known";
  Segment slept;
  for (SegmentRole& role : slept.roles) role.blocked = Reading<BlockedTable>::of(sleeping());
  snapshot_.throughput.previous = std::make_shared<const Segment>(slept);
  show();
  EXPECT_TRUE(list().contents.compared);
  EXPECT_DOUBLE_EQ(*rows_of(list())[0].change, 0);
}

TEST_F(ListsTest, RowsAreMadeAgainOnlyForAReason) {
  const CallRow* before = rows_of(list()).data();
  show();
  EXPECT_EQ(rows_of(list()).data(), before);
  snapshot_ = snapshot_with(writing());
  show();
  EXPECT_NE(list().contents.source.now.tree, nullptr);
  EXPECT_EQ(list().contents.source.now.tree, snapshot_.workers[0].functions->tree);
}

TEST_F(ListsTest, AClickSelectsAndASecondOneOpens) {
  const Layout layout = make_layout(rows_, cols_);
  const Rect panel = inside(layout, layout.writer);
  const int header = panel.rows - function_rows(list_of(layout, Role::writer)) - 1;
  press(U"f");
  click(panel.row + header, panel.col);
  EXPECT_EQ(selected(), "") << "that is the header";
  click(panel.row + header + 1, panel.col);
  EXPECT_EQ(selected(), "entry_64");
  click(panel.row + header + 1, panel.col);
  EXPECT_EQ(names().size(), 2u);
}

TEST_F(ListsTest, TheSelectionIsNamedWithItsCallers) {
  press(U"fEjjjj");
  controller_.set_time(10'000'000'000);
  EXPECT_EQ(message(),
            "takes the pipe's mutex, which writer and reader need for every call · mutex_lock ← "
            "pipe_write ← entry_64");
}

TEST_F(ListsTest, TheSmallestScreenScrollsToTheSelection) {
  resize(16, 60);
  press(U"fEjjjjjj");
  EXPECT_EQ(selected(), "[user]");
  EXPECT_GT(list().scroll, 0);
}

TEST_F(ListsTest, TheLogScrollsAndCloses) {
  for (int i = 0; i < 60; ++i) snapshot_.throughput.segments.push_back(segment_with(writing()));
  press(U"Ljj");
  EXPECT_TRUE(controller_.state().log.open);
  EXPECT_EQ(controller_.state().log.scroll, 2);
  EXPECT_EQ(selected(), "");
  press({&key::end, 1});
  EXPECT_GT(controller_.state().log.scroll, 20);
  EXPECT_LT(controller_.state().log.scroll, 61);
  press(U"\033");
  EXPECT_FALSE(controller_.state().log.open);
}

}  // namespace
}  // namespace pipetop::tui
