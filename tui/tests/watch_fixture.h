// The screen of `watch` on invented snapshots, without a terminal.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tui/tests/fake_watch_source.h"
#include "tui/watch/watch_controller.h"

namespace pipetop::tui {

inline WatchStart in_pipeline() { return {.pipeline = true}; }

class WatchTest : public testing::Test {
 protected:
  void start(Snapshot first, const WatchStart& how = {}, int rows = 24, int cols = 80) {
    source.emplace(std::move(first));
    controller.emplace(*source, how);
    now_ns = kFakeWatchNow_ns;
    resize(rows, cols);
    tick(0);
  }
  // The table and this pipeline, opened.
  void open(Pipeline pipeline, int rows = 24, int cols = 80) {
    start(fake_watch(20, std::move(pipeline)), in_pipeline(), rows, cols);
  }

  void resize(int rows, int cols) {
    rows_ = rows, cols_ = cols;
    controller->lay_out(rows, cols);
  }
  // Whether there is something new to draw.
  bool tick(uint64_t ms) {
    now_ns += ms * 1'000'000;
    const bool news = controller->tick(now_ns);
    controller->lay_out(rows_, cols_);
    return news;
  }
  // As the loop does it.
  Outcome press(Key key) {
    const Outcome outcome = controller->handle({Input::Kind::key, key, {}});
    tick(0);
    return outcome;
  }
  void type(std::string_view keys) {
    for (const char key : keys) press(static_cast<Key>(key));
  }
  Outcome click(int row, int col) {
    const Outcome outcome =
        controller->handle({Input::Kind::mouse, 0, {row, col, MouseAct::press}});
    tick(0);
    return outcome;
  }

  Canvas canvas(GlyphSet set = GlyphSet::unicode) const {
    Canvas drawn(glyphs_of(set), rows_, cols_);
    draw(drawn, controller->state());
    return drawn;
  }
  std::string text(GlyphSet set = GlyphSet::unicode) const { return canvas(set).text(); }
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    std::istringstream all(text());
    for (std::string line; std::getline(all, line);) lines.push_back(line);
    return lines;
  }
  bool shows(std::string_view part) const { return text().find(part) != std::string::npos; }
  // The row of the first line with this in it; -1: none.
  int row_of(std::string_view part) const {
    const auto all = lines();
    const auto found = std::ranges::find_if(
        all, [&](const std::string& line) { return line.find(part) != std::string::npos; });
    return found == all.end() ? -1 : static_cast<int>(found - all.begin());
  }
  // The row in reverse video, which is the selected one of the table.
  int selected_row() const {
    const Canvas drawn = canvas();
    for (int row = 1; row < drawn.rows(); ++row)
      if (drawn.at(row, 5).ink.emphasis & kReverse) return row;
    return -1;
  }

  const WatchState& state() const { return controller->state(); }
  bool asked(std::string_view what) const {
    return std::ranges::find(source->asked, what) != source->asked.end();
  }

  std::optional<FakeWatchSource> source;
  std::optional<WatchController> controller;
  uint64_t now_ns = 0;
  int rows_ = 24, cols_ = 80;
};

// Every made-up pipeline.
inline std::vector<Pipeline> all_pipelines() {
  std::vector<Pipeline> all = {fake_fork(),      fake_join(),          fake_circle(),
                               fake_fifo(),      fake_idle(),          fake_warming(4),
                               fake_warming(2),  fake_unprivileged(4), fake_unprivileged(10),
                               fake_ended(4, 2), fake_ended(3, 3)};
  for (const size_t stages : {1, 2, 4, 10, 16}) all.push_back(fake_chain(stages));
  return all;
}

inline constexpr std::pair<int, int> kWatchSizes[] = {{16, 60}, {24, 80}, {40, 120}, {60, 200}};

}  // namespace pipetop::tui
