// The table of all pipes: which rows there are, their order, and what a row says.
#include <algorithm>
#include <set>

#include "tui/tests/watch_fixture.h"
#include "tui/watch/table.h"

namespace pipetop::tui {
namespace {

PipeRow& pipe_row(Snapshot& snapshot, uint64_t inode) {
  for (PipeRow& row : snapshot.table.rows.own())
    if (row.pipe.id.inode == inode) return row;
  throw std::runtime_error("no such pipe");
}

std::vector<uint64_t> inodes(const TableRows& rows) {
  std::vector<uint64_t> numbers;
  for (const TableRow& row : rows.rows()) numbers.push_back(row.row->pipe.id.inode);
  return numbers;
}

class WatchTable : public WatchTest {
 protected:
  // Chains of two with these rates, from pipe 1 on.
  static Snapshot pipes(const std::vector<double>& rates) {
    Snapshot snapshot = fake_watch(0);
    for (size_t i = 0; i < rates.size(); ++i) add_pipe(snapshot, i + 1, rates[i]);
    return snapshot;
  }
  static void add_pipe(Snapshot& snapshot, uint64_t inode, double rate) {
    PipeRow row = fake_watch(1).table.rows.front();
    row.pipe.id.inode = inode;
    row.pipe.bytes_per_s = Reading<double>::of(rate);
    row.pipe.first_seen_ns = 1;
    row.pipeline = inode;
    for (Stage& stage : row.stages) {
      stage.state = {StageState::Kind::running, WaitsFor::none, {}};
      stage.command = stage.name += std::to_string(inode);
    }
    snapshot.table.rows.push_back(std::move(row));
  }
  void show(Snapshot next) {
    next.now_ns = now_ns;
    source->now = std::move(next);
    source->changed();
    tick(500);
  }
};

TEST_F(WatchTable, SaysWhoWritesAndWhoReadsAndHowFullItIs) {
  start(fake_watch(60));
  for (const char* part : {"tar 4101:1", "zstd 4102:0", "~191 MiB/s", "97 %", "64K/64K", "60 pipes",
                           "9 hidden", "12 idle sockets", "▾rate", "yes 4301:1 +1"})
    EXPECT_TRUE(shows(part)) << part << "\n" << text();
  resize(40, 120);
  for (const char* part : {"blocked", "running", "disk", "other pipe", "writer state", "64 KiB"})
    EXPECT_TRUE(shows(part)) << part << "\n" << text();
  resize(60, 200);
  type("/backup.fifo");
  EXPECT_TRUE(shows("/tmp/backup.fifo")) << text();
}

TEST_F(WatchTable, WhatIsUnknownIsNeverZero) {
  Snapshot snapshot = fake_watch(0);
  Pipeline unknown = fake_warming(3);
  for (Pipe& pipe : unknown.pipes) pipe.capacity.reset(), pipe.queued.reset();
  for (const PipeRow& row : fake_watch(0, unknown).table.rows) snapshot.table.rows.push_back(row);
  for (const auto& [rows, cols] : kWatchSizes) {
    start(snapshot, {}, rows, cols);
    const std::string all = text();
    EXPECT_EQ(all.find(" 0 %"), std::string::npos) << all;
    EXPECT_EQ(all.find("0 B"), std::string::npos) << all;
    EXPECT_NE(all.find("…"), std::string::npos) << all;
  }
}

TEST_F(WatchTable, ALockedPipeIsMarked) {
  Snapshot snapshot = pipes({5e6});
  Pipe& pipe = pipe_row(snapshot, 1).pipe;
  pipe.lock = PipeLock{{4101, 7}, "tar", "splice"};
  pipe.capacity.reset();
  pipe.queued.reset();
  start(snapshot);
  EXPECT_TRUE(shows(" L ")) << text();
  EXPECT_TRUE(shows(" locked ")) << text();
  EXPECT_FALSE(shows("?/?")) << text();
  resize(40, 200);
  EXPECT_TRUE(shows("1 locked: a splice of 41")) << text();
}

TEST_F(WatchTable, IdleAndOwnPipesAreCountedAndShownByAKey) {
  Snapshot snapshot = pipes({5e6, 0, 0, 3});
  pipe_row(snapshot, 4).pipe.own = true;
  start(snapshot);
  EXPECT_EQ(inodes(state().table.rows), (std::vector<uint64_t>{1}));
  EXPECT_TRUE(shows("3 hidden"));
  type("i");
  EXPECT_EQ(state().table.rows.rows().size(), 4u);
  EXPECT_FALSE(shows(" hidden"));
}

TEST_F(WatchTable, AWriterThatIsStuckIsNotIdle) {
  Snapshot snapshot = pipes({0, 0});
  PipeRow& row = pipe_row(snapshot, 2);
  row.stages[row.pipe.writers[0].stage].state = {StageState::Kind::waiting, WaitsFor::pipe_write,
                                                 row.pipe.id};
  start(snapshot);
  EXPECT_EQ(inodes(state().table.rows), (std::vector<uint64_t>{2}));
  pipe_row(snapshot, 1).pipe.bytes_per_s = Reading<double>::unavailable("needs root");
  show(snapshot);
  EXPECT_EQ(state().table.rows.rows().size(), 2u) << "nobody knows whether it is idle";
}

TEST_F(WatchTable, EmptyTablesSayWhy) {
  start(fake_watch(0));
  EXPECT_TRUE(shows("no pipes")) << text();
  start(pipes({0}));
  EXPECT_TRUE(shows("i shows 1 idle")) << text();
  type("/zstd1");
  EXPECT_TRUE(shows("no active pipes match; i shows 1 idle")) << text();
  press(key::escape);
  type("i/nobody");
  EXPECT_TRUE(shows("no pipe matches \"nobody\"")) << text();
}

TEST_F(WatchTable, OnlyWhatTheFilterWouldShowIsCountedAsHidden) {
  start(pipes({5, 0, 0}));
  EXPECT_TRUE(shows("2 hidden")) << text();
  type("/zstd2");
  EXPECT_TRUE(shows("1 hidden")) << text();
}

TEST_F(WatchTable, SortsByEveryColumn) {
  start(pipes({3, 9, 5}));
  EXPECT_EQ(inodes(state().table.rows), (std::vector<uint64_t>{2, 3, 1}));
  std::set<PipeSort> seen;
  for (int i = 0; i < 8; ++i) {
    type(">");
    seen.insert(state().table.choice.sort);
    EXPECT_TRUE(shows("▾")) << text();
  }
  EXPECT_EQ(seen.size(), 8u);
  EXPECT_EQ(state().table.choice.sort, PipeSort::rate);
  type("<");
  EXPECT_EQ(state().table.choice.sort, PipeSort::reader);
  press(key::f6);
  EXPECT_EQ(state().table.choice.sort, PipeSort::rate);
}

TEST_F(WatchTable, FiltersWhileItIsTyped) {
  start(pipes({3, 9, 5}));
  type("/ZSTD2");
  EXPECT_EQ(inodes(state().table.rows), (std::vector<uint64_t>{2}));
  EXPECT_TRUE(shows("/ZSTD2_")) << text();
  press(key::backspace);
  EXPECT_EQ(state().table.rows.rows().size(), 3u);
  press(key::enter);
  EXPECT_EQ(state().table.choice.filter, "ZSTD");
  EXPECT_TRUE(shows("/ZSTD")) << "in the title";
  press(key::escape);
  EXPECT_EQ(state().table.choice.filter, "");
  type("\\q");
  EXPECT_EQ(state().table.choice.filter, "q") << "no key but a letter";
  press(key::escape);
  EXPECT_EQ(state().table.choice.filter, "");
}

TEST_F(WatchTable, TheSelectionFollowsThePipe) {
  start(pipes({9, 8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(selected_row(), -1) << "until somebody moves";
  type("j");
  EXPECT_EQ(selected_row(), 2) << "the top row";
  type("jj");
  EXPECT_EQ(state().table.selected->inode, 3u);
  show(pipes({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(inodes(state().table.rows).front(), 9u);
  EXPECT_EQ(state().table.selected->inode, 3u);
  EXPECT_EQ(state().table.at, 6);
}

TEST_F(WatchTable, ASelectedPipeThatPausesStaysSelected) {
  start(pipes({9, 8, 7}));
  type("jj");
  EXPECT_EQ(state().table.selected->inode, 2u);
  show(pipes({9, 0, 7}));
  EXPECT_EQ(state().table.selected->inode, 2u);
  EXPECT_EQ(inodes(state().table.rows), (std::vector<uint64_t>{1, 3, 2}));
  type("k");
  EXPECT_EQ(inodes(state().table.rows), (std::vector<uint64_t>{1, 3})) << "hidden when it is left";
}

TEST_F(WatchTable, NothingIsSelectedInPlaceOfAPipeThatIsGone) {
  start(pipes({9, 8, 7}));
  type("jj");
  source->now.table.rows.own().erase(source->now.table.rows.own().begin() + 1);
  for (const uint64_t ms : {500, 4000}) {  // it is marked as closed for a moment
    source->changed();
    tick(ms);
  }
  EXPECT_EQ(selected_row(), -1);
  EXPECT_FALSE(state().table.selected);
  type("}");
  EXPECT_TRUE(shows("no pipe is selected")) << text();
  type("j");
  EXPECT_EQ(state().table.selected->inode, 3u) << "what has come into its place";
}

TEST_F(WatchTable, SaysWhatIsNotKnownYetAndWhatIsLeftOut) {
  Snapshot none = pipes({});
  none.table.has_passed = false;
  start(none);
  EXPECT_TRUE(shows("Scanning all pipes of this machine")) << text();
  Snapshot some = pipes({9, 8});
  some.table.left_out = {{{4711, 1}, 500}};
  show(some);
  EXPECT_FALSE(shows("Scanning")) << text();
  EXPECT_TRUE(shows("500 pipe ends are left out: process 4711")) << text();
}

TEST_F(WatchTable, OfAThousandDescriptorsSomeAreNamed) {
  Snapshot some = pipes({9});
  std::vector<StageEnd>& writers = some.table.rows.own()[0].pipe.writers;
  writers.resize(1000, writers[0]);
  start(some, {}, 60, 200);
  type("j");
  EXPECT_TRUE(shows("and 984")) << text();
}

TEST_F(WatchTable, TheRowsAreThoseOfTheLastPassOnEveryScreen) {
  start(pipes({9, 8, 7}), {}, 10, 40);
  EXPECT_EQ(inodes(state().table.rows), (std::vector<uint64_t>{1, 2, 3}));
  show(pipes({9, 8}));
  const PipeRow* first = state().table.rows.rows()[0].row;
  EXPECT_EQ(first, state().table.rows.find(first->pipe.id));
}

TEST_F(WatchTable, TheSelectedRowStaysOnItsLine) {
  std::vector<double> rates;
  for (int i = 0; i < 100; ++i) rates.push_back(1000 - i);
  start(pipes(rates));
  press(key::page_down);
  type("jjj");
  const int line = selected_row();
  const auto selected = state().table.selected;
  rates[70] = 2000, rates[71] = 2001, rates[72] = 2002;  // come before it
  show(pipes(rates));
  EXPECT_EQ(state().table.selected, selected);
  EXPECT_EQ(selected_row(), line);
}

TEST_F(WatchTable, MarksNewAndEndedRowsForAMoment) {
  start(pipes({5, 4}));
  EXPECT_TRUE(std::ranges::all_of(state().table.rows.rows(),
                                  [](const TableRow& row) { return row.mark == RowMark::none; }));
  Snapshot next = pipes({5});
  add_pipe(next, 7, 3);
  pipe_row(next, 7).pipe.first_seen_ns = now_ns + 1;
  show(next);
  const auto mark = [&](uint64_t inode) {
    for (const TableRow& row : state().table.rows.rows())
      if (row.row->pipe.id.inode == inode) return row.mark;
    return RowMark::none;
  };
  EXPECT_EQ(inodes(state().table.rows), (std::vector<uint64_t>{1, 2, 7})) << text();
  EXPECT_EQ(mark(1), RowMark::none);
  EXPECT_EQ(mark(2), RowMark::ended);
  EXPECT_EQ(mark(7), RowMark::added);
  EXPECT_EQ(lines()[3].substr(0, 1), "-");
  now_ns += 3'500'000'000;
  show(next);
  EXPECT_EQ(inodes(state().table.rows), (std::vector<uint64_t>{1, 7}));
  EXPECT_EQ(mark(7), RowMark::none);
}

TEST_F(WatchTable, EndedPipesAreNoPipelineWithEachOther) {
  const auto pass = [&](std::vector<double> rates, size_t gone) {
    Snapshot next = pipes(rates);
    std::erase_if(next.table.rows.own(),
                  [&](const PipeRow& row) { return row.pipe.id.inode <= gone; });
    return next;
  };
  start(pipes({9, 8, 7, 6}));
  type("t");
  show(pass({9, 8, 7, 6}, 1));
  now_ns += 2'000'000'000;
  show(pass({9, 8, 7, 6}, 2));
  now_ns += 500'000'000;  // the first one is no longer marked
  show(pass({9, 8, 7, 6}, 3));
  EXPECT_EQ(inodes(state().table.rows), (std::vector<uint64_t>{2, 3, 4}));
  for (const TableRow& row : state().table.rows.rows()) EXPECT_EQ(row.bracket, Bracket::none);
}

TEST_F(WatchTable, TheLegendExplainsWhatIsShown) {
  start(pipes({5, 4}));
  EXPECT_TRUE(shows("R running")) << text();
  EXPECT_FALSE(shows("- closed")) << text();
  resize(40, 160);
  EXPECT_FALSE(shows("R running")) << "it is in words\n" << text();
  EXPECT_TRUE(shows("~ estimated")) << text();
  show(pipes({5}));
  EXPECT_TRUE(shows("- closed")) << text();
}

TEST_F(WatchTable, ATreeKeepsPipelinesTogether) {
  Snapshot snapshot = fake_watch(0, fake_fork());
  add_pipe(snapshot, 5, 1e12);
  start(snapshot);
  type("t");
  const auto& rows = state().table.rows.rows();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].row->pipe.id.inode, 5u);
  EXPECT_EQ(rows[0].bracket, Bracket::none);
  EXPECT_EQ(rows[1].bracket, Bracket::first);
  EXPECT_EQ(rows[1].depth, 0);
  EXPECT_EQ(rows[2].bracket, Bracket::middle);
  EXPECT_EQ(rows[2].depth, 1) << "behind the fork";
  EXPECT_EQ(rows[3].bracket, Bracket::last);
  EXPECT_TRUE(shows("tree by rate")) << text();
  press(key::f5);
  EXPECT_FALSE(state().table.choice.tree);
}

TEST_F(WatchTable, ATreeHasEveryRowOnce) {
  start(fake_watch(500));
  type("it");
  std::set<uint64_t> seen;
  for (const TableRow& row : state().table.rows.rows()) seen.insert(row.row->pipe.id.inode);
  EXPECT_EQ(seen.size(), 500u);
  EXPECT_EQ(state().table.rows.rows().size(), 500u);
}

// It reads and writes all of them: each row is passed once, or this would take minutes.
TEST_F(WatchTable, OneProcessCanHoldThousandsOfPipes) {
  Snapshot snapshot = fake_watch(0);
  const PipeRow usual = fake_watch(1).table.rows.front();
  std::vector<PipeRow> rows(6000, usual);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].pipe.id.inode = i + 1;
    rows[i].pipeline = 1;
    for (auto* ends : {&rows[i].pipe.writers, &rows[i].pipe.readers})
      for (StageEnd& end : *ends) end.end.process = usual.stages[0].id;
  }
  snapshot.table.rows = std::move(rows);
  start(snapshot);
  type("t");
  EXPECT_EQ(state().table.rows.rows().size(), 6000u);
}

TEST_F(WatchTable, ColumnsFillTheWidthAndKeepApart) {
  for (int cols = 60; cols <= 260; ++cols) {
    for (const bool tree : {false, true}) {
      const auto columns = table_columns(cols, tree);
      int end = 0;
      for (const PlacedColumn& column : columns) {
        EXPECT_EQ(column.col, end) << cols;
        EXPECT_GT(column.cols, 0) << cols;
        end = column.col + column.cols;
      }
      EXPECT_EQ(end, cols);
      const auto has = [&](TableColumn what) {
        return std::ranges::find(columns, what, &PlacedColumn::what) != columns.end();
      };
      EXPECT_TRUE(has(TableColumn::writer) && has(TableColumn::reader) && has(TableColumn::rate));
      EXPECT_TRUE(has(TableColumn::full)) << cols;
      EXPECT_FALSE(has(TableColumn::level) && has(TableColumn::size)) << cols;
    }
  }
}

}  // namespace
}  // namespace pipetop::tui
