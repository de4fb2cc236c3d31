#include "tui/widgets/list_header.h"

#include <algorithm>
#include <vector>

#include "tui/draw/numbers.h"
#include "tui/draw/pen.h"
#include "tui/draw/text_width.h"
#include "tui/widgets/panel.h"

namespace pipetop::tui {
namespace {

constexpr int kWideCols = 44;    // from here on numbers stand well apart
constexpr int kNarrowCols = 34;  // below, two numbers are all that names leave room for

std::string sleep_text(uint64_t ns) {
  const double seconds = static_cast<double>(ns) / 1e9;
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  return fmt::format("{:.1f} s", seconds);
}

std::string activity_text(const ListChoice& choice, int processes, int detail) {
  const bool running = choice.activity == Activity::running;
  std::string text = !running ? "waiting" : detail < 3 ? "running" : "";
  if (!running && processes > 1) text += fmt::format(", the first of {}", processes);
  if (!choice.wall) return text;
  if (detail == 0) return text + ", of wall time";
  return text.empty() ? "wall" : text + "/wall";
}

// What is listed, in ever fewer words. A number is there whole or not at all.
constexpr int kDetails = 6;
std::vector<TitlePart> words(const FunctionListView& view, int detail) {
  const ListContents& c = view.list.contents;
  const bool running = view.choice.activity == Activity::running;
  std::vector<TitlePart> parts;
  const std::string& filter = view.choice.filter;
  if (!filter.empty()) parts.push_back({"/" + filter, Style::mark});
  std::string activity = activity_text(view.choice, c.processes, detail);
  if (!activity.empty()) parts.push_back({std::move(activity), Style::plain});
  if (detail == 5) return parts;
  std::string count = grouped_text(c.count);
  if (detail < 2) count += running ? (detail == 0 ? " samples" : " smp") : " sleeps";
  parts.push_back({std::move(count), Style::dim});
  if (!running && detail == 0) parts.push_back({sleep_text(c.ns), Style::dim});
  if (c.lost > 0 && detail < 4)
    parts.push_back({fmt::format("{} lost", grouped_text(c.lost)), Style::warning});
  return parts;
}

int columns_in(const std::vector<TitlePart>& parts) {
  int columns = -1;
  for (const TitlePart& part : parts) columns += columns_of(part.text) + 1;
  return columns;
}

void draw_words(const Area& area, int begin, const FunctionListView& view) {
  int detail = 0;
  while (detail + 1 < kDetails && columns_in(words(view, detail)) > area.cols() - begin) ++detail;
  const std::vector<TitlePart> parts = words(view, detail);
  const int columns = columns_in(parts);
  if (begin + 9 + columns <= area.cols()) area.put(0, begin, "function", Style::dim);
  Pen pen(area, 0, std::max(begin, area.cols() - columns));
  for (const TitlePart& part : parts) pen.text(part.text, part.ink).skip(1);
}

void draw_heading(const Area& area, int end, std::string text, bool sorted) {
  if (sorted) text.insert(0, area.glyphs().set == GlyphSet::unicode ? "▾" : "*");
  area.put(0, end - columns_of(text), text, sorted ? Style::value : Style::dim);
}

}  // namespace

ListColumns list_columns(int cols, const ListContents& contents, const ListChoice& choice) {
  const bool wide = cols >= kWideCols;
  ListColumns c{.self = 5, .children = wide ? 7 : 6, .change = wide ? 7 : 6};
  if (cols < kNarrowCols) {
    if (!contents.compared)
      c.change = 0;
    else if (choice.sort() == ListSort::self)
      c.children = 0;
    else
      c.self = 0;
  }
  c.name = c.self + c.children + c.change + 1;
  // Names get what the longest usual ones need, and where they are set in; bars the
  // rest.
  const int room = cols - c.name;
  const bool tree = choice.form == ListForm::tree;
  c.bar_cols = room < 26 ? 0 : tree ? std::max(room / 5, room - 64) : std::max(room / 3, room - 42);
  c.name_cols = room - c.bar_cols - (c.bar_cols > 0 ? 1 : 0);
  c.bar = c.name + c.name_cols + 1;
  return c;
}

void draw_list_header(const Area& area, const ListColumns& c, const FunctionListView& view) {
  const ListSort sort = view.choice.sort();
  const bool wide = area.cols() >= kWideCols;
  if (c.self > 0) draw_heading(area, c.self, "self", sort == ListSort::self);
  if (c.children > 0) draw_heading(area, c.self + c.children, "child", sort == ListSort::children);
  const std::string_view reference = view.list.contents.reference;
  if (c.change > 0 && !reference.empty())
    draw_heading(area, c.name - 1, fmt::format("Δ{}{}", wide ? " " : "", reference), false);
  draw_words(area, c.name, view);
}

}  // namespace pipetop::tui
