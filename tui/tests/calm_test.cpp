// A screen that can be read: figures that hold still, a ring that settles, nothing cut.
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "engine/base/clock.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/keymap.h"
#include "tui/dashboard/view.h"
#include "tui/draw/text.h"
#include "tui/tests/fake_source.h"
#include "tui/tests/recording_source.h"
#include "tui/tests/snapshots.h"
#include "tui/widgets/held_figures.h"
#include "tui/widgets/ring.h"
#include "tui/widgets/throughput.h"

namespace pipetop::tui {
namespace {

// ---- figures ----

class HeldFiguresTest : public testing::Test {
 protected:
  // The rate shown so long after the first frame.
  double shown_at(uint64_t ms) {
    Snapshot now = example_snapshot();
    now.now_ns += ms * 1'000'000;
    now.throughput.over_1s = Reading<double>::of(static_cast<double>(ms));
    now.throughput.current = current_;
    now.effective.settled = settled_;
    now.ring.frame.value->head = static_cast<uint32_t>(ms);
    held_.hold(now, kDashboardHolds_ns);
    EXPECT_EQ(now.ring.frame->head, ms) << "the ring goes on";
    EXPECT_EQ(now.now_ns, example_snapshot().now_ns + ms * 1'000'000);
    return *now.throughput.over_1s;
  }
  Segment current_ = example_snapshot().throughput.current;
  bool settled_ = true;
  HeldFigures held_;
};

TEST_F(HeldFiguresTest, ChangeTwiceASecondAtMost) {
  EXPECT_EQ(shown_at(0), 0);
  EXPECT_EQ(shown_at(50), 0);
  EXPECT_EQ(shown_at(450), 0);
  EXPECT_EQ(shown_at(500), 500);
  EXPECT_EQ(shown_at(900), 500);
}

TEST_F(HeldFiguresTest, NothingOldIsShownAfterAChange) {
  shown_at(0);
  current_.number = 2;
  EXPECT_EQ(shown_at(50), 50);
  current_.rate = Reading<RateStats>::warming("measuring");
  EXPECT_EQ(shown_at(100), 100) << "nor what is unknown now";
  settled_ = false;
  EXPECT_EQ(shown_at(150), 150);
  EXPECT_EQ(shown_at(200), 150);
}

TEST_F(HeldFiguresTest, TimeMayGoBack) {
  shown_at(5000);
  EXPECT_EQ(shown_at(100), 100) << "in a recording";
}

// ---- the ring ----

RingFrame turning(uint64_t at_ms, uint32_t head) {
  RingFrame f = ring_frame(32, 8, head - 8);
  f.head = head;
  f.at_ns = at_ms * 1'000'000;
  return f;
}

TEST(RingTempo, IsFastFromTenTurnsASecondOn) {
  RingTempo tempo;
  tempo.update(turning(1000, 100));
  EXPECT_FALSE(tempo.fast()) << "one frame tells nothing";
  tempo.update(turning(1100, 131));
  EXPECT_FALSE(tempo.fast());
  tempo.update(turning(1200, 170));
  EXPECT_TRUE(tempo.fast());
  tempo.update(turning(1300, 195));
  EXPECT_TRUE(tempo.fast()) << "not at once";
  tempo.update(turning(1400, 200));
  EXPECT_FALSE(tempo.fast());
}

TEST(RingTempo, IgnoresRepeatedAndTornFrames) {
  RingTempo tempo;
  tempo.update(turning(1000, 100));
  RingFrame torn = turning(1050, 1'000'000);
  torn.torn = true;
  tempo.update(torn);
  tempo.update(turning(1000, 100));
  EXPECT_FALSE(tempo.fast());
  tempo.update(turning(1050, 1'000'000));
  EXPECT_TRUE(tempo.fast());
}

TEST(RingTempo, ARingMadeAnewHasNotRunBackwards) {
  RingTempo tempo;
  tempo.update(turning(1000, 100'000));
  tempo.update(turning(1100, 0));
  EXPECT_FALSE(tempo.fast());
  tempo.update(turning(1200, 40));
  EXPECT_TRUE(tempo.fast());
}

Snapshot fast_ring(uint32_t tail) {
  Snapshot s = example_snapshot();
  s.ring = ring_view(ring_frame(32, tail % 30, tail));
  s.ring.frame.value->at_ns = s.now_ns;
  return s;
}

TEST(Ring, AFastOneSettles) {
  RingState state;
  state.settled = true;
  const auto panel = [&](const Snapshot& s) {
    return drawn(10, 60, [&](const Area& a) { draw_ring(a, s, state); });
  };
  const Lines first = panel(fast_ring(3));
  EXPECT_EQ(first[0], "32 slots  128 KiB  on average 42 % used");
  EXPECT_EQ(panel(fast_ring(17)), first) << "whatever the instant";
  EXPECT_NE(first[2].find("▓▓▒"), std::string::npos) << first[2];
  state.settled = false;
  EXPECT_NE(panel(fast_ring(17)), first);
}

TEST(Ring, TheTimeThatSlotsAreUsed) {
  Occupancy o;
  o.histogram.front() = 0.25;
  o.histogram.back() = 0.25;
  o.histogram[16] = 0.5;  // the sixteenth of 32 parts
  EXPECT_DOUBLE_EQ(used_share(o, 32, 0), 0.75);
  EXPECT_DOUBLE_EQ(used_share(o, 32, 15), 0.75);
  EXPECT_DOUBLE_EQ(used_share(o, 32, 16), 0.25);
  EXPECT_DOUBLE_EQ(used_share(o, 32, 31), 0.25);
  EXPECT_DOUBLE_EQ(used_share(o, 64, 31), 0.5) << "half of a part";
  EXPECT_DOUBLE_EQ(used_share(o, 0, 0), 0);
}

TEST(Ring, IsLookedAtSlotBySlotWhenAsked) {
  RecordingSource source;
  Controller controller(source, Settings{}, article_presets());
  Snapshot s = fast_ring(3);
  const auto pass = [&](uint32_t turns) {
    s.now_ns += 100'000'000;
    RingFrame& f = *s.ring.frame.value;
    f.head += 32 * turns, f.tail += 32 * turns, f.at_ns = s.now_ns;
    controller.show(s, 40, 120);
    return controller.state().ring.settled;
  };
  pass(1000);
  EXPECT_TRUE(pass(1000));
  controller.handle({Input::Kind::key, U' ', {}});
  EXPECT_FALSE(pass(1000)) << "frozen";
  controller.handle({Input::Kind::key, U' ', {}});
  controller.handle({Input::Kind::key, U'i', {}});
  EXPECT_FALSE(pass(1000)) << "inspecting";
  controller.handle({Input::Kind::key, key::escape, {}});
  EXPECT_TRUE(pass(1000));
  s.requested.pipe.slow_motion = true;
  EXPECT_FALSE(pass(1000));
}

// ---- charts ----

std::string marks(std::vector<ChangeMark> of, int cols = 30) {
  const TimeAxis axis{kSecond, 30 * static_cast<int64_t>(kSecond), 30};
  return drawn(1, cols, [&](const Area& a) { draw_marks(a, of, axis, 1); }).front();
}

TEST(ChartMarks, AreTicksWithTheirKeys) {
  EXPECT_EQ(marks({}), "                           now");
  EXPECT_EQ(marks({{5 * kSecond, "1"}, {12 * kSecond, "m"}}), "     ▴1     ▴m             now");
  EXPECT_EQ(marks({{12 * kSecond, ""}}), "            ▴              now");
}

TEST(ChartMarks, DoNotOverwriteEachOther) {
  EXPECT_EQ(marks({{10 * kSecond, "1"}, {11 * kSecond, "m"}}), "         +1▴m              now")
      << "the newest, and how many were before it";
  EXPECT_EQ(marks({{9 * kSecond, "1"}, {10 * kSecond, "v"}, {11 * kSecond, "s"}}),
            "         +2▴s              now");
  EXPECT_EQ(marks({{8 * kSecond, "v"}, {11 * kSecond, "s"}}), "        ▴v ▴s              now");
  EXPECT_EQ(marks({{0, "v"}, {1 * kSecond, "s"}}).substr(0, 5), " ▴s") << "no room for the count";
}

TEST(ChartMarks, TheLastOneHasItsKeyToo) {
  EXPECT_EQ(marks({{29 * kSecond, "b"}}), "                            b▴");
  EXPECT_EQ(marks({{28 * kSecond, "v"}, {29 * kSecond, "6"}}), "                         +1 6▴");
}

// ---- lists ----

class ScrolledListTest : public testing::Test {
 protected:
  ScrolledListTest() {
    FunctionTable table;
    table.samples = 2100;
    std::vector<FunctionRow> rows;
    for (uint64_t i = 0; i < 20; ++i)
      rows.push_back({Function("function_" + std::to_string(i)).name(), 200 - i, 200 - i});
    table.tree = flat_tree(rows);
    for (WorkerReadings& w : snapshot_.workers) w.functions = Reading<FunctionTable>::of(table);
  }
  std::string screen(int rows, int cols) {
    controller_.show(snapshot_, rows, cols);
    Canvas canvas(glyphs_of(GlyphSet::unicode), rows, cols);
    draw(canvas, snapshot_, controller_.state());
    return canvas.text();
  }
  void press(Key key) { controller_.handle({Input::Kind::key, key, {}}); }

  Snapshot snapshot_ = example_snapshot();
  RecordingSource source_;
  Controller controller_{source_, Settings{}, article_presets()};
};

TEST_F(ScrolledListTest, SaysWhatIsAbove) {
  for (const auto& [rows, cols] : {std::pair{24, 80}, {30, 100}, {45, 160}}) {
    EXPECT_EQ(screen(rows, cols).find("above"), std::string::npos);
    press(key::end);
    EXPECT_NE(screen(rows, cols).find("more above"), std::string::npos) << screen(rows, cols);
    press(key::home);
  }
}

TEST_F(ScrolledListTest, TheVanishedAreAGroupThatIsNotSelected) {
  Segment before;
  FunctionTable table = *snapshot_.workers[0].functions;
  table.tree = flat_tree({{"old_one", 900, 900}, {"older", 300, 300}});
  before.roles[0].functions = Reading<FunctionTable>::of(table);
  snapshot_.throughput.previous = std::make_shared<const Segment>(before);
  press(key::end);
  screen(45, 160);
  press(key::end);
  EXPECT_EQ(controller_.state().list(Role::writer).name, "older");
  press(key::up);
  EXPECT_EQ(controller_.state().list(Role::writer).name, "old_one");
  EXPECT_NE(screen(45, 160).find("no longer seen"), std::string::npos) << screen(45, 160);
  press(key::up);
  EXPECT_EQ(controller_.state().list(Role::writer).name, "function_19");
  press(key::down);
  EXPECT_EQ(controller_.state().list(Role::writer).name, "old_one");
}

// ---- text ----

TEST(Text, IsCutWhereItsMeaningEnds) {
  EXPECT_EQ(whole_words("one two three", 13), "one two three");
  EXPECT_EQ(whole_words("one two three", 12), "one two …");
  EXPECT_EQ(whole_words("one two three", 8), "one …");
  EXPECT_EQ(whole_words("three", 4), "");
  EXPECT_EQ(whole_clauses("torn 1,234/s, misplaced 1,510/s", 28), "torn 1,234/s");
  EXPECT_EQ(whole_clauses("torn 1,234/s, misplaced 1,510/s", 12), "torn 1,234/s");
  EXPECT_EQ(whole_clauses("torn 1,234/s, misplaced 1,510/s", 9), "torn …");
  EXPECT_EQ(whole_clauses("nothing; here", 40), "nothing; here");
}

// Identifiers of the kernel can be longer than any column; everything else is whole.
bool is_function(const Snapshot& s, std::string_view start) {
  for (const WorkerReadings& w : s.workers) {
    if (!w.functions.has_value()) continue;
    for (const FunctionRow& row : w.functions->rows())
      if (row.name.starts_with(start)) return true;
  }
  return false;
}

void expect_whole_words(const std::string& text, const Snapshot& s) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    for (size_t at = line.find("…"); at != line.npos; at = line.find("…", at + 1)) {
      if (at == 0 || line[at - 1] == ' ') continue;
      const size_t blank = line.rfind(' ', at);
      size_t begin = blank == line.npos ? 0 : blank + 1;
      for (const char* sign : {"▸", "▾", "├─", "└─"})
        if (line.compare(begin, strlen(sign), sign) == 0) begin += strlen(sign);
      EXPECT_TRUE(is_function(s, line.substr(begin, at - begin))) << line << "\n" << text;
    }
  }
}

TEST(Calm, NoWordIsCutInAnyPanel) {
  for (const auto& [rows, cols] : {std::pair{24, 80}, {30, 100}, {45, 160}}) {
    for (const FakeMood mood : {FakeMood::normal, FakeMood::no_bpf, FakeMood::warming}) {
      for (const Preset& preset : built_in_presets()) {
        for (const bool stamped : {false, true}) {
          Settings settings = preset.settings;
          if (stamped) {
            settings.pipe.payload = Payload::stamped;
            settings.pipe.buffers = Buffers::same;
          }
          FakeSource source(settings, mood);
          source.advance(20'000'000'000);
          DashboardState state;
          state.requested = settings;
          state.presets = built_in_presets();
          Snapshot s = source.tick();
          if (s.verdict.has_value())
            s.verdict.value->because =
                "both sleep and wake each other for 850 KiB a switch, writer blocked 41 %, reader "
                "blocked 38 %, ring empty 20 %";
          for (const bool log : {false, true}) {
            state.log.open = log;
            for (const bool in_show : {false, true}) {
              state.show.on = in_show;
              Canvas canvas(glyphs_of(GlyphSet::unicode), rows, cols);
              show_lists(state, s, rows, cols);
              draw(canvas, s, state);
              SCOPED_TRACE(testing::Message() << cols << "x" << rows << " " << preset.name);
              expect_whole_words(canvas.text(), s);
              EXPECT_EQ(canvas.text().find("850 KiB a sw…"), std::string::npos);
              if (testing::Test::HasFailure()) return;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace pipetop::tui
