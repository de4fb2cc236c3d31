#include "tui/widgets/frame.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/base/text.h"
#include "tui/draw/numbers.h"
#include "tui/draw/style.h"
#include "tui/draw/text.h"
#include "tui/widgets/show.h"

namespace pipetop::tui {
namespace {

void draw_rule(const Area& area, Ink ink) {
  for (int c = 0; c < area.cols(); ++c) area.set(0, c, area.glyphs().horizontal, ink);
}

void draw_box(const Area& area, Ink ink) {
  const Glyphs& g = area.glyphs();
  const int bottom = area.rows() - 1, right = area.cols() - 1;
  draw_rule(area, ink);
  draw_rule(area.from_row(bottom), ink);
  for (int r = 1; r < bottom; ++r) {
    area.set(r, 0, g.vertical, ink);
    area.set(r, right, g.vertical, ink);
  }
  area.set(0, 0, g.top_left, ink);
  area.set(0, right, g.top_right, ink);
  area.set(bottom, 0, g.bottom_left, ink);
  area.set(bottom, right, g.bottom_right, ink);
}

void draw_title(const Area& area, std::span<const TitlePart> parts) {
  int col = area.put(0, 0, " ", {});
  const int room = area.cols() - 1;
  const std::string_view between = title_columns(parts) <= room - 1 ? " · " : " ";
  bool first = true;
  for (const TitlePart& part : parts) {
    const int gap = first ? 0 : columns_of(between);
    const std::string text = whole_clauses(part.text, room - col - gap);
    if (text.empty() && !(first && !part.text.empty())) continue;
    if (!first) col = area.put(0, col, between, Style::dim);
    col = area.put_fitted(0, col, room - col, text.empty() ? part.text : text, part.ink);
    first = false;
  }
  area.put(0, col, " ", {});
}

constexpr int kNamedCols = 76;  // a title bar from which on there is room for the program's name
constexpr double kStealWorthSaying = 0.01, kStealTooMuch = 0.05;

struct Part {
  std::string text;
  Ink ink;
  int rank;                // the lowest are kept if there is little room
  std::string brief = {};  // instead of a text that does not fit; "": none
  bool blank = false;  // only its room is kept, so that its neighbours don't come and go with it
  bool shown = false;
};

struct Technique {
  ZeroCopy zero_copy;
  std::string_view name;
  Style style;
};
constexpr std::array<Technique, 4> kTechniques = {{
    {ZeroCopy::zero_copy, "ZERO-COPY", Style::good},
    {ZeroCopy::copied, "COPIED", Style::copy},
    {ZeroCopy::unverifiable, "UNVERIFIABLE", Style::dim},
    {ZeroCopy::no_copy, "", Style::copy},
}};
static_assert(in_order(kTechniques, &Technique::zero_copy));

// Whether the bytes are really copied, and which knob did not take effect; the
// message line says why.
Part badge(const Effective& effective) {
  const auto& [_, name, style] = kTechniques[static_cast<size_t>(effective.pipe.zero_copy)];
  const auto& wrong = effective.mismatches;
  if (wrong.empty()) return {name.empty() ? "" : fmt::format(" {} ", name), {style, kReverse}, 0};
  const std::string knobs =
      wrong.size() == 1 ? wrong.front().knob : fmt::format("{} knobs", wrong.size());
  return {fmt::format(" {} ! {} ", name, knobs),
          {Style::warning, kReverse},
          0,
          fmt::format(" {} ! ", name)};
}

// Damage comes first, and nothing beside it looks like success.
void add_badges(std::vector<Part>& parts, const Snapshot& s) {
  const bool damaged = is_damaged(s);
  if (damaged) parts.push_back({" DAMAGED ", {Style::error, kReverse}, 0});
  parts.push_back(badge(s.effective));
  if (damaged && s.effective.mismatches.empty()) parts.back().ink = {Style::plain, kReverse};
}

std::vector<Part> parts_of(const Snapshot& s) {
  std::vector<Part> parts;
  if (s.host) {
    parts.push_back({"Linux " + s.host->kernel, Style::plain, 2});
    parts.push_back({s.host->cpu, Style::plain, 6});
    parts.push_back({counted(uint64_t(s.host->cpus), "CPU"), Style::plain, 5});
  }
  if (s.event.has_value())
    parts.push_back({fmt::format("{} {}{}", s.event->name, s.event->rate(), s.event->cost()),
                     Style::plain, 4, fmt::format("{} {}", s.event->name, s.event->rate())});
  else if (s.requested.observers == Observing::off)
    parts.push_back({"observers off", Style::warning, 1});
  const double steal = s.steal_share.value.value_or(0);
  if (steal >= kStealWorthSaying)
    parts.push_back({fmt::format("steal {:.0f} %", steal * 100),
                     steal > kStealTooMuch ? Style::error : Style::warning, 1});
  // Its reason is in the message line.
  const bool quiet = s.noise.empty();
  parts.push_back({" NOISY ", {Style::warning, kReverse}, quiet ? 3 : 1, {}, quiet});
  add_badges(parts, s);
  return parts;
}

// In increasingly short forms.
std::string frozen_badge(std::string_view shown, std::string_view running, int room) {
  if (running.empty()) return " FROZEN ";
  const std::string_view what = running == "custom" ? "another setting" : running;
  for (std::string text :
       {fmt::format(" FROZEN on {}; {} is running ", shown, what),
        fmt::format(" FROZEN; {} is running ", what), fmt::format(" FROZEN; {} runs ", what)})
    if (columns_of(text) <= room) return text;
  return " FROZEN; another runs ";
}

int columns_with_gap(const Part& part) { return columns_of(part.text) + 3; }

void choose(std::vector<Part>& parts, int room) {
  for (int rank = 0; rank <= 6; ++rank) {
    for (Part& part : parts) {
      if (part.rank != rank || part.text.empty()) continue;
      if (columns_with_gap(part) > room && !part.brief.empty()) part.text = part.brief;
      if (columns_with_gap(part) > room) continue;
      part.shown = true;
      room -= columns_with_gap(part);
    }
  }
}

Style severity_style(Severity severity) {
  if (severity == Severity::info) return Style::dim;
  return severity == Severity::warning ? Style::warning : Style::error;
}

// As many as fit, each with a blank after it.
std::string words_in(std::string_view line, int cols) {
  std::string text;
  for (const std::string& word : split(line, ' ')) {
    if (columns_of(text) + columns_of(word) + 1 > cols) break;
    text += word + ' ';
  }
  return text;
}

void draw_item(const Area& area, const KeyItem& item) {
  int col = area.put(item.place.row, item.place.col, item.keys, Style::key);
  const bool on = item.lamp == Lamp::on, bad = item.lamp == Lamp::differs;
  const Style style = bad ? Style::warning : on ? Style::lit : Style::plain;
  col = area.put(item.place.row, col + 1, item.text, item.lamp == Lamp::off ? Style::dim : style);
  if (item.lamp == Lamp::none) return;
  area.put(item.place.row, col + 1, bad ? "!" : on ? "●" : "○", bad || on ? style : Style::dim);
}

void place(KeyItem& item, int row, int col) { item.place = {row, col, 1, item.columns()}; }

// Where items of these widths are, one after the other, on as many lines as they need. None: there
// is no room.
std::vector<Rect> places_of(std::span<const int> widths, const Rect& bar, int last_end, int gap) {
  std::vector<Rect> places;
  int row = 0, col = 1;
  for (const int width : widths) {
    const auto end = [&] { return row + 1 == bar.rows ? last_end : bar.cols - 1; };
    if (col + width > end() && row + 1 < bar.rows) ++row, col = 1;
    if (col + width > end()) return {};
    places.push_back({row, col, 1, width});
    col += width + gap;
  }
  return places;
}

// Important ones first; each keeps its place in the order.
void place_by_rank(std::vector<KeyItem>& items, const Rect& bar, int last_end, int gap) {
  std::vector<size_t> by_rank(items.size());
  std::iota(by_rank.begin(), by_rank.end(), size_t{0});
  std::ranges::stable_sort(by_rank, {}, [&](size_t i) { return items[i].rank; });
  std::vector<int> widths;
  std::vector<size_t> chosen;
  std::vector<Rect> places;
  for (const size_t i : by_rank) {
    const auto at = std::ranges::upper_bound(chosen, i) - chosen.begin();
    widths.insert(widths.begin() + at, items[i].columns());
    chosen.insert(chosen.begin() + at, i);
    if (auto found = places_of(widths, bar, last_end, gap); !found.empty()) {
      places = std::move(found);
    } else {
      widths.erase(widths.begin() + at);
      chosen.erase(chosen.begin() + at);
    }
  }
  for (size_t n = 0; n < places.size(); ++n) items[chosen[n]].place = places[n];
}

}  // namespace

Frame frame_of(int rows, int cols, int key_rows) {
  Frame f;
  f.fits = rows >= kMinRows && cols >= kMinCols;
  if (!f.fits) return f;
  f.boxed = rows >= 22 && cols >= 72;
  const int message_rows = rows >= 34 ? 2 : 1;
  f.title = {0, 0, 1, cols};
  f.keys = {rows - key_rows, 0, key_rows, cols};
  f.message = {f.keys.row - message_rows, 0, message_rows, cols};
  f.body = {1, 0, f.message.row - 1, cols};
  return f;
}

Rect inside(Border border, const Rect& p) {
  if (border == Border::rule) return {p.row + 1, p.col, p.rows - 1, p.cols};
  return {p.row + 1, p.col + 2, p.rows - 2, p.cols - 4};
}

int title_columns(std::span<const TitlePart> parts, int gap) {
  int columns = 0;
  for (const TitlePart& part : parts) {
    if (!part.text.empty()) columns += columns_of(part.text) + (columns > 0 ? gap : 0);
  }
  return columns;
}

Area draw_panel(Canvas& canvas, Border border, const Rect& rect, std::span<const TitlePart> title,
                bool focused) {
  const Area area(canvas, rect);
  const Ink ink = focused ? Style::focus : Style::frame;
  if (border == Border::box) {
    draw_box(area, ink);
  } else {
    draw_rule(area, ink);
  }
  draw_title(area.part({0, 1, 1, rect.cols - 2}), title);
  return {canvas, inside(border, rect)};
}

Area draw_dialog(Canvas& canvas, const Rect& box, std::string_view title, std::string_view hint) {
  // What a narrow margin would show of the screen behind can't be read.
  constexpr int kNarrowMargin = 4;
  const Rect whole_rows = {box.row, 0, box.rows, canvas.cols()};
  Area(canvas, box.col <= kNarrowMargin ? whole_rows : box).fill(U' ', {});
  const TitlePart parts[] = {{std::string(title), Style::title}, {std::string(hint), Style::dim}};
  return draw_panel(canvas, Border::box, box, parts, true);
}

Area draw_dialog(Canvas& canvas, std::string_view title, std::string_view hint, int lines,
                 int cols) {
  const int title_cols = columns_of(title) + columns_of(hint) + 3 + 4;
  const int box_rows = std::min(lines + 2, canvas.rows());
  const int box_cols = std::min(std::max(cols, title_cols) + 4, canvas.cols());
  const Rect box = {(canvas.rows() - box_rows) / 2, (canvas.cols() - box_cols) / 2, box_rows,
                    box_cols};
  return draw_dialog(canvas, box, title, hint);
}

void draw_question(Canvas& canvas, const Question& question) {
  constexpr int kGap = 3;
  int cols = 0;
  for (const ScreenKey& answer : question.answers)
    cols += columns_of(answer.keys) + 1 + columns_of(answer.help) + kGap;
  for (const std::string& line : question.lines) cols = std::max(cols, columns_of(line) + 2);
  const auto lines = static_cast<int>(question.lines.size());
  const Area area = draw_dialog(canvas, question.title, "", lines == 0 ? 1 : lines + 2, cols);
  for (int row = 0; row < lines; ++row)
    area.put_fitted(row, 1, area.cols() - 1, question.lines[static_cast<size_t>(row)],
                    Style::plain);
  Pen pen(area, area.rows() - 1, 1);
  Ink ink{Style::plain, kBold};
  for (const ScreenKey& answer : question.answers) {
    pen.text(answer.keys, Style::key).text(fmt::format(" {}   ", answer.help), ink);
    ink = Style::plain;
  }
}

void draw_too_small(Canvas& canvas) {
  const std::string text =
      fmt::format("needs {}x{}, has {}x{}", kMinCols, kMinRows, canvas.cols(), canvas.rows());
  const Area area(canvas, {0, 0, canvas.rows(), canvas.cols()});
  const auto lines = static_cast<int>(broken(text, canvas.cols()).size());
  const int row = std::max(0, (canvas.rows() - lines) / 2);
  const int col = std::max(0, (canvas.cols() - columns_of(text)) / 2);
  wrap(area.part({row, col, canvas.rows(), canvas.cols()}), text, Style::warning);
}

void draw_title_bar(const Area& area, const Snapshot& s, std::string_view preset, bool frozen,
                    std::string_view running, std::span<const TitlePart> badges) {
  const std::string elapsed = elapsed_text(s.uptime_ns);
  int right = area.cols() - 1 - columns_of(elapsed);
  area.put(0, right, elapsed, Style::plain);
  if (frozen) {
    const int room = right - columns_of(preset) - (area.cols() >= kNamedCols ? 13 : 4);
    const std::string text = frozen_badge(preset, running, room);
    right -= columns_of(text) + 1;
    area.put(0, right, text, {Style::warning, kReverse});
  }
  for (const TitlePart& badge : badges) {
    right -= columns_of(badge.text) + 1;
    area.put(0, right, badge.text, badge.ink);
  }
  int col = 1;
  if (area.cols() >= kNamedCols) col = area.put(0, col, "pipetop", Style::title) + 2;
  col = area.put_fitted(0, col, right - col - 2, preset, Style::title);
  // Not in effect yet.
  if (!s.effective.settled) area.put(0, col, "…", Style::dim);

  std::vector<Part> parts = parts_of(s);
  choose(parts, right - col - 1);
  col += 3;
  bool first = true;
  for (const Part& part : parts) {
    if (!part.shown || part.blank) continue;
    if (!first) col = area.put(0, col, part.ink.emphasis & kReverse ? "  " : " · ", Style::dim);
    first = false;
    col = area.put(0, col, part.text, part.ink);
  }
}

void draw_show_title(const Area& area, const Snapshot& s, std::string_view title, bool frozen,
                     std::span<const TitlePart> badges) {
  std::vector<Part> parts = parts_of(s);
  std::erase_if(parts, [](const Part& part) { return part.rank > 1 || part.text.empty(); });
  if (frozen) parts.push_back({" FROZEN ", {Style::warning, kReverse}, 0});
  if (pace_of(s) == Pace::slow_motion)
    parts.push_back({" SLOW MOTION ", {Style::warning, kReverse}, 0});
  std::vector<TitlePart> all;
  for (const Part& part : parts) all.push_back({part.text, part.ink});
  all.insert(all.end(), badges.begin(), badges.end());
  draw_show_title(area, title, all);
}

void draw_show_title(const Area& area, std::string_view title, std::span<const TitlePart> parts) {
  int right = area.cols() - 1;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    right -= columns_of(part->text);
    if (right < area.cols() / 2) break;  // the title matters more
    area.put(0, right, part->text, part->ink);
    right -= 2;
  }
  const std::string fits = whole_words(title, right - 2);
  area.put_fitted(0, 1, right - 2, fits.empty() ? title : fits, Style::title);
}

