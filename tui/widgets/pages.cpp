#include "tui/widgets/pages.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/workload/table/workloads.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"

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

constexpr int kOneLineCols = 140;  // with less, a segment takes two lines

struct Shape {
  int lines;    // per segment
  int headers;  // lines above them
  int visible;  // segments
};

Shape shape_of(int rows, int cols) {
  const int lines = cols >= kOneLineCols ? 1 : 2;
  // A second line of headings must not displace a segment.
  const int headers = lines == 2 && rows >= 8 ? 2 : 1;
  return {lines, headers, std::max(1, (rows - headers) / lines)};
}

// The current segment only has its rate; its observations are elsewhere in the
// snapshot.
Segment present_segment(const Snapshot& s) {
  Segment present = s.throughput.current;
  present.change = s.change;
  if (s.watched) return present;
  present.occupancy = s.ring.occupancy;
  for (size_t i = 0; i < kRoles; ++i) {
    const WorkerReadings& w = s.workers[i];
    present.roles[i].shares.blocked = w.shares.blocked;
    present.roles[i].functions = w.functions;
  }
  return present;
}

// The segments, newest first, starting with the current one.
class Log {
 public:
  explicit Log(const Snapshot& s) : present_(present_segment(s)), closed_(s.throughput.segments) {}

  int size() const { return static_cast<int>(closed_.size()) + 1; }
  const Segment& at(int i) const {
    return i == 0 ? present_ : *closed_[closed_.size() - size_t(i)];
  }
  // The previous one, nullptr if it is no longer known.
  const Segment* before(int i) const { return i + 1 < size() ? &at(i + 1) : nullptr; }

 private:
  Segment present_;
  const std::vector<std::shared_ptr<const Segment>>& closed_;
};

std::string percent_figure(double share) { return fmt::format("{:.0f}", share * 100); }

std::string top_function(const SegmentRole& role, const HottestFunctions& hottest) {
  if (!role.functions.has_value()) return "";
  const auto top = hottest.first(*role.functions, 1);
  if (top.empty()) return "";
  return fmt::format("{:.0f} {}", top[0].share * 100, top[0].name);
}

// A rate in slow motion is meaningless.
std::string ratio(const Segment& now, const Segment* before) {
  if (!before || !before->rate.has_value() || !now.rate.has_value()) return "";
  if (before->requested.pipe.slow_motion || now.requested.pipe.slow_motion) return "";
  if (before->rate->mean <= 0) return "";
  return ratio_text(now.rate->mean / before->rate->mean);
}

// A column of the log: its heading, width and contents.
struct Column {
  std::string heading;
  int cols;
  bool right;
  std::string text;
  Ink ink;
};

std::vector<Column> change_columns(const Segment& s) {
  return {
      {"key", 4, false, s.key, Style::mark},
      {"change", 0, false, s.label, Style::plain},
      {"s", 6, true, fmt::format("{:.1f}", static_cast<double>(s.duration_ns) / 1e9), Style::dim}};
}

// The second one has no width yet.
std::vector<Column> rate_columns(const Segment& s, const Segment* before) {
  const auto rate = [&](auto member) -> std::string {
    if (s.requested.pipe.slow_motion) return member == &RateStats::mean ? "slow" : "";
    return text_of(s.rate, [&](const RateStats& r) { return rate_text(r.*member); });
  };
  std::vector<Column> columns = change_columns(s);
  columns.push_back(
      {std::string(unit_of(s.requested).rate), 6, true, rate(&RateStats::mean), Style::value});
  columns.push_back({"median", 6, true, rate(&RateStats::median), Style::dim});
  const auto off = [](const RateStats& r) { return plus_minus_text(r); };
  columns.push_back(
      {"±", 5, true, s.requested.pipe.slow_motion ? "" : text_of(s.rate, off), Style::dim});
  columns.push_back({"×", 6, true, ratio(s, before), Style::value});
  return columns;
}

std::vector<Column> ring_columns(const Segment& s) {
  const auto ring = [&](auto member) {
    return text_of(s.occupancy, [&](const Occupancy& o) { return percent_figure(o.*member); });
  };
  return {{"ring%", 5, true, ring(&Occupancy::mean_share), Style::plain},
          {"empty", 5, true, ring(&Occupancy::empty_share), Style::dim},
          {"full", 4, true, ring(&Occupancy::full_share), Style::dim}};
}

// The last ones, a function per role, have no width yet.
std::vector<Column> observed_columns(const Segment& s, const HottestFunctions& hottest) {
  std::vector<Column> columns;
  if (terms_of(s.requested).has_ring) columns = ring_columns(s);
  const auto roles = roles_of(s.requested);
  std::string blocked = "blocked:";
  for (const Role role : roles) {
    const std::string_view name = role_name(s.requested, role);
    columns.push_back({blocked + std::string(name.substr(0, 1)), blocked.empty() ? 3 : 9, true,
                       text_of(s.role(role).shares.blocked, percent_figure), style_of(role)});
    blocked.clear();
  }
  for (const Role role : roles)
    columns.push_back({fmt::format("{} in", role_name(s.requested, role)), 0, false,
                       top_function(s.role(role), hottest), style_of(role)});
  return columns;
}

