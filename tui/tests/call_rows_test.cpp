// Rows of function lists, by what they say rather than how they look.
#include "tui/widgets/call_rows.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tui/tests/fake_profiles.h"
#include "tui/widgets/list_state.h"

namespace pipetop::tui {
namespace {

CallProfile profile(std::initializer_list<FakeStack> stacks, uint64_t whole = 1000) {
  CallProfile p;
  p.tree = std::make_shared<const CallTree>(
      tree_of({stacks.begin(), stacks.size()}, whole, [] { return 1.0; }));
  p.whole = whole;
  return p;
}

// A mutex is taken by two callers, one of them through another function.
CallProfile pipe_profile() {
  return profile({{"entry;write;copy", .40},
                  {"entry;write;lock;spin", .20},
                  {"entry;write;lock", .05},
                  {"entry;wake;lock;spin", .10},
                  {"entry;wake", .05},
                  {"[user]", .20}});
}

std::vector<std::string> said(const CallRows& rows) {
  std::vector<std::string> lines;
  for (const CallRow& row : rows) {
    const char fold = row.fold == Fold::none ? ' ' : row.fold == Fold::open ? '-' : '+';
    lines.push_back(fmt::format("{}{}{} {:.0f} {:.0f}", std::string(size_t(row.depth), '.'), fold,
                                row.name, row.self * 100, row.total * 100));
    if (row.change) lines.back() += fmt::format(" {:+.0f}", *row.change * 100);
    if (row.novelty == Novelty::added) lines.back() += " new";
    if (row.novelty == Novelty::vanished) lines.back() += " gone";
    if (row.is_heading()) lines.back() = std::string(row.name);
  }
  return lines;
}
using Said = std::vector<std::string>;

const RowsChoice kFlat = {ListForm::flat, ListSort::self, {}};
const RowsChoice kTree = {ListForm::tree, ListSort::children, {}};
const Folds kUntouched, kOpen(true);
const Folds kClosed = [] {
  Folds folds;
  folds.set_all(false);
  return folds;
}();

PathId path_of(const CallRows& rows, std::string_view name) {
  return std::ranges::find(rows, name, &CallRow::name)->path;
}

TEST(CallRows, FlatMergesAllPlacesOfAFunction) {
  EXPECT_EQ(said(make_rows(pipe_profile(), nullptr, kFlat, kClosed)),
            (Said{" copy 40 40", " spin 30 30", " [user] 20 20", "+lock 5 35", "+wake 5 15",
                  "+entry 0 80", "+write 0 65"}));
}

TEST(CallRows, AFlatFunctionOpensToItsMergedCallees) {
  Folds folds;
  folds.set_level(path_of(make_rows(pipe_profile(), nullptr, kFlat, folds), "lock"), true);
  const CallRows rows = make_rows(pipe_profile(), nullptr, kFlat, folds);
  EXPECT_EQ(said(rows)[3], "-lock 5 35");
  EXPECT_EQ(said(rows)[4], ". spin 30 30") << "both callers' spinning";
  EXPECT_EQ(rows[4].parent, 3);
}

TEST(CallRows, ATreeIsOpenAlongItsHottestPath) {
  Folds folds;
  CallRows rows = make_rows(pipe_profile(), nullptr, kTree, folds);
  EXPECT_EQ(said(rows), (Said{"-entry 0 80", ".-write 0 65", ".. copy 40 40", "..+lock 5 25",
                              ".+wake 5 15", " [user] 20 20"}));
  folds.set_level(path_of(rows, "write"), false);
  rows = make_rows(pipe_profile(), nullptr, kTree, folds);
  EXPECT_EQ(said(rows), (Said{"-entry 0 80", ".+write 0 65", ".+wake 5 15", " [user] 20 20"}));
  EXPECT_EQ(said(make_rows(pipe_profile(), nullptr, kFlat, kUntouched))[3], "+lock 5 35");
}

TEST(CallRows, TheTreeGoesFromCallersToCallees) {
  EXPECT_EQ(said(make_rows(pipe_profile(), nullptr, kTree, kClosed)),
            (Said{"+entry 0 80", " [user] 20 20"}));
  EXPECT_EQ(said(make_rows(pipe_profile(), nullptr, kTree, kOpen)),
            (Said{"-entry 0 80", ".-write 0 65", ".. copy 40 40", "..-lock 5 25", "... spin 20 20",
                  ".-wake 5 15", "..-lock 0 10", "... spin 10 10", " [user] 20 20"}));
}

TEST(CallRows, RailsTellWhereSiblingsFollow) {
  const CallRows rows = make_rows(pipe_profile(), nullptr, kTree, kOpen);
  const auto follows = [&](size_t row, int depth) { return (rows[row].rails >> depth & 1) != 0; };
  EXPECT_TRUE(follows(2, 2));   // lock after copy
  EXPECT_FALSE(follows(3, 2));  // nothing after lock
  EXPECT_TRUE(follows(4, 1)) << "below write, wake follows";
  EXPECT_FALSE(follows(7, 1));
}

TEST(CallRows, SortsByWhatIsAsked) {
  const CallRows rows =
      make_rows(pipe_profile(), nullptr, {ListForm::flat, ListSort::children, {}}, kClosed);
  EXPECT_EQ(rows[0].name, "entry");
  EXPECT_EQ(rows[1].name, "write");
  EXPECT_EQ(rows[2].name, "copy");
}

TEST(CallRows, RecursionIsNotCountedTwice) {
  const CallProfile p = profile({{"f;g;f", .60}, {"f", .40}});
  EXPECT_EQ(said(make_rows(p, nullptr, kFlat, kClosed)), (Said{"+f 100 100", "+g 0 60"}));
  EXPECT_EQ(said(make_rows(p, nullptr, kFlat, kOpen)),
            (Said{"-f 100 100", ".-g 0 60", ".. f 60 60", "-g 0 60", ". f 60 60"}));
}

TEST(CallRows, AFilterLeavesMatchesAndInTheTreeTheirCallers) {
  RowsChoice flat = kFlat, tree = kTree;
  flat.filter = tree.filter = "LOC";
  EXPECT_EQ(said(make_rows(pipe_profile(), nullptr, flat, kClosed)), (Said{"+lock 5 35"}));
  EXPECT_EQ(said(make_rows(pipe_profile(), nullptr, flat, kOpen)),
            (Said{"-lock 5 35", ". spin 30 30"}));
  EXPECT_EQ(said(make_rows(pipe_profile(), nullptr, tree, kOpen)),
            (Said{"-entry 0 80", ".-write 0 65", ".. lock 5 25", ".-wake 5 15", ".. lock 0 10"}));
  tree.filter = "nothing";
  EXPECT_EQ(said(make_rows(pipe_profile(), nullptr, tree, kOpen)), Said{});
}

TEST(CallRows, ChangesAreToldByFunction) {
  const CallProfile before = profile({{"entry;write;copy", .30},
                                      {"entry;old", .20},
                                      {"entry;rare", .004},
                                      {"entry;read;lock", .05},
                                      {"[user]", .446}});
  EXPECT_EQ(said(make_rows(pipe_profile(), &before, kFlat, kClosed)),
            (Said{" copy 40 40 +10", " spin 30 30 +30 new", " [user] 20 20 -25", "+lock 5 35 +0",
                  "+wake 5 15 +5 new", "+entry 0 80 +0", "+write 0 65 +0", "no longer seen",
                  " old 0 0 -20 gone"}));
}

TEST(CallRows, ChangesInTheTreeAreToldByPath) {
  const CallProfile before = profile(
      {{"entry;write;copy", .50}, {"entry;write;gone", .10}, {"entry;wake;lock;spin", .40}});
  const CallRows rows = make_rows(pipe_profile(), &before, kTree, kOpen);
  EXPECT_EQ(said(rows),
            (Said{"-entry 0 80 -20", ".-write 0 65 +5", ".. copy 40 40 -10", "..-lock 5 25 +25 new",
                  "... spin 20 20 +20 new", ".. gone 0 0 -10 gone", ".-wake 5 15 -25",
                  "..-lock 0 10 -30", "... spin 10 10 -30", " [user] 20 20 +20 new"}));
}

TEST(CallRows, WithoutPathsBeforeOnlyFunctionsAreCompared) {
  CallProfile before = profile({{"lock", .35}, {"spin", .10}});
  before.tree = flat_tree(function_rows(*before.tree));
  const CallRows tree = make_rows(pipe_profile(), &before, kTree, kOpen);
  for (const CallRow& row : tree) EXPECT_FALSE(row.change) << row.name;
  const CallRows flat = make_rows(pipe_profile(), &before, kFlat, kOpen);
  for (const CallRow& row : flat) EXPECT_EQ(row.change.has_value(), row.depth == 0) << row.name;
}

TEST(CallRows, WithoutAReferenceNoChangeIsKnown) {
  for (const CallRow& row : make_rows(pipe_profile(), nullptr, kFlat, kOpen)) {
    EXPECT_FALSE(row.change);
    EXPECT_EQ(row.novelty, Novelty::none);
  }
}

TEST(CallRows, WallTimeAddsUp) {
  const TimeShares wall = {Reading<double>::of(.8), Reading<double>::of(.05),
                           Reading<double>::of(.15)};
  const Reading<CallProfile> now = of_wall_time(pipe_profile(), Activity::running, wall);
  for (const RowsChoice& choice : {kFlat, kTree}) {
    const CallRows rows = make_rows(*now, nullptr, choice, kClosed);
    double sum = 0;
    for (const CallRow& row : rows) sum += choice.form == ListForm::flat ? row.self : row.total;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
  EXPECT_EQ(said(make_rows(*now, nullptr, kTree, kClosed)),
            (Said{"+entry 0 64", " [user] 16 16", " [blocked] 15 15", " [runnable] 5 5"}));
  const Reading<CallProfile> waiting = of_wall_time(pipe_profile(), Activity::waiting, wall);
  EXPECT_EQ(
      said(make_rows(*waiting, &*waiting, kTree, kClosed)),
      (Said{" [running] 80 80 +0", "+entry 0 12 +0", " [runnable] 5 5 +0", " [user] 3 3 +0"}));
}

TEST(CallRows, WallTimeNeedsAllItsParts) {
  TimeShares wall = {Reading<double>::of(.8), Reading<double>::unavailable("no schedstat"),
                     Reading<double>::of(.15)};
  const Reading<CallProfile> p = of_wall_time(pipe_profile(), Activity::running, wall);
  EXPECT_EQ(p.status, ReadingStatus::unavailable);
  EXPECT_EQ(p.reason, "no schedstat");
}

TEST(CallRows, NothingOfNothingIsNoShare) {
  const CallProfile none = profile({}, 0);
  EXPECT_EQ(said(make_rows(none, nullptr, kFlat, kOpen)), Said{});
  EXPECT_EQ(said(make_rows(none, nullptr, kTree, kOpen)), Said{});
}

TEST(CallRows, ThePathIsThatOfTheNames) {
  const Function a("a"), b("b");
  EXPECT_NE(path_id(path_id(0, a), b), path_id(path_id(0, b), a));
  const CallRows first = make_rows(pipe_profile(), nullptr, kTree, kOpen);
  const CallRows again =
      make_rows(profile({{"[user]", .5}, {"entry;wake;lock", .3}, {"entry;write;copy", .2}}),
                nullptr, kTree, kOpen);
  EXPECT_EQ(path_of(first, "wake"), path_of(again, "wake"));
  EXPECT_EQ(first[6].path, path_of(again, "lock")) << "below wake, not below write";
}

TEST(Folds, TheNewestWordCounts) {
  Folds folds;
  const PathId top = path_id(0, Function("top")), leaf = path_id(top, Function("leaf"));
  const auto leaf_open = [&] { return folds.at(leaf, folds.at(top, folds.top()).below).open; };
  EXPECT_FALSE(leaf_open());
  folds.set_level(top, true);
  EXPECT_TRUE(folds.at(top, folds.top()).open);
  EXPECT_FALSE(leaf_open());
  folds.set_entry(top, true);
  EXPECT_TRUE(leaf_open());
  folds.set_level(leaf, false);
  EXPECT_FALSE(leaf_open());
  folds.set_entry(top, true);
  EXPECT_TRUE(leaf_open());
  folds.set_all(false);
  EXPECT_FALSE(folds.at(top, folds.top()).open);
  EXPECT_FALSE(leaf_open());
}

}  // namespace
}  // namespace pipetop::tui
