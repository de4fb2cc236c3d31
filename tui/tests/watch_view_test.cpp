// What is drawn of a pipeline, at every size.
#include <algorithm>
#include <map>

#include "tui/draw/text.h"
#include "tui/tests/watch_fixture.h"

namespace pipetop::tui {
namespace {

using WatchView = WatchTest;

constexpr std::u32string_view kBorders = U"╭╮╰╯│─";

// Where the borders are. Text may have the same characters, but not in these styles.
std::map<std::pair<int, int>, char32_t> borders(const Canvas& canvas) {
  std::map<std::pair<int, int>, char32_t> found;
  for (int row = 0; row < canvas.rows(); ++row)
    for (int col = 0; col < canvas.cols(); ++col) {
      const Cell& cell = canvas.at(row, col);
      if (kBorders.find(cell.glyph) == kBorders.npos) continue;
      if (cell.ink.style == Style::frame || cell.ink.style == Style::focus)
        found[{row, col}] = cell.glyph;
    }
  return found;
}

// Every corner has its three others.
void expect_whole_boxes(const Canvas& canvas, const std::string& what) {
  const auto all = borders(canvas);
  const auto glyph = [&](int row, int col) {
    const auto found = all.find({row, col});
    return found == all.end() ? U' ' : found->second;
  };
  for (const auto& [place, corner] : all) {
    if (corner != U'╭') continue;
    const auto [row, col] = place;
    int bottom = row + 1, right = col + 1;
    while (bottom < canvas.rows() && glyph(bottom, col) == U'│') ++bottom;
    EXPECT_EQ(glyph(bottom, col), U'╰') << what;
    while (right < canvas.cols() && glyph(bottom, right) == U'─') ++right;
    EXPECT_EQ(glyph(bottom, right), U'╯') << what;
    EXPECT_EQ(glyph(row, right), U'╮') << what;
    for (int r = row + 1; r < bottom; ++r) EXPECT_EQ(glyph(r, right), U'│') << what << " " << r;
  }
}

TEST_F(WatchView, BelowTheSmallestItSaysWhatItNeeds) {
  start(fake_watch(5), {}, 15, 80);
  EXPECT_TRUE(shows("needs 60x16, has 80x15"));
  resize(16, 59);
  EXPECT_TRUE(shows("needs 60x16"));
  for (const Key key : {Key(U'j'), key::enter, Key(U'n'), key::escape}) press(key);
}

TEST_F(WatchView, TheBottleneckComesFirstAndIsMarkedWithoutColour) {
  for (const auto& [rows, cols] : kWatchSizes) {
    open(fake_chain(4), rows, cols);
    EXPECT_EQ(row_of("! bottleneck: zstd"), 1) << text();
    EXPECT_TRUE(shows("·  !") || shows("· !") || shows("! zstd 4002")) << text();
  }
  resize(40, 120);
  for (const char* part : {"its neighbours wait for it 97 %", "its own code"})
    EXPECT_TRUE(shows(part)) << text();
}

TEST_F(WatchView, AChainOfFourIsReadableAt80x24) {
  open(fake_chain(4));
  for (const char* part :
       {"tar 4001", "zstd 4002", "ssh 4003", "pv 4004", "CPU  97 %", "writing  97 %",
        "reading  97 %", "~191 MiB/s", "~95.4 MiB/s", "~63.6 MiB/s", "full  97 %", "empty  97 %"})
    EXPECT_TRUE(shows(part)) << part << "\n" << text();
  EXPECT_EQ(row_of("more"), -1) << "nothing is scrolled away\n" << text();
}

TEST_F(WatchView, AChainOfTenScrollsWithTheSelection) {
  open(fake_chain(10), 16, 60);
  EXPECT_TRUE(shows("▾ "));
  EXPECT_FALSE(shows("gzip 4010")) << text();
  for (int i = 0; i < 20; ++i) press(key::down);
  EXPECT_TRUE(shows("gzip 4010")) << text();
  EXPECT_TRUE(shows("▴ ")) << text();
  EXPECT_FALSE(shows("tar 4001")) << text();
  press(key::home);
  EXPECT_TRUE(shows("tar 4001")) << text();
}

TEST_F(WatchView, RingsOfAForkNameBothEnds) {
  for (const auto& [rows, cols] : {std::pair{24, 80}, {40, 120}}) {
    open(fake_fork(), rows, cols);
    for (const char* part : {"tar 4001 → tee 4002", "tee 4002 → xz 4004"})
      EXPECT_TRUE(shows(part)) << text();
  }
}

TEST_F(WatchView, ASocketBetweenTwoStagesIsNoPipe) {
  for (const size_t stages : {4, 2}) {
    Pipeline pipeline = fake_chain(stages);
    pipeline.pipes[0].socket = SocketLink{.tcp = true, .name = "127.0.0.1:9000"};
    open(pipeline);
    EXPECT_TRUE(shows("TCP 127.0.0.1:9000")) << text();
  }
}

TEST_F(WatchView, HoldersThatNeverMovedAByteAreApartAndDim) {
  open(fake_fifo(), 24, 80);
  const int row = row_of("bash 4004 holds both ends of /tmp/backup.fifo");
  ASSERT_GT(row, row_of("cat 4003")) << text();
  EXPECT_EQ(canvas().at(row, 3).ink.style, Style::dim);
}

TEST_F(WatchView, OfManyHoldersTheLastRowSaysHowManyMore) {
  Pipeline view = fake_fifo();
  const size_t holder = make_chain(view).items.back().index;
  for (int i = 0; i < 4; ++i) {
    StageEnd end = view.pipes[0].readers.front();
    end.active = false;
    end.stage = view.stages.size();
    view.stages.push_back(view.stages[holder]);
    view.stages.back().id.pid = end.end.process.pid = 5001 + i;
    view.pipes[0].readers.push_back(end);
  }
  const Chain chain = make_chain(view);
  open(view, 40, 120);
  EXPECT_TRUE(
      shows(std::to_string(chain.items.size() - chain.nodes() - 2) + " more hold an unused end"))
      << text();
}

TEST_F(WatchView, TimeInSeveralWaitsIsNotNamedByOne) {
  Pipeline view = fake_chain(2);
  StageShares shares{.cpu = 0.55, .on_cpu = 0.55};
  shares.elsewhere[size_t(WaitsFor::disk)] = 0.45;
  const auto show_shares = [&] {
    view.stages[1].shares = Reading<StageShares>::of(shares);
    open(view);
  };
  show_shares();
  EXPECT_TRUE(shows("disk")) << text();
  shares.elsewhere[size_t(WaitsFor::disk)] = 0.25;
  shares.elsewhere[size_t(WaitsFor::lock)] = 0.2;
  show_shares();
  EXPECT_FALSE(shows("disk")) << text();
  EXPECT_TRUE(shows("other")) << text();
}

TEST_F(WatchView, WhatIsUnknownIsNeverZero) {
  Pipeline unknown = fake_warming(4);
  for (Pipe& pipe : unknown.pipes) {
    pipe.ring.reset();
    pipe.capacity.reset();
    pipe.queued.reset();
    pipe.kernel_readers.reset();
    pipe.kernel_writers.reset();
  }
  for (Stage& stage : unknown.stages) stage.cpu_ns.reset();
  for (const auto& [rows, cols] : kWatchSizes) {
    open(unknown, rows, cols);
    for (int i = 0; i < 7; ++i) {
      for (const Key key : {key::enter, key::escape}) {
        const std::string all = text();
        EXPECT_EQ(all.find(" 0 %"), std::string::npos) << all;
        EXPECT_EQ(all.find(" 0 B"), std::string::npos) << all;
        EXPECT_EQ(all.find("█"), std::string::npos) << "no bar of nothing\n" << all;
        press(key);
      }
      press(key::down);
    }
  }
}

TEST_F(WatchView, WithoutBpfTheFillIsABarAndTheRestSaysWhy) {
  open(fake_unprivileged(4), 40, 120);
  EXPECT_TRUE(shows("█")) << text();
  EXPECT_TRUE(shows("n/a")) << text();
  EXPECT_TRUE(shows("functions unavailable: needs root")) << text();
  press(key::down);
  press(key::enter);
  EXPECT_TRUE(shows("slots unavailable: needs root")) << text();
  EXPECT_TRUE(shows("sudo pipetop watch")) << text();
}

TEST_F(WatchView, StagesThatAreGoneSaySo) {
  open(fake_ended(4, 2));
  EXPECT_TRUE(shows("tar 4001 · exited")) << text();
  EXPECT_TRUE(shows("it has exited")) << text();
}

TEST_F(WatchView, ACommandWithoutAPipeIsWaitedFor) {
  WatchStart how = in_pipeline();
  how.command = "make -j8";
  start(fake_watch(3), how);
  EXPECT_TRUE(shows("no pipe yet")) << text();
  EXPECT_TRUE(shows("make -j8"));
  press(key::escape);
  EXPECT_TRUE(state().in_pipeline) << "the watcher keeps the command's pipeline for the summary";
  EXPECT_FALSE(asked("close"));
  for (const Key key : {Key(U'j'), key::enter, Key(U'n'), Key(U'c'), key::tab, Key(U'}')})
    press(key);
}

// Whatever the pipeline and the size: boxes are whole, and stay where they are while data flows.
TEST_F(WatchView, BordersAreIntactOverTwentyFrames) {
  for (const Pipeline& pipeline : all_pipelines()) {
    for (const auto& [rows, cols] : kWatchSizes) {
      open(pipeline, rows, cols);
      source->turns = 3;
      const std::string what = pipeline.title() + " " + std::to_string(cols);
      const auto first = borders(canvas());
      expect_whole_boxes(canvas(), what);
      const bool all_frames = cols == 80 || pipeline.stages.size() == 4;
      for (int i = 0; i < (all_frames ? 20 : 2); ++i) {
        tick(50);
        const Canvas drawn = canvas();
        EXPECT_EQ(borders(drawn), first) << what << "\n" << drawn.text();
      }
    }
  }
}

TEST_F(WatchView, LongAndWideNamesBreakNothing) {
  for (const char* name : {"日本語の名前", "a_very_long_name_that_goes_on_and_on", "é", ""}) {
    for (Pipeline pipeline : {fake_chain(4), fake_chain(2), fake_fork(), fake_fifo()}) {
      for (Stage& stage : pipeline.stages) stage.name = stage.command = name;
      pipeline.pipes.back().path = std::string("/tmp/") + name + name + name;
      for (const auto& [rows, cols] : kWatchSizes) {
        open(pipeline, rows, cols);
        for (const Key key :
             {key::enter, key::escape, key::down, key::enter, key::escape, key::escape}) {
          expect_whole_boxes(canvas(), name);
          press(key);
        }
      }
    }
  }
}

// An ellipsis ends what could be a name, or a text after a blank.
TEST_F(WatchView, NothingButNamesIsCutWithinAWord) {
  for (const Pipeline& pipeline : all_pipelines()) {
    std::string names;
    for (const Stage& stage : pipeline.stages)
      names += stage.name + " " + stage.command + " " + std::to_string(stage.id.pid) + " ";
    for (const Pipe& pipe : pipeline.pipes) names += pipe.path + " ";
    names += "mutex_spin_on_owner gup_fast_fallback entry_SYSCALL_64_after_hwframe";
    for (const auto& [rows, cols] : kWatchSizes) {
      open(pipeline, rows, cols);
      const std::string all = text();
      for (size_t at = all.find("…"); at != all.npos; at = all.find("…", at + 1)) {
        const size_t begin = all.find_last_of(" \n", at) + 1;
        const std::string word = all.substr(begin, at - begin);
        EXPECT_TRUE(names.find(word) != names.npos) << "\"" << word << "\"\n" << all;
      }
    }
  }
}

TEST_F(WatchView, EveryGlyphSetDrawsOnlyItsOwn) {
  for (const Pipeline& pipeline : all_pipelines()) {
    open(pipeline, 40, 120);
    const std::string all = text(GlyphSet::ascii);
    EXPECT_TRUE(std::ranges::all_of(all, [](char c) { return static_cast<signed char>(c) > 0; }))
        << all;
    EXPECT_EQ(all.find('?'), all.find("? help")) << "something has no substitute\n" << all;
  }
  start(fake_watch(30), {}, 40, 120);
  const std::string all = text(GlyphSet::ascii);
  EXPECT_EQ(all.find('?'), all.find("? help")) << all;
}

TEST_F(WatchView, FiguresAreHeldWhileSlotsGoOn) {
  open(fake_chain(3), 24, 80);
  const auto rate = [&](double value) {
    source->now.watched->pipes[0].bytes_per_s = Reading<double>::of(value);
    source->now.watched->pipes[0].frame.value->used = 3;
    source->changed();
  };
  rate(111 * 1048576.0);
  tick(50);
  EXPECT_TRUE(shows("~191 MiB/s")) << text();
  EXPECT_EQ(state().pipeline.snapshot->watched->pipes[0].frame->used, 3u);
  rate(222 * 1048576.0);
  tick(450);
  EXPECT_TRUE(shows("~222 MiB/s")) << text();
  source->now.watched->pipes[0].bytes_per_s = Reading<double>::unavailable("gone");
  source->changed();
  tick(50);
  EXPECT_TRUE(shows("n/a")) << "what becomes unknown is not held\n" << text();
}

TEST_F(WatchView, ARingThatTurnsFastSettles) {
  open(fake_chain(2), 24, 80);
  source->turns = 100;
  for (int i = 0; i < 30; ++i) tick(50);
  const auto& memory = state().pipeline.rings.begin()->second;
  EXPECT_TRUE(memory.fast());
  EXPECT_GT(memory.readings().occupancy->samples, 10u);
  EXPECT_NEAR(memory.readings().occupancy->full_share + memory.readings().occupancy->mean_share, 2,
              2);
  const std::string before = lines()[4];
  for (int i = 0; i < 5; ++i) tick(50);
  EXPECT_EQ(lines()[4], before) << "a steady ring doesn't move";
}

TEST_F(WatchView, OnlyWhatIsNewIsDrawn) {
  start(fake_watch(10));
  EXPECT_FALSE(tick(125));
  EXPECT_FALSE(tick(125));
  source->changed();
  EXPECT_TRUE(tick(125));
  press(U'~');
  EXPECT_TRUE(shows("~ does nothing here"));
  EXPECT_FALSE(tick(1000));
  EXPECT_TRUE(tick(2500)) << "the message has gone";
}

TEST_F(WatchView, TheLastChangeIsExplainedBelowTheBottleneck) {
  Snapshot snapshot = fake_watch(20, fake_chain(4));
  snapshot.throughput.previous = std::make_shared<const Segment>();
  snapshot.throughput.current.label = "pipe 7: 64 KiB -> 1 MiB";
  snapshot.change = Reading<Change>::warming("measuring");
  start(snapshot, in_pipeline(), 40, 120);
  EXPECT_TRUE(shows("pipe 7: 64 KiB → 1 MiB: measuring")) << text();
  snapshot.change = Reading<Change>::of({.before = 26.4 * 1024 * 1024,
                                         .after = 44.3 * 1024 * 1024,
                                         .factor = 1.68,
                                         .cause = "gzip no longer waits for room",
                                         .evidence = "41.0 → 1.0 % of its time"});
  snapshot.interventions.emplace_back().text = "pipe 7: 64 KiB -> 1 MiB";
  start(snapshot, in_pipeline(), 40, 120);
  EXPECT_TRUE(shows("×1.68: gzip no longer waits for room")) << text();
  EXPECT_TRUE(shows("pipe 7: 64 KiB → 1 MiB; u puts it back, K keeps it; 41.0 → 1.0 %")) << text();
  start(snapshot, {.pipeline = true, .recorded = true}, 40, 120);
  EXPECT_FALSE(shows("puts it back")) << "nobody can";
  start(snapshot, in_pipeline(), 40, 120);
  resize(24, 120);
  EXPECT_TRUE(shows("waits for room; u puts it back, K keeps it")) << text();
  resize(24, 80);
  EXPECT_TRUE(shows("×1.68: gzip no longer waits for room")) << text();
  for (const auto& [rows, cols] : kWatchSizes) {
    resize(rows, cols);
    expect_whole_boxes(canvas(), "after a change");
  }
}

// Two segments that are over, and the one that goes on.
Snapshot with_segments() {
  Snapshot snapshot = fake_watch(20, fake_chain(4));
  snapshot.watched->measured = snapshot.watched->pipes[0].id;
  for (uint32_t number : {1, 2}) {
    Segment segment;
    segment.number = number;
    segment.label = number == 1 ? "start" : "pipe 7: 64 KiB -> 1 MiB";
    segment.key = number == 1 ? "" : "}";
    segment.duration_ns = 12'000'000'000;
    segment.rate = Reading<RateStats>::of({number * 1e7, number * 1e7, 1e5, 1e7, 3e7, 50});
    if (number == 2)
      segment.change = Reading<Change>::of(
          {.before = 1e7, .after = 2e7, .factor = 2, .cause = "zstd no longer waits for room"});
    snapshot.throughput.segments.push_back(std::make_shared<const Segment>(segment));
  }
  snapshot.throughput.previous = snapshot.throughput.segments.back();
  snapshot.throughput.current.number = 3;
  snapshot.throughput.current.label = "pipe 7: 1 MiB -> 2 MiB";
  snapshot.throughput.current.rate = Reading<RateStats>::of({3e7, 3e7, 1e5, 2e7, 4e7, 50});
  snapshot.change = Reading<Change>::of(
      {.before = 2e7, .after = 3e7, .factor = 1.5, .cause = "zstd needs less CPU time for a byte"});
  return snapshot;
}

TEST_F(WatchView, OfSeveralChangesTheNewestIsWhatUUndoes) {
  Snapshot snapshot = fake_watch(20, fake_chain(4));
  snapshot.interventions.emplace_back().text = "pipe 81002: 64 KiB -> 1 MiB";
  snapshot.interventions.emplace_back().text = "pipe 81003: 64 KiB -> 1 MiB";
  start(snapshot, in_pipeline());
  std::vector<std::string> said;
  for (const Message& message : messages_of(state())) said.push_back(message.text);
  EXPECT_EQ(said[0], "changed: pipe 81003: 64 KiB -> 1 MiB; u undoes it, 0 all");
  EXPECT_EQ(said[1], "before that changed: pipe 81002: 64 KiB -> 1 MiB");
}

TEST_F(WatchView, AnEmptyRingSaysSoWhereThereIsRoomForOneShare) {
  Pipeline pipeline = fake_chain(2);
  pipeline.pipes[0].level.value->empty_share = 0.99;
  pipeline.pipes[0].level.value->full_share = 0.001;
  open(pipeline, 16, 60);
  EXPECT_TRUE(shows("empty  99 %")) << text();
}

TEST_F(WatchView, TheLogHasEachChangeWithItsRateAndWhy) {
  start(with_segments(), in_pipeline(), 40, 120);
  press(U'L');
  const PipeId measured = *controller->latest()->watched->measured;
  EXPECT_TRUE(shows("rates of pipe " + std::to_string(measured.inode))) << text();
  for (const char* part : {"segments · 3", "now       pipe 7: 1 MiB -> 2 MiB", "28.6 MiB/s", "×1.5",
                           "zstd needs less CPU time", "2  }    pipe 7: 64 KiB -> 1 MiB",
                           "zstd no longer waits for room", "9.54 MiB/s", "bottleneck: zstd"})
    EXPECT_TRUE(shows(part)) << part << "\n" << text();
  for (const auto& [rows, cols] : kWatchSizes) {
    resize(rows, cols);
    EXPECT_TRUE(shows("segments · 3")) << text();
    expect_whole_boxes(canvas(), "with the log");
  }
  press(U'L');
  EXPECT_FALSE(shows("segments · 3")) << text();
  press(U'L');
  press(key::escape);
  EXPECT_FALSE(shows("segments · 3")) << text();
  EXPECT_TRUE(state().in_pipeline) << "the log is closed first";
}

TEST_F(WatchView, AComparesWithTheKeptSegment) {
  Snapshot snapshot = with_segments();
  start(snapshot, in_pipeline(), 40, 120);
  press(U'a');
  EXPECT_TRUE(shows("A is \"pipe 7: 1 MiB → 2 MiB\": nothing was changed since")) << text();
  EXPECT_TRUE(shows("Δ A")) << "the functions, too\n" << text();
  source->now.throughput.current.number = 4;
  source->now.throughput.current.label = "pipe 8: 64 KiB -> 128 KiB";
  source->now.throughput.current.rate = Reading<RateStats>::of({4e8, 4e8, 1e5, 4e8, 4e8, 50});
  source->changed();
  tick(600);
  EXPECT_TRUE(shows("since A: 190 → 381 MiB/s, ×2.01")) << "that pipe's rate\n" << text();
  EXPECT_TRUE(shows("a ends the comparison")) << text();
  press(U'L');
  EXPECT_TRUE(shows("drop A")) << text();
  press(U'L');
  for (const auto& [rows, cols] : kWatchSizes) {
    resize(rows, cols);
    expect_whole_boxes(canvas(), "compared with A");
  }
  press(U'a');
  EXPECT_FALSE(shows("since A")) << text();
  EXPECT_TRUE(shows("comparing with the previous segment")) << text();
}

TEST_F(WatchView, WListsWhatAStageWaitsFor) {
  open(fake_chain(4), 40, 120);
  press(key::home);
  type("w");
  EXPECT_TRUE(shows("tar 4001 · where its time goes")) << text();
  EXPECT_TRUE(shows("waits for room")) << text();
  EXPECT_TRUE(shows("[running]")) << text();
  EXPECT_FALSE(shows("sleeps")) << "none was counted\n" << text();
  press(key::tab);
  type("f");
  EXPECT_TRUE(shows("waits have no call tree here")) << text();
  type("w");
  EXPECT_FALSE(shows("waits for room")) << text();
  resize(24, 80);
  type("w");
  EXPECT_TRUE(shows("waits for room")) << "it gets the screen\n" << text();
}

TEST_F(WatchView, FunctionsAreComparedWithTheSegmentBefore) {
  Snapshot snapshot = fake_watch(20, fake_chain(4));
  start(snapshot, in_pipeline(), 40, 120);
  EXPECT_FALSE(shows("Δ prev")) << text();
  Segment before;
  for (const Stage& stage : snapshot.watched->stages) {
    SegmentRole& role = before.stages.emplace_back();
    role.id = stage.id;
    role.functions = stage.functions;
  }
  snapshot.throughput.previous = std::make_shared<const Segment>(before);
  start(snapshot, in_pipeline(), 40, 120);
  EXPECT_TRUE(shows("Δ prev")) << text();
}

}  // namespace
}  // namespace pipetop::tui
