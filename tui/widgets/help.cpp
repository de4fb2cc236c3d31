#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/registry/workloads.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/pages.h"

namespace pipetop::tui {
namespace {

constexpr int kTwoColumns = 130;  // minimum box width for two columns

constexpr int kNameCol = 4, kKnobTextCol = 20, kScreenTextCol = 14;

struct Line {
  std::string key, name, text;
  int col = 1;  // of the text; headings have only a text
};
using Lines = std::vector<Line>;

std::string help_of(const HotKey& hot) {
  const Knob* knob = find_knob(hot.knob);
  return std::string(!hot.help.empty() || !knob ? hot.help : knob->help);
}

Lines knob_lines(const Settings& settings) {
  Lines lines = {{"", "", "Knobs, while data flows"}};
  const auto keys = hot_keys(settings);
  for (const HotKey& hot : keys) {
    lines.push_back({std::string(1, hot.key), std::string(hot.label), help_of(hot), kKnobTextCol});
  }
  lines.push_back({});
  lines.push_back({"", "", "Knobs without a key: --NAME, or in the config"});
  for (const Knob& knob : knobs_of(settings)) {
    const auto has_key = [&](const HotKey& hot) { return hot.knob == knob.name; };
    if (std::ranges::none_of(keys, has_key))
      lines.push_back({"", std::string(knob.name), std::string(knob.help), kKnobTextCol});
  }
  return lines;
}

Lines preset_lines(std::span<const Preset> presets) {
  Lines lines = {{"", "", "Presets"}};
  for (size_t i = 0; i < std::min<size_t>(presets.size(), 9); ++i) {
    const Preset& preset = presets[i];
    std::string text = preset.name;
    if (!preset.title.empty() && preset.title != preset.name) text += ": " + preset.title;
    if (preset.article_gib_per_s > 0)
      text += fmt::format("; article {} GiB/s", rate_text(preset.article_gib_per_s));
    lines.push_back({std::to_string(i + 1), "", std::move(text), kNameCol});
  }
  return lines;
}

Lines screen_lines(std::span<const ScreenKey> keys) {
  Lines lines = {{"", "", "Screen"}};
  for (const ScreenKey& k : keys)
    lines.push_back({std::string(k.keys), "", std::string(k.help), kScreenTextCol});
  return lines;
}

Lines word_lines(std::span<const ScreenKey> words) {
  Lines lines = {{"", "", "Words"}};
  for (const ScreenKey& word : words)
    lines.push_back({std::string(word.keys), "", std::string(word.help), kScreenTextCol});
  return lines;
}

// With a blank line between them.
void append(Lines& to, const Lines& from) {
  to.push_back({});
  to.insert(to.end(), from.begin(), from.end());
}

// Long texts are wrapped.
Lines fitted(const Lines& lines, int cols) {
  Lines result;
  for (const Line& line : lines) {
    const auto pieces = broken(line.text, cols - line.col);
    result.push_back(line);
    if (!pieces.empty()) result.back().text = pieces.front();
    for (size_t i = 1; i < pieces.size(); ++i)
      result.push_back({"", "", std::string(pieces[i]), line.col});
  }
  return result;
}

struct Page {
  Lines left, right;  // right: only in two columns
  Rect box;
  int half = 0;  // where the right column begins
  int visible() const { return box.rows - 2; }
  int scroll_end() const { return std::max(0, lines() - visible()); }
  int lines() const { return static_cast<int>(std::max(left.size(), right.size())); }
};

Page make_page(int rows, int cols, const HelpContents& contents) {
  Page page;
  const bool two = cols >= kTwoColumns + 4;
  const int box_cols = std::min(two ? 160 : 96, cols - 4);
  const int inner_cols = box_cols - 4;
  page.half = two ? inner_cols * 11 / 20 : inner_cols;
  Lines left, right = screen_lines(contents.screen_keys);
  if (!contents.settings) {
    left = std::exchange(right, {});
  } else {
    left = knob_lines(*contents.settings);
    Lines presets = preset_lines(contents.presets);
    append(presets, right);
    right = std::move(presets);
  }
  Lines& last = two && contents.settings ? left : right;
  if (!last.empty()) last.push_back({});
  const Lines meanings = word_lines(contents.words);
  last.insert(last.end(), meanings.begin(), meanings.end());
  if (!two) append(left, right);
  page.left = fitted(left, page.half - 1);
  if (two) page.right = fitted(right, inner_cols - page.half);
  const int box_rows = std::min(page.lines() + 2, rows - 2);
  page.box = {(rows - box_rows) / 2, (cols - box_cols) / 2, box_rows, box_cols};
  return page;
}

void draw_line(const Area& area, int row, const Line& line) {
  const bool heading = line.key.empty() && line.name.empty() && line.col == 1;
  area.put(row, 1, line.key, Style::key);
  area.put(row, kNameCol, line.name, Style::plain);
  const Style style = heading ? Style::title : line.col == kKnobTextCol ? Style::dim : Style::plain;
  area.put_fitted(row, line.col, area.cols() - line.col, line.text, style);
}

void draw_lines(const Area& area, const Lines& lines, int scroll) {
  for (int row = 0; row < area.rows(); ++row) {
    const auto index = static_cast<size_t>(row + scroll);
    if (index < lines.size()) draw_line(area, row, lines[index]);
  }
}

}  // namespace

void draw_help(Canvas& canvas, const HelpContents& contents, int scroll) {
  const Page page = make_page(canvas.rows(), canvas.cols(), contents);
  const bool more = page.scroll_end() > 0;
  const Area area =
      draw_dialog(canvas, page.box, "help", more ? "j k scroll, Esc closes" : "Esc closes");
  scroll = std::clamp(scroll, 0, page.scroll_end());
  draw_lines(area.part({0, 0, area.rows(), page.half - 1}), page.left, scroll);
  draw_lines(area.part({0, page.half, area.rows(), area.cols()}), page.right, scroll);
}

int help_scroll_end(int rows, int cols, const HelpContents& contents) {
  return make_page(rows, cols, contents).scroll_end();
}

}  // namespace pipetop::tui
