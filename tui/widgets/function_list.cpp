#include <algorithm>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/numbers.h"
#include "engine/judge/glossary.h"
#include "tui/draw/charts.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/list_state.h"
#include "tui/widgets/show.h"
#include "tui/widgets/workers.h"

namespace pipetop::tui {
namespace {

// The columns of a line. Those of a number include the gap before it; none: no room.
struct ListColumns {
  Rect self, children, change, name, bar;
};

constexpr int kWideCols = 44;    // from this width on numbers are well separated
constexpr int kNarrowCols = 34;  // with less there is only room for two numbers
constexpr int kBarRoom = 30;     // of names and bars; with less whole names are worth more

std::string sleep_text(uint64_t ns) {
  const double seconds = static_cast<double>(ns) / 1e9;
  if (seconds < 0.9995e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  return fmt::format("{:.1f} s", seconds);
}

std::string activity_text(const ListChoice& choice, int processes, int detail) {
  const bool running = choice.activity == Activity::running;
  std::string text = !running ? "waiting" : detail < 5 ? "running" : "";
  if (!running && processes > 1) text += fmt::format(", the first of {}", processes);
  if (!choice.wall) return text;
  if (detail < 3) return text + ", of wall time";
  return text.empty() ? "wall" : text + "/wall";
}

// "±3.4", or with the wait until it is ±3: "±3.4, ±3.0 in 2 s". Points of per cent.
std::string error_text(const ListContents& c, bool with_wait) {
  std::string text = fmt::format("±{:.1f}", 100 * c.error);
  if (with_wait && c.ns_until_exact > 0)
    text += fmt::format(", ±{:.1f} in {}", 100 * kShareError, seconds_text(c.ns_until_exact, 0));
  return text;
}

// What is listed, in increasingly short forms. Numbers are shown whole or not at all.
constexpr int kDetails = 8;
std::vector<TitlePart> summary(const FunctionListOptions& view, int detail) {
  const ListContents& c = view.list.contents;
  const bool running = view.choice.activity == Activity::running;
  std::vector<TitlePart> parts;
  const std::string& filter = view.choice.filter;
  if (!filter.empty()) parts.push_back({"/" + filter, Style::mark});
  std::string activity = activity_text(view.choice, c.processes, detail);
  if (!activity.empty()) parts.push_back({std::move(activity), Style::plain});
  if (detail == 7) return parts;
  if (!running && c.count == 0) return parts;  // no sleep was counted, only times
  std::string count = grouped_text(c.count);
  if (detail < 4) count += running ? (detail < 3 ? " samples" : " smp") : " sleep";
  if (detail < 4 && !running && c.count != 1) count += "s";
  parts.push_back({std::move(count), Style::dim});
  const bool counted = c.count < kTooFewSamples;
  if (running && !counted && detail < 2) parts.push_back({error_text(c, detail == 0), Style::dim});
  if (!running && detail < 3) parts.push_back({sleep_text(c.source.now.whole), Style::dim});
  if (c.lost > 0 && detail < 6)
    parts.push_back({fmt::format("{} lost", grouped_text(c.lost)), Style::warning});
  return parts;
}

// In place of the heading of the names, so that no row moves.
int draw_scroll_mark(const Area& area, int begin, int above) {
  for (const char* form : {"▴ {} more above", "▴ {} above", "▴ {}"}) {
    const std::string text = fmt::format(fmt::runtime(form), above);
    if (begin + columns_of(text) <= area.cols()) return area.put(0, begin, text, Style::mark);
  }
  return begin;
}

void draw_summary(const Area& area, int begin, const FunctionListOptions& view) {
  int detail = 0;
  const int above = view.list.scroll;
  if (above > 0) begin = draw_scroll_mark(area, begin, above) + 1;
  while (detail + 1 < kDetails && title_columns(summary(view, detail), 1) > area.cols() - begin)
    ++detail;
  const std::vector<TitlePart> parts = summary(view, detail);
  const int columns = title_columns(parts, 1);
  if (above > 0 && begin + columns > area.cols()) return;
  if (above == 0 && begin + 9 + columns <= area.cols()) area.put(0, begin, "function", Style::dim);
  Pen pen(area, 0, std::max(begin, area.cols() - columns));
  for (const TitlePart& part : parts) pen.text(part.text, part.ink).skip(1);
}

void draw_heading(const Area& area, std::string text, bool sorted) {
  if (sorted) text.insert(0, area.glyphs().set == GlyphSet::unicode ? "▾" : "*");
  area.put_right(0, text, sorted ? Style::value : Style::dim);
}

ListColumns list_columns(int cols, const ListContents& contents, const ListChoice& choice) {
  const bool wide = cols >= kWideCols;
  int self = 5, children = wide ? 7 : 6, change = contents.compared ? children : 0;
  if (cols < kNarrowCols) {
    int& left_out = choice.sort() == ListSort::self ? children : self;
    if (contents.compared) left_out = 0;
  }
  const int name = self + children + change + 1;
  // Names get the space for the longest usual ones plus their indent; bars get the
  // rest.
  const int room = cols - name;
  const bool tree = choice.form == ListForm::tree;
  const int bar = room < kBarRoom ? 0
                  : tree          ? std::max(room / 5, room - 64)
                                  : std::max(room / 3, room - 42);
  const int name_cols = room - bar - (bar > 0 ? 1 : 0);
  return {{0, 0, 1, self},
          {0, self, 1, children},
          {0, self + children, 1, change},
          {0, name, 1, name_cols},
          {0, cols - bar, 1, bar}};
}

void draw_list_header(const Area& area, const ListColumns& c, const FunctionListOptions& view) {
  const ListSort sort = view.choice.sort();
  const bool wide = area.cols() >= kWideCols;
  draw_heading(area.part(c.self), "self", sort == ListSort::self);
  draw_heading(area.part(c.children), "child", sort == ListSort::children);
  const std::string_view reference = view.list.contents.reference;
  if (!reference.empty() && view.list.contents.compared)
    draw_heading(area.part(c.change), fmt::format("Δ{}{}", wide ? " " : "", reference), false);
  draw_summary(area, c.name.col, view);
}

// Times of sleeps are exact.
bool is_counted(const FunctionListOptions& view) {
  return view.choice.activity == Activity::running && view.list.contents.count < kTooFewSamples;
}

// A full bar would make much of nearly nothing; one of wall time, beside [running], is short then.
bool is_brief(const FunctionListOptions& view) {
  return view.choice.activity == Activity::waiting && !view.choice.wall &&
         view.list.contents.source.now.whole < kMs;
}

// Shares of the samples, not of the wall time.
std::string counted_share(double share, const ListContents& contents) {
  const double scale = contents.source.now.scale;
  return counted_text(scale > 0 ? share / scale : 0, contents.count);
}

// How rows are indented.
struct Indent {
  int step = 1;   // columns per level
  int first = 0;  // levels up to this one are not indented, to leave room for names
};

void draw_change(const Area& area, const CallRow& row) {
  if (!row.change) return;
  if (row.novelty == Novelty::added) {
    area.put_right(0, "new", Style::mark);
    return;
  }
  const bool matters = row.novelty != Novelty::vanished && std::abs(*row.change) >= kWorthNaming;
  area.put_right(0, change_text(*row.change), matters ? Style::value : Style::dim);
}

// The tree lines from a row to its callers. Returns their width.
int draw_rails(const Area& area, const CallRow& row, const Indent& indent) {
  const Glyphs& g = area.glyphs();
  int col = 0;
  for (int level = indent.first + 1; level <= row.depth; ++level, col += indent.step) {
    const bool more = level < 64 && ((row.rails >> level) & 1) != 0;
    const bool own = level == row.depth;
    if (own || more)
      area.set(0, col, own ? (more ? g.branch : g.last_branch) : g.vertical, Style::frame);
    if (own && indent.step > 1) area.set(0, col + 1, g.horizontal, Style::frame);
  }
  return col;
}

// The message line says what it means.
constexpr std::string_view kNotItsOwn = " *";

void draw_name(const Area& area, const CallRow& row, const Indent& indent, bool marked) {
  const Glyphs& g = area.glyphs();
  const bool gone = row.novelty == Novelty::vanished;
  int col = draw_rails(area, row, indent);
  if (row.fold != Fold::none)
    area.set(0, col, row.fold == Fold::open ? g.opened : g.closed, Style::key);
  col += indent.step;
  const int room = area.cols() - col - (marked ? columns_of(kNotItsOwn) : 0);
  col = area.put_fitted(0, col, room, source_name(row.name), gone ? Style::dim : Style::plain);
  if (marked) area.put(0, col, kNotItsOwn, Style::mark);
}

void draw_row(const Area& area, const ListColumns& c, const CallRow& row,
              const FunctionListOptions& view, const Indent& indent) {
  if (row.is_heading()) {
    area.put(0, 1, row.name, Style::dim);
    return;
  }
  const ListSort sort = view.choice.sort();
  const bool gone = row.novelty == Novelty::vanished;
  if (is_counted(view)) {
    if (!gone)
      area.part(c.self).put_right(0, counted_share(row.self, view.list.contents), Style::dim);
    if (!gone)
      area.part(c.children).put_right(0, counted_share(row.total, view.list.contents), Style::dim);
    return draw_name(area.part(c.name), row, indent, false);
  }
  const auto ink = [&](ListSort of) { return gone || of != sort ? Style::dim : Style::value; };
  area.part(c.self).put_right(0, percent_text(row.self), ink(ListSort::self));
  area.part(c.children).put_right(0, percent_text(row.total), ink(ListSort::children));
  draw_change(area.part(c.change), row);
  const bool running = view.choice.activity == Activity::running;
  draw_name(area.part(c.name), row, indent,
            view.by_timer && running && !gone && ends_interrupts_off(row.name));
  if (is_brief(view)) return;
  draw_bar(area.part(c.bar), row.share(sort), style_of(view.role));  // 100 % fills it, always
}

// As deep as the visible rows need, but at most half of the names' columns.
Indent indent_for(std::span<const CallRow> rows, int name_cols) {
  Indent indent{name_cols >= 36 ? 2 : 1, 0};
  int deepest = 0;
  for (const CallRow& row : rows) deepest = std::max(deepest, row.depth);
  indent.first = std::max(0, deepest - name_cols / 2 / indent.step);
  return indent;
}

std::string nothing_text(const ListContents& contents, const ListChoice& choice) {
  if (!choice.filter.empty()) return fmt::format("no function matches \"{}\"", choice.filter);
  if (choice.activity == Activity::running) return "no samples";
  return contents.count == 0 ? "no sleep since the last change" : "no stacks";
}

// The highlighted row of a flat list, if it is further down than the `visible` ones. It takes the
// place of the last of these: the hottest rows matter, too. Not once the user moves in the list.
const CallRow* hidden_highlight(std::span<const CallRow> rows, size_t visible,
                                const FunctionListOptions& view) {
  const bool wanted = !view.highlight.empty() && view.choice.form == ListForm::flat;
  if (!wanted || view.list.scroll > 0 || view.list.selected >= 0) return nullptr;
  const CallRow* row = row_of(rows, view.highlight);
  return row && size_t(row - rows.data()) >= visible ? row : nullptr;
}

void draw_rows(const Area& area, const FunctionListOptions& view) {
  const ListContents& contents = view.list.contents;
  const CallRows& all = *contents.rows;
  const ListColumns columns = list_columns(area.cols(), contents, view.choice);
  const int header = list_header_rows(area.rows());
  if (header > 0) draw_list_header(area, columns, view);
  if (all.empty())
    area.put_fitted(header, 1, area.cols() - 1, nothing_text(contents, view.choice), Style::dim);
  const auto first = std::min(static_cast<size_t>(std::max(view.list.scroll, 0)), all.size());
  const auto rows = std::span(all).subspan(first);
  const auto seen = rows.first(std::min(rows.size(), static_cast<size_t>(area.rows() - header)));
  const Indent indent = indent_for(seen, columns.name.cols);
  const CallRow* hidden = hidden_highlight(rows, seen.size(), view);
  for (size_t i = 0; i < seen.size(); ++i) {
    const Area line = area.from_row(header + static_cast<int>(i), 1);
    const CallRow& row = hidden && i + 1 == seen.size() ? *hidden : seen[i];
    draw_row(line, columns, row, view, indent);
    const Area text = line.part({0, 0, 1, columns.name.end_col()});
    if (!view.highlight.empty() && same_function(row.name, view.highlight))
      text.set_ink(0, kHighlighted);
    if (view.focused && static_cast<int>(first + i) == view.list.selected)
      text.set_ink(0, {Style::plain, kReverse});
  }
}

}  // namespace

void draw_function_list(const Area& area, const FunctionListOptions& view) {
  if (area.empty()) return;
  const ListContents& contents = view.list.contents;
  if (contents.rows.has_value()) {
    draw_rows(area, view);
  } else {
    const std::string_view reason = contents.rows.reason;
    draw_absence(area, contents.what, contents.rows.status,
                 view.remedy_said ? why_of(reason) : reason);
  }
}

}  // namespace pipetop::tui
