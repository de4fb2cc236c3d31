#include "tui/widgets/pages.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/workload/table/workloads.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {
namespace {

constexpr int kTwoColumns = 130;  // minimum box width for two columns

constexpr int kNameCol = 4, kKnobTextCol = 20, kScreenTextCol = 14, kMessageCol = 2;

constexpr ScreenKey kWords[] = {
    {"ring", "the pipe's buffer: a fixed number of slots, filled and drained in a circle"},
    {"slot", "one entry of the ring: a reference to a page, with an offset and a length"},
    {"tail, head", "where the reader takes from, and where the writer puts to"},
    {"copy", "a slot whose page belongs to the pipe: write() copied the bytes into it"},
    {"user page", "a slot that refers to the writer's own page, lent by vmsplice"},
    {"lend", "let the pipe refer to a page without copying it"},
    {"gift", "lend a page for good (SPLICE_F_GIFT): the writer must not use it again"},
    {"vmsplice", "system call that puts references to the caller's own pages into a pipe"},
    {"splice", "system call that moves pages between a pipe and a file, without a copy"},
    {"tee", "system call that copies the references in one pipe to another pipe"},
    {"EAGAIN", "what a call returns that would have to wait: the ring was full, or empty"},
    {"busy loop", "repeat a call that returned EAGAIN at once, instead of sleeping"},
    {"self", "share of the samples in the function itself"},
    {"child", "share of the samples in the function and in all that it calls"},
    {"sample", "what a CPU was running at one tick of the timer"},
    {"blocked", "asleep in the kernel, until somebody wakes it"},
    {"runnable", "able to run, but waiting for a CPU"},
    {"huge page", "a page of 2 MiB instead of 4 KiB: one look-up covers 512 small ones"},
    {"thp", "transparent huge pages: the kernel makes them where it can"},
    {"hugetlb", "huge pages from a pool that the administrator reserved"},
    {"stamp", "a number in every page by which the reader checks what it got"},
    {"torn", "a page that was rewritten while the reader copied it"},
    {"misplaced", "a page with another number than expected: lost, repeated or rewritten"},
    {"steal", "time that the hypervisor gave to others while a CPU had work to do"},
    {"segment", "the time between two changes; its rate is a mean"},
    {"roof", "the upper bound of the rate that the single steps imply"},
};

struct Line {
  std::string key, name, text;
  int col = 1;  // of the text
  Ink ink = Style::plain, key_ink = Style::key;
};
using Lines = std::vector<Line>;

Line heading(std::string_view text) { return {"", "", std::string(text), 1, Style::title}; }

std::string help_of(const HotKey& hot) {
  const Knob* knob = find_knob(hot.knob);
  return std::string(!hot.help.empty() || !knob ? hot.help : knob->help);
}

Lines knob_lines(const Settings& settings) {
  Lines lines = {heading("Knobs, while data flows")};
  const auto add = [&](std::string key, std::string_view name, std::string text) {
    lines.push_back({std::move(key), std::string(name), std::move(text), kKnobTextCol, Style::dim});
  };
  const auto keys = hot_keys(settings);
  for (const HotKey& hot : keys) add(std::string(1, hot.key), hot.label, help_of(hot));
  lines.push_back({});
  lines.push_back(heading("Knobs without a key: --NAME, or in the config"));
  for (const Knob& knob : knobs_of(settings)) {
    const auto has_key = [&](const HotKey& hot) { return hot.knob == knob.name; };
    if (std::ranges::none_of(keys, has_key)) add("", knob.name, std::string(knob.help));
  }
  return lines;
}

Lines preset_lines(std::span<const Preset> presets) {
  Lines lines = {heading("Presets")};
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

// Keys, or words, with what they mean.
Lines lines_of(std::string_view title, std::span<const ScreenKey> keys) {
  Lines lines = {heading(title)};
  for (const ScreenKey& k : keys)
    lines.push_back({std::string(k.keys), "", std::string(k.help), kScreenTextCol});
  return lines;
}

// With a blank line between them.
void append(Lines& to, const Lines& from) {
  if (!to.empty()) to.push_back({});
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
      result.push_back({"", "", std::string(pieces[i]), line.col, line.ink});
  }
  return result;
}

// Over the screen, as high as its lines if there is room, else scrolled.
struct Page {
  Lines left, right;  // right: only in two columns
  Rect box;
  int half = 0;  // where the right column begins

