#include <algorithm>
#include <vector>

#include "engine/workload/table/workloads.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/pages.h"

namespace pipetop::tui {
namespace {

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
  columns.push_back({"±", 5, true, rate(&RateStats::stddev), Style::dim});
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

void draw_segment_log(Canvas& canvas, Border border, const Rect& rect,
                      const SegmentLogShown& shown) {
  if (rect.empty()) return;
  Area(canvas, rect).fill(U' ', {});
  const Log log(shown.snapshot);
  const TitlePart title[] = {{"segments", Style::title},
                             {fmt::format("{}", log.size()), Style::dim},
                             {"j k scroll, L closes", Style::dim}};
  draw_segments(draw_panel(canvas, border, rect, title, true), log, shown);
}

int log_scroll_end(Border border, const Rect& rect, const Snapshot& s) {
  if (rect.empty()) return 0;
  const Rect area = inside(border, rect);
  const int segments = static_cast<int>(s.throughput.segments.size()) + 1;
  return std::max(0, segments - shape_of(area.rows, area.cols).visible);
}

}  // namespace pipetop::tui
