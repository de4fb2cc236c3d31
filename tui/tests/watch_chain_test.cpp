// A pipeline as a list of stages and rings, and their places.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tui/tests/watch_fixture.h"
#include "tui/watch/chain.h"

namespace pipetop::tui {
namespace {

using Kind = ChainItem::Kind;

// "tar 0 zstd 1 ssh": stages by name, rings by number, holders in brackets.
std::string listed(const Pipeline& pipeline) {
  std::string text;
  for (const ChainItem& item : make_chain(pipeline).items) {
    if (!text.empty()) text += ' ';
    text += std::string(static_cast<size_t>(item.depth), '.');
    text += item.kind == Kind::ring    ? std::to_string(item.index)
            : item.kind == Kind::stage ? pipeline.stages[item.index].name
            : item.kind == Kind::ended ? fmt::format("+{}", item.index)
                                       : "[" + pipeline.stages[item.index].name + "]";
  }
  return text;
}

TEST(WatchChain, IsInTheOrderOfTheFlow) {
  EXPECT_EQ(listed(fake_chain(4)), "tar 0 zstd 1 ssh 2 pv");
  EXPECT_TRUE(make_chain(fake_chain(4)).straight);
  EXPECT_EQ(listed(fake_chain(1)), "tar");
}

TEST(WatchChain, ForksAreIndented) {
  EXPECT_EQ(listed(fake_fork()), "tar 0 tee .1 .sha256sum .2 .xz");
  EXPECT_FALSE(make_chain(fake_fork()).straight);
}

TEST(WatchChain, WhatJoinsComesBehindAllThatLeadsToIt) {
  EXPECT_EQ(listed(fake_join()), "yes seq 0 cat 1 paste");
}

TEST(WatchChain, CirclesEnd) {
  EXPECT_EQ(listed(fake_circle()), "bash 0 bc 1");
  EXPECT_FALSE(make_chain(fake_circle()).straight);
}

TEST(WatchChain, HoldersComeLastAndAreNotSelected) {
  EXPECT_EQ(listed(fake_fifo()), "tar 0 zstd 1 cat [bash]");
  const Chain chain = make_chain(fake_fifo());
  EXPECT_EQ(chain.nodes(), 5u);
  EXPECT_TRUE(chain.straight);
}

TEST(WatchChain, WhatHasExitedKeepsItsPlace) {
  EXPECT_EQ(listed(fake_ended(4, 2)), "tar zstd 1 ssh 2 pv");
  EXPECT_EQ(listed(fake_ended(3, 3)), "tar zstd ssh");
}

// As in a script, one after the other.
TEST(WatchChain, WhatHasEndedIsCountedWhileSomethingRuns) {
  Pipeline pipeline = fake_chain(4);
  pipeline.pipes[0].closed = pipeline.pipes[1].closed = true;
  pipeline.stages[0].gone = pipeline.stages[1].gone = true;
  EXPECT_EQ(listed(pipeline), "ssh 2 pv +2");
  EXPECT_EQ(make_chain(pipeline).nodes(), 3u);
  EXPECT_TRUE(make_chain(pipeline).straight);
  pipeline.pipes[2].closed = true;
  EXPECT_EQ(listed(pipeline), "tar 0 zstd 1 ssh 2 pv") << "nothing does";
}

TEST(WatchChain, ARingWithoutAKnownWriterComesFirst) {
  Pipeline pipeline = fake_chain(2);
  pipeline.stages.erase(pipeline.stages.begin());
  pipeline.pipes[0].writers.clear();
  pipeline.pipes[0].readers[0].stage = 0;
  EXPECT_EQ(listed(pipeline), "0 zstd");
  EXPECT_TRUE(make_chain(pipeline).straight);
}

TEST(WatchChain, WhatAStageSendsToItselfFollowsIt) {
  Pipeline pipeline = fake_chain(2);
  pipeline.pipes.push_back(pipeline.pipes[0]);
  pipeline.pipes[1].id.inode += 1000;
  pipeline.pipes[1].writers = pipeline.pipes[1].readers;
  EXPECT_EQ(listed(pipeline), "tar 0 zstd 1");
}

// Everything that is not a holder, once; whatever the graph is.
TEST(WatchChain, HasEveryStageAndRingOnce) {
  for (const Pipeline& pipeline : all_pipelines()) {
    const Chain chain = make_chain(pipeline);
    std::set<std::pair<Kind, size_t>> seen;
    for (size_t i = 0; i < chain.nodes(); ++i)
      EXPECT_TRUE(seen.insert({chain.items[i].kind, chain.items[i].index}).second);
    for (size_t i = 0; i < pipeline.stages.size(); ++i) {
      const auto moves = [&](const StageEnd& end) { return end.stage == i && end.active; };
      for (const Pipe& pipe : pipeline.pipes) {
        if (std::ranges::any_of(pipe.writers, moves) || std::ranges::any_of(pipe.readers, moves)) {
          EXPECT_TRUE(seen.contains({Kind::stage, i})) << pipeline.title();
        }
      }
    }
  }
}

// ---- places ----

TEST(WatchChainLayout, ItemsKeepApartAndInside) {
  for (const Pipeline& pipeline : all_pipelines()) {
    const Chain chain = make_chain(pipeline);
    if (chain.nodes() == 0) continue;
    for (int rows = 5; rows <= 60; ++rows) {
      for (const int cols : {60, 79, 80, 100, 120, 200}) {
        const size_t selected = chain.nodes() / 2;
        const ChainLayout layout = chain_layout(chain, rows, cols, selected, 0);
        bool sees_selected = false;
        for (size_t i = 0; i < layout.items.size(); ++i) {
          const Rect& a = layout.items[i].rect;
          sees_selected |= layout.items[i].item == selected;
          EXPECT_GE(a.row, 0);
          EXPECT_GE(a.col, 0);
          EXPECT_LE(a.end_row(), rows) << pipeline.title();
          EXPECT_LE(a.end_col(), cols) << pipeline.title();
          EXPECT_FALSE(a.empty()) << pipeline.title() << " " << rows << "x" << cols;
          for (size_t j = i + 1; j < layout.items.size(); ++j) {
            const Rect& b = layout.items[j].rect;
            const bool apart = a.end_row() <= b.row || b.end_row() <= a.row ||
                               a.end_col() <= b.col || b.end_col() <= a.col;
            EXPECT_TRUE(apart) << pipeline.title() << " " << rows << "x" << cols;
          }
        }
        EXPECT_TRUE(sees_selected) << pipeline.title() << " " << rows << "x" << cols;
        size_t nodes = 0;
        for (const PlacedItem& item : layout.items) nodes += item.item < chain.nodes();
        EXPECT_EQ(nodes + layout.above + layout.below, chain.nodes());
      }
    }
  }
}

TEST(WatchChainLayout, AChainIsDrawnAcrossWhileItFits) {
  const auto form = [](size_t stages, int rows, int cols) {
    return chain_layout(make_chain(fake_chain(stages)), rows, cols, 0, 0).form;
  };
  using Form = ChainLayout::Form;
  EXPECT_EQ(form(2, 18, 80), Form::across);
  EXPECT_EQ(form(3, 18, 80), Form::across);
  EXPECT_EQ(form(4, 18, 80), Form::boxes);
  EXPECT_EQ(form(4, 30, 120), Form::across);
  EXPECT_EQ(form(4, 9, 80), Form::lines);
  EXPECT_EQ(form(6, 50, 200), Form::across);
  EXPECT_EQ(form(10, 50, 200), Form::boxes);
  EXPECT_EQ(chain_layout(make_chain(fake_fork()), 40, 200, 0, 0).form, Form::boxes);
}

}  // namespace
}  // namespace pipetop::tui