  // In the middle of the screen.
  void place(int rows, int cols, int box_cols) {
    const int box_rows = std::min(lines() + 2, rows - 2);
    box = {(rows - box_rows) / 2, (cols - box_cols) / 2, box_rows, box_cols};
  }
  int scroll_end() const { return std::max(0, lines() - (box.rows - 2)); }
  int lines() const { return static_cast<int>(std::max(left.size(), right.size())); }
};

Page help_page(int rows, int cols, const HelpContents& contents) {
  Page page;
  const bool two = cols >= kTwoColumns + 4;
  const int box_cols = std::min(two ? 160 : 96, cols - 4);
  const int inner_cols = box_cols - 4;
  page.half = two ? inner_cols * 11 / 20 : inner_cols;
  Lines left, right = lines_of("Screen", contents.screen_keys);
  if (!contents.settings) {
    left = std::exchange(right, {});
  } else {
    left = knob_lines(*contents.settings);
    Lines presets = preset_lines(contents.presets);
    append(presets, right);
    right = std::move(presets);
  }
  append(two && contents.settings ? left : right, lines_of("Words", contents.words));
  if (!two) append(left, right);
  page.left = fitted(left, page.half - 1);
  if (two) page.right = fitted(right, inner_cols - page.half);
  page.place(rows, cols, box_cols);
  return page;
}

Page message_page(int rows, int cols, std::span<const Message> messages) {
  Page page;
  const int box_cols = std::min(100, cols - 4);
  Lines lines;
  for (const Message& m : messages) {
    const bool news = m.severity == Severity::info;
    const Style style = news                              ? Style::plain
                        : m.severity == Severity::warning ? Style::warning
                                                          : Style::error;
    append(lines, {{news ? "" : "!", "", m.text, kMessageCol, style, {style, kReverse}}});
  }
  if (lines.empty()) lines.push_back({"", "", "no messages", kMessageCol, Style::dim});
  page.half = box_cols - 3;
  page.left = fitted(lines, box_cols - 4);
  page.place(rows, cols, box_cols);
  return page;
}

void draw_line(const Area& area, int row, const Line& line) {
  area.put(row, line.col == kMessageCol ? 0 : 1, line.key, line.key_ink);
  area.put(row, kNameCol, line.name, Style::plain);
  area.put_fitted(row, line.col, area.cols() - line.col, line.text, line.ink);
}

void draw_lines(const Area& area, const Lines& lines, int scroll) {
  for (int row = 0; row < area.rows(); ++row) {
    const auto index = static_cast<size_t>(row + scroll);
    if (index < lines.size()) draw_line(area, row, lines[index]);
  }
}

void draw_page(Canvas& canvas, const Page& page, std::string_view title, std::string_view key,
               int scroll) {
  const bool more = page.scroll_end() > 0;
  const Area area = draw_dialog(canvas, page.box, title,
                                fmt::format("{}{} closes", more ? "j k scroll, " : "", key));
  scroll = std::clamp(scroll, 0, page.scroll_end());
  draw_lines(area.part({0, 0, area.rows(), page.half - 1}), page.left, scroll);
  draw_lines(area.part({0, page.half, area.rows(), area.cols()}), page.right, scroll);
}

}  // namespace

void draw_help(Canvas& canvas, const HelpContents& contents, int scroll) {
  draw_page(canvas, help_page(canvas.rows(), canvas.cols(), contents), "help", "Esc", scroll);
}

int help_scroll_end(int rows, int cols, const HelpContents& contents) {
  return help_page(rows, cols, contents).scroll_end();
}

void draw_messages(Canvas& canvas, std::span<const Message> messages, int scroll) {
  draw_page(canvas, message_page(canvas.rows(), canvas.cols(), messages), "messages", "q", scroll);
}

int messages_scroll_end(int rows, int cols, std::span<const Message> messages) {
  return message_page(rows, cols, messages).scroll_end();
}

std::span<const ScreenKey> words() { return kWords; }

}  // namespace pipetop::tui