void draw_message(Canvas& canvas, Rect rect, const Message& m) {
  constexpr std::string_view kMore = "… (! all)";
  if (m.text.empty()) return;
  const bool news = m.severity == Severity::info;
  const int col = news ? 1 : 3;  // after the sign
  const Style style = severity_style(m.severity);
  const Area line(canvas, rect);
  if (!news) line.put(0, 1, "!", {style, kReverse});
  const Area area = line.part({0, col, rect.rows, rect.cols - col - 1});
  // News and the verdict end with a whole clause; of an error nothing may be lost unsaid.
  if (news && area.rows() == 1) {
    area.put(0, 0, whole_clauses(m.text, area.cols()), style);
    return;
  }
  const auto lines = broken(m.text, area.cols());
  const auto rows = std::min(lines.size(), static_cast<size_t>(area.rows()));
  for (size_t row = 0; row + 1 < rows; ++row) area.put(static_cast<int>(row), 0, lines[row], style);
  const int last = static_cast<int>(rows) - 1;
  if (lines.size() == rows) return void(area.put(last, 0, lines[rows - 1], style));
  const std::string words = words_in(lines[rows - 1], area.cols() - columns_of(kMore));
  area.put(last, area.put(last, 0, words, style), kMore, style);
}

int KeyItem::columns() const {
  return columns_of(keys) + 1 + std::max(columns_of(text), widest) + (lamp == Lamp::none ? 0 : 2);
}

std::vector<KeyItem> place_keys(const Rect& bar, std::vector<KeyItem> items) {
  KeyItem help{"?", "help", {U'?'}}, quit{"q", "quit", {U'q'}};
  const int gap = bar.cols >= 110 ? 3 : bar.cols >= 72 ? 2 : 1;
  place(quit, bar.rows - 1, bar.cols - quit.columns() - 1);
  place(help, bar.rows - 1, quit.place.col - help.columns() - gap);
  place_by_rank(items, bar, help.place.col - gap, gap);
  items.push_back(std::move(help));
  items.push_back(std::move(quit));
  return items;
}

Key key_at(const std::vector<KeyItem>& items, int row, int col) {
  for (const KeyItem& item : items) {
    if (item.presses.empty() || !item.place.contains(row, col)) continue;
    const auto n = static_cast<int>(item.presses.size());
    const int part = (col - item.place.col) * n / item.place.cols;
    return item.presses[static_cast<size_t>(part)];
  }
  return 0;
}

void draw_keys(const Area& area, const std::vector<KeyItem>& items) {
  for (const KeyItem& item : items) {
    if (!item.place.empty()) draw_item(area, item);
  }
}

}  // namespace pipetop::tui