// A watched pipeline has stages in place of roles: what they do is told by what the change did.
// Segments beside each other may be measured by other pipes: only a change compares the same ones.
std::vector<Column> watched_rate_columns(const Segment& s) {
  const auto mean = [](const RateStats& rate) { return byte_rate_text(rate.mean); };
  std::vector<Column> columns = change_columns(s);
  columns.push_back({"rate", 11, true, text_of(s.rate, mean), Style::value});
  columns.push_back(
      {"×", 6, true, s.change.has_value() ? ratio_text(s.change->factor) : "", Style::value});
  return columns;
}

std::vector<Column> watched_columns(const Segment& s) {
  std::vector<Column> columns = ring_columns(s);
  columns.push_back({"why", 0, false, s.change.has_value() ? s.change->words() : "", Style::plain});
  return columns;
}

int columns_in(const std::vector<Column>& columns) {
  int cols = 0;
  for (const Column& c : columns) cols += c.cols + 1;
  return cols;
}

void draw_cells(const Area& area, const std::vector<Column>& columns, bool headings) {
  int col = 0;
  for (const Column& c : columns) {
    const Area cell = area.part({0, col, 1, c.cols});
    const std::string_view text = headings ? std::string_view(c.heading) : c.text;
    const Ink ink = headings ? Ink(Style::dim) : c.ink;
    if (c.right)
      cell.put_right(0, text, ink);
    else
      cell.put_fitted(0, 0, c.cols, text, ink);
    col += c.cols + 1;
  }
}

constexpr int kNumberCols = 6;

// For a segment or the headings, starting after the number. The change and what has no width share
// the room that is left.
void draw_segment(const Area& area, const Segment& s, const Segment* before,
                  const SegmentLogShown& shown, bool headings) {
  const Area room = area.part({0, kNumberCols, area.rows(), area.cols()});
  const bool one_line = area.cols() >= kOneLineCols;
  const bool watched = shown.snapshot.watched.has_value();
  auto rates = watched ? watched_rate_columns(s) : rate_columns(s, before);
  auto observed = watched ? watched_columns(s) : observed_columns(s, shown.hottest);
  const int fixed = columns_in(rates) + (one_line ? columns_in(observed) + 1 : 0);
  const int spare = std::max(0, room.cols() - fixed);
  rates[1].cols = one_line ? std::clamp(spare * 2 / 5, 14, 32) : spare;
  draw_cells(room, rates, headings);
  const int begin = one_line ? columns_in(rates) + 1 : 0;
  const Area rest = one_line ? room.part({0, begin, 1, room.cols()}) : room.from_row(1, 1);
  const int room_left = std::max(0, rest.cols() - columns_in(observed));
  const auto sharing = std::ranges::count(observed, 0, &Column::cols);
  for (Column& c : observed)
    if (c.cols == 0) c.cols = room_left / static_cast<int>(sharing);
  draw_cells(rest, observed, headings);
}

void draw_segments(const Area& area, const Log& log, const SegmentLogShown& shown) {
  const Shape shape = shape_of(area.rows(), area.cols());
  const int end = std::max(0, log.size() - shape.visible);
  const int first = std::clamp(shown.scroll, 0, end);
  draw_segment(area.from_row(0, shape.headers), log.at(0), nullptr, shown, true);
  for (int i = 0; i < shape.visible && first + i < log.size(); ++i) {
    const Segment& s = log.at(first + i);
    const Area lines = area.from_row(shape.headers + i * shape.lines, shape.lines);
    const bool present = first + i == 0;
    lines.put(0, 0, present ? " now" : fmt::format("{:>4}", s.number),
              present ? Style::value : Style::dim);
    if (shown.reference.is_a && shown.reference.segment->number == s.number)
      lines.put(0, 4, "A", {Style::mark, kBold});
    draw_segment(lines, s, log.before(first + i), shown, false);
  }
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

void draw_segment_log(Canvas& canvas, Border border, const Rect& rect,
                      const SegmentLogShown& shown) {
  if (rect.empty()) return;
  Area(canvas, rect).fill(U' ', {});
  const Log log(shown.snapshot);
  std::vector<TitlePart> title = {{"segments", Style::title},
                                  {fmt::format("{}", log.size()), Style::dim}};
  constexpr int kWide = 80;
  const auto& watched = shown.snapshot.watched;
  if (watched && watched->measured && rect.cols >= kWide)
    title.push_back({fmt::format("rates of pipe {}", watched->measured->inode), Style::plain});
  title.push_back({"j k scroll, L closes", Style::dim});
  draw_segments(draw_panel(canvas, border, rect, title, true), log, shown);
}

int log_scroll_end(Border border, const Rect& rect, const Snapshot& s) {
  if (rect.empty()) return 0;
  const Rect area = inside(border, rect);
  const int segments = static_cast<int>(s.throughput.segments.size()) + 1;
  return std::max(0, segments - shape_of(area.rows, area.cols).visible);
}

}  // namespace pipetop::tui
