#include "tui/widgets/ring.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tui/draw/charts.h"
#include "tui/draw/numbers.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kOld_ns = 500'000'000;  // the age of a stale frame
constexpr int kMostHistogramRows = 14;

bool is_old(const RingFrame& frame, uint64_t now_ns) { return now_ns > frame.at_ns + kOld_ns; }

void add_use(std::vector<Item>& items, const Snapshot& s) {
  const RingFrame& f = *s.ring.frame;
  if (f.torn) {
    items.push_back({{}, "torn", {}, Style::warning});
    return;
  }
  if (s.ring.slots != 0 && f.slots != s.ring.slots) return;
  const double share = f.slots ? static_cast<double>(f.used) / f.slots : 0;
  items.push_back({{}, grouped_text(f.used), "used", Style::value});
  items.push_back({{}, fmt::format("{:.0f} %", share * 100), {}, Style::value});
  if (is_old(f, s.now_ns)) {
    const bool torn = s.ring.frame.status == ReadingStatus::stale;
    const double age_s = static_cast<double>(s.now_ns - f.at_ns) / 1e9;
    items.push_back({torn ? "torn; seen" : "seen", fmt::format("{:.1f} s", age_s), "ago",
                     torn ? Style::warning : Style::dim});
  }
}

// Nothing that is said of a settled ring is of one instant.
std::vector<Item> facts_of(const Snapshot& s, bool settled) {
  const RingReadings& ring = s.ring;
  std::vector<Item> items = {{{}, grouped_text(ring.slots), "slots", Style::value},
                             {{}, bytes_text(static_cast<double>(ring.bytes)), {}, Style::value}};
  if (settled)
    items.push_back(
        {"on average", whole_percent_text(ring.occupancy->mean_share), "used", Style::value});
  else if (ring.frame.has_value())
    add_use(items, s);
  return items;
}

void put_sign(Pen& pen, const Area& area, char32_t sign, Style style, std::string_view word) {
  if (pen.room() < static_cast<int>(word.size()) + 2) return;
  area.set(0, pen.col(), sign, style);
  pen.skip(2).text(word, Style::dim).skip(2);
}

// The signs of the kinds with their shares, which is also the legend.
void draw_kinds(const Area& area, const Reading<KindShares>& kinds, const StripStyle& view,
                const RingFrame& frame, bool huge) {
  if (!kinds.has_value()) {
    draw_absence(area, "kinds", kinds.status, kinds.reason);
    return;
  }
  Pen pen(area, 0);
  if (std::ranges::any_of(frame.slot, &Slot::rewritten))
    put_sign(pen, area, rewritten_glyph(area.glyphs()), Style::error, "rewritten");
  for (int i = 1; i < kSlotKinds; ++i) {
    const auto kind = static_cast<SlotKind>(i);
    const double share = (*kinds)[static_cast<size_t>(i)];
    if (share < 0.0005) continue;
    const std::string_view name = name_of(kind);
    if (pen.room() < static_cast<int>(name.size()) + 9) break;
    area.set(0, pen.col(), glyph_of(kind, false, area.glyphs()), style_of(kind));
    pen.skip(2).text(name, Style::dim).skip(1);
    pen.text(fmt::format("{:.0f} %", share * 100), Style::value).skip(2);
  }
  if (view.trail) {
    put_sign(pen, area, U'+', Style::good, "filled");
    put_sign(pen, area, U'-', Style::warning, "freed");
  }
  if (!huge) return;
  if (area.glyphs().set == GlyphSet::ascii) {
    if (pen.room() >= 13) pen.text("CAPITALS ", Style::plain).text("huge", Style::dim);
  } else {
    put_sign(pen, area, U'▔', Style::user_page, "huge");
  }
}

char32_t wheel(double turns, const Glyphs& glyphs) {
  constexpr std::array kRound = {U'◐', U'◓', U'◑', U'◒'}, kBars = {U'|', U'/', U'-', U'\\'};
  const auto quarter = static_cast<size_t>((turns - std::floor(turns)) * 4) % 4;
  return glyphs.set == GlyphSet::unicode ? kRound[quarter] : kBars[quarter];
}

// Above the strip of a settled ring: its ends, which turn too fast for an eye, and what its
// brightness means. The tail follows the head by as much as is used.
void draw_tempo(const Area& area, const RingTempo& tempo, const Occupancy& occupancy,
                const UsualSlot& usual) {
  Pen pen(area, 0);
  if (tempo.slowed() > 1) {
    for (const auto& [name, turns] : {std::pair{"tail ", tempo.turns() - occupancy.mean_share},
                                      std::pair{"head ", tempo.turns()}}) {
      pen.text(name, Style::dim);
      area.set(0, pen.col(), wheel(turns, area.glyphs()), Style::value);
      pen.skip(3);
    }
    pen.text(fmt::format("×1/{}", grouped_text(static_cast<uint64_t>(tempo.slowed()))), Style::dim);
    pen.skip(3);
  }
  draw_glows(pen, area, usual);
}

int draw_map(const Area& area, const Snapshot& s) {
  const TimeSpan span = pace_of(s) == Pace::slow_motion ? TimeSpan::finest : TimeSpan::minute;
  return draw_heat_map(area, *s.ring.history, s.throughput.marks, s.now_ns, span);
}

// The map with the histogram rotated beside it.
void draw_both(const Area& area, const Snapshot& s) {
  const int beside = std::clamp(area.cols() / 3, 18, 34);
  const Area map = area.part({0, 0, area.rows(), area.cols() - beside - 1});
  const int rows = draw_map(map, s);
  const Area bars = area.part({0, map.cols() + 1, area.rows(), beside});
  draw_occupancy_bars(bars.from_row(0, rows), s.ring.occupancy);
  if (s.ring.occupancy.has_value())
    bars.part({rows, 0, 1, beside}).put_right(0, s.ring.occupancy->source, Style::dim);
}

void draw_picture(const Area& area, const Snapshot& s, RingPicture picture) {
  const bool map = s.ring.history && area.rows() >= kLeastHeatRows;
  // Why there is none, above.
  const bool said = s.ring.occupancy.status == ReadingStatus::unavailable &&
                    s.ring.occupancy.reason == s.ring.frame.reason;
  if (!map || picture == RingPicture::histogram) {
    if (!said) draw_occupancy(area.from_row(0, kMostHistogramRows), s.ring.occupancy);
  } else if (picture == RingPicture::both && s.ring.occupancy.has_value()) {
    draw_both(area, s);
  } else {
    draw_map(area, s);
  }
}

// The strip with its markers and its legend, and the inspected slot in detail: in their places.
// A legend without a row of its own is drawn `beside` the facts.
void draw_slots(const Area& area, const RingPanel& panel, const SlotsPlace& place,
                const Area& beside) {
  StripStyle style = place.plan.strip_style;
  style.dim = is_old(place.frame, panel.now_ns);
  bool huge = std::ranges::any_of(place.frame.slot, &Slot::huge);
  const Area above = area.part(place.plan.markers), strip = area.part(place.plan.strip);
  if (panel.settled) {
    const UsualSlot usual = usual_slot(panel.ring.kinds, panel.huge);
    huge = usual.huge;
    draw_tempo(above, panel.state.tempo, *panel.ring.occupancy, usual);
    draw_settled_strip(strip, place.frame.slots, style, *panel.ring.occupancy, usual);
  } else {
    draw_markers(above, place.frame, style);
    draw_strip(strip, place.frame, style);
  }
  const Area legend =
      place.plan.legend.empty() && !style.selected ? beside : area.part(place.plan.legend);
  draw_kinds(legend, panel.ring.kinds, style, place.frame, huge);
  if (style.selected) draw_slot_detail(area.part(place.plan.detail), place.frame, *style.selected);
}

// A failed snapshot leaves everything in place; without snapshots, the chart gets
// the room below the reason.
void draw_without_slots(const Area& area, const RingPanel& panel, int above) {
  const RingReadings& ring = panel.ring;
  if (has_slots(ring)) {
    const RingLayout plan =
        ring_layout(area.rows(), area.cols(), ring.slots, panel.state, panel.pace, above);
    const int text_rows = plan.picture.empty() ? 1 : plan.picture.row - above;
    wrap(area.from_row(above, text_rows), absent_slots(ring), Style::dim);
    return panel.picture(area.part(plan.picture));
  }
  const int last = area.rows() - (has_verdict_row(area.rows()) ? 1 : 0);
  const Area text = area.from_row(above, std::max(1, area.rows() - 1 - above));
  int row = above;
  if (ring.frame.has_value()) {
    row += wrap(text, absent_slots(ring), Style::dim);
  } else {
    const std::string_view reason = ring.frame.reason;
    row +=
        draw_absence(text, "slots", ring.frame.status, panel.remedy_said ? why_of(reason) : reason);
  }
  if (last - row >= 5) ++row;  // air
  panel.picture(area.from_row(row, last - row));
}

// The reason, dimmed, while there is none.
void draw_verdict(const Area& area, const Reading<Verdict>& verdict) {
  if (!verdict.has_value()) {
    const std::string reason = verdict.reason.empty() ? "…" : verdict.reason;
    area.put(0, 0, whole_clauses("no verdict: " + reason, area.cols()), Style::dim);
    return;
  }
  const bool stale = verdict.status == ReadingStatus::stale;
  const std::string name = std::string(name_of(verdict->kind)) + ": ";
  const int col = area.put_fitted(0, 0, area.cols(), name, stale ? Style::dim : Style::title);
  area.put(0, col, whole_clauses(verdict->because, area.cols() - col),
           stale ? Style::dim : Style::plain);
}

constexpr int kInner = kOccupancyBins - 2;  // without "empty" and "full"

// Rescales the histogram to the columns: empty and full keep their own.
std::vector<double> columns(const Occupancy& o, int cols) {
  int inner = kInner;
  while (inner > 2 && inner + 2 > cols) inner /= 2;
  const int repeat = std::max(1, cols / (inner + 2));
  std::vector<double> result;
  const auto push = [&](double share) { result.insert(result.end(), size_t(repeat), share); };
  push(o.histogram.front());
  for (int i = 0; i < inner; ++i) {
    const int group = kInner / inner;
    double share = 0;
    for (int k = 0; k < group; ++k) share += o.histogram[static_cast<size_t>(1 + i * group + k)];
    push(share);
  }
  push(o.histogram.back());
  const double most = *std::ranges::max_element(result);
  if (most > 0) {
    for (double& share : result) share /= most;
  }
  return result;
}

// "full 25 %"
Pen& put_share(Pen& pen, std::string_view word, double share) {
  return pen.text(word, Style::dim)
      .text(" ", Style::dim)
      .text(whole_percent_text(share), Style::value);
}
int share_columns(double share) { return 5 + columns_of(whole_percent_text(share)); }

void draw_line(const Area& area, const Occupancy& o) {
  Pen pen(area, 0);
  put_share(pen, "empty", o.empty_share).skip(1);
  const int room = pen.room() - share_columns(o.full_share) - 1;
  const std::vector<double> heights = columns(o, std::min(kOccupancyBins, room));
  const auto cols = static_cast<int>(heights.size());
  draw_columns(area.part({0, pen.col(), 1, cols}), heights, Style::graph);
  put_share(pen.skip(cols + 1), "full", o.full_share).skip(2);
  if (pen.room() >= columns_of(o.source)) pen.text(o.source, Style::dim);
}

// Labels, chart, and the source.
void draw_tall(const Area& area, const Occupancy& o) {
  const bool caption = area.rows() >= 4;
  const Area chart = area.part({0, 0, area.rows() - (caption ? 2 : 1), area.cols()});
  const std::vector<double> heights = columns(o, chart.cols());
  draw_columns(chart, heights, Style::graph);
  const Area labels = area.part({chart.rows(), 0, 1, static_cast<int>(heights.size())});
  Pen left(labels, 0), middle(labels, 0, labels.cols() / 2 - 5),
      right(labels, 0, labels.cols() - share_columns(o.full_share));
  put_share(left, "empty", o.empty_share);
  put_share(middle, "mean", o.mean_share);
  put_share(right, "full", o.full_share);
  if (!caption) return;
  const std::string how = fmt::format("{} · {} samples", o.source, grouped_text(o.samples));
  area.put_fitted(area.rows() - 1, 0, area.cols(), how, Style::dim);
}

constexpr int kLabelCols = 6;       // "empty "
constexpr int kLegendRows = 8;      // minimum width for a legend
constexpr double kFewSamples = 20;  // fewer samples in a cell mean little

constexpr std::array<double, 5> kLeastShare = {0, 0, 0.05, 0.2, 0.5};  // of each level
constexpr std::array<Style, 5> kShades = {Style::plain, Style::heat_1, Style::heat_2, Style::heat_3,
                                          Style::heat_4};

// The samples of one cell's time, in fractions if a column spans two cells.
struct Samples {
  double all = 0;
  std::array<double, kOccupancyBins> in{};
};

std::vector<Samples> samples_by_cell(const OccupancyHistory& history, const TimeAxis& axis) {
  std::vector<Samples> cells(static_cast<size_t>(axis.bins));
  const auto start = static_cast<uint64_t>(std::max<int64_t>(0, axis.start_ns()));
  const auto& columns = history.columns;
  auto column = std::ranges::lower_bound(columns, start, {}, &OccupancyColumn::end_ns);
  for (; column != columns.end(); ++column) {
    const auto end = static_cast<int64_t>(column->end_ns);
    // Columns differ slightly in length; the time of a missing one stays blank.
    const auto usual = static_cast<int64_t>(history.column_ns);
    int64_t begin = end - usual;
    if (column != columns.begin()) {
      const auto before = static_cast<int64_t>(std::prev(column)->end_ns);
      if (before > end - 5 * usual) begin = before;
    }
    if (begin >= end) continue;
    axis.spread(begin, end, [&](size_t cell, double overlap) {
      const double part = overlap / static_cast<double>(end - begin);
      cells[cell].all += column->samples * part;
      for (size_t i = 0; i < column->count.size(); ++i)
        cells[cell].in[i] += column->count[i] * part;
    });
  }
  return cells;
}

void draw_cell(const Area& map, int col, const Samples& samples, std::span<double> rows) {
  if (samples.all <= 0) return;
  fold_bins(samples.in, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto level = static_cast<size_t>(heat_level(rows[i] / samples.all));
    if (level == 0) continue;
    const Ink ink = samples.all < kFewSamples ? Style::dim : kShades[level];
    map.set(map.rows() - 1 - static_cast<int>(i), col, map.glyphs().shade[level], ink);
  }
}

// The mean, to two digits: that of the newest column would change with every column.
uint64_t usual_samples(const OccupancyHistory& history) {
  uint64_t sum = 0, unit = 1;
  for (const OccupancyColumn& column : history.columns) sum += column.samples;
  const uint64_t mean = sum / history.columns.size();
  while (mean >= unit * 100) unit *= 10;
  return (mean + unit / 2) / unit * unit;
}

void draw_legend(const Area& area, const OccupancyHistory& history) {
  constexpr std::array<std::string_view, 5> kSteps = {"", "some", "5 %", "20 %", "50 % of samples"};
  Pen pen(area, 0);
  for (size_t level = 1; level < kShades.size(); ++level) {
    if (pen.room() < static_cast<int>(kSteps[level].size()) + 3) return;
    area.set(0, pen.col(), area.glyphs().shade[level], kShades[level]);
    pen.skip(2).text(kSteps[level], Style::dim).skip(2);
  }
  const std::string each = fmt::format("{} samples per column", usual_samples(history));
  if (pen.room() >= static_cast<int>(each.size())) pen.text(each, Style::dim);
}

}  // namespace

TitlePart integrity_title(const Reading<Integrity>& integrity, Payload payload) {
  if (payload != Payload::stamped) return {};
  if (integrity.status == ReadingStatus::unavailable)
    return {integrity.reason.substr(0, integrity.reason.find("; ")), Style::warning};
  if (!integrity.has_value()) return {"no page verified yet", Style::dim};
  const Integrity& i = *integrity;
  const bool stale = integrity.status == ReadingStatus::stale;
  if (i.damages()) return {damage_text(*i.wrong_share), Style::error};
  const uint64_t wrong = i.misplaced + i.torn + i.unstamped;
  if (wrong == 0)
    return {grouped_text(i.verified) + " pages verified", stale ? Style::dim : Style::good};
  const std::string text =
      wrong == 1 ? "1 page was wrong" : grouped_text(wrong) + " pages were wrong";
  // By settings of before.
  if (i.wrong_share.has_value()) return {text + ", none now", Style::dim};
  return {text, Style::error};
}

std::vector<TitlePart> ring_title(const Snapshot& s) {
  const bool several = s.parts.size() > 1;
  return {{several ? "ring of " + s.parts.front().name : "ring", Style::title},
          integrity_title(s.integrity, s.requested.pipe.payload)};
}

void draw_ring(const Area& area, const RingPanel& panel) {
  int above = 0;
  for (const std::vector<Item>& items : panel.facts) put_items(area.from_row(above++, 1), items);
  const auto place = place_slots(area.rect(), panel.ring, panel.state, panel.pace, above);
  if (!place) return draw_without_slots(area, panel, above);
  const int end = above > 0 ? line_columns(panel.facts.back()) + 3 : 0;
  draw_slots(area, panel, *place, area.part({above - 1, end, 1, area.cols() - end}));
  panel.picture(area.part(place->plan.picture));
}

void draw_ring(const Area& area, const Snapshot& s, const RingState& state, RingSaid said) {
  if (area.empty()) return;
  const bool settled = state.settled && drawable_frame(s.ring) && s.ring.occupancy.has_value() &&
                       s.ring.kinds.has_value();
  draw_ring(area, {.ring = s.ring,
                   .state = state,
                   .now_ns = s.now_ns,
                   .pace = pace_of(s),
                   .settled = settled,
                   .huge = s.effective.pipe.huge.value.value_or(false),
                   .facts = {facts_of(s, settled)},
                   .picture = [&](const Area& rest) { draw_picture(rest, s, state.picture); },
                   .remedy_said = said.remedy_said});
  if (has_verdict_row(area.rows()) && said.verdict == VerdictAt::ring)
    draw_verdict(area.from_row(area.rows() - 1), s.verdict);
}

void fold_bins(std::span<const double, kOccupancyBins> bins, std::span<double> rows) {
  std::ranges::fill(rows, 0.0);
  rows.front() = bins.front();
  rows.back() = bins.back();
  const auto inner = static_cast<double>(rows.size() - 2);
  for (int k = 0; k < kInner; ++k) {
    const double share = bins[static_cast<size_t>(k) + 1];
    const double begin = k * inner / kInner, end = (k + 1) * inner / kInner;
    const auto row = static_cast<size_t>(begin + 1e-9);
    const double over = std::max(0.0, end - static_cast<double>(row + 1)) / (end - begin);
    rows[1 + row] += share * (1 - over);
    if (over > 1e-9) rows[2 + row] += share * over;
  }
}

void draw_occupancy_bars(const Area& area, const Reading<Occupancy>& occupancy) {
  constexpr int kNumberCols = 11;  // " mean 42 %"
  const int rows = std::min(area.rows(), kMostOccupancyRows);
  if (!occupancy.has_value() || rows < 3 || area.cols() <= kNumberCols) return;
  std::array<double, kMostOccupancyRows> folded;
  const std::span<double> shares(folded.data(), static_cast<size_t>(rows));
  fold_bins(occupancy->histogram, shares);
  const double most = std::max(std::ranges::max(shares), 1e-9);
  const Area bars = area.part({0, 0, rows, area.cols() - kNumberCols});
  for (int row = 0; row < rows; ++row) {
    const double share = shares[static_cast<size_t>(rows - 1 - row)] / most;
    area.set(row, 0, area.glyphs().filling[1], Style::frame);
    draw_bar(bars.from_row(row, 1), share, Style::graph);
  }
  const auto number = [&](int row, std::string_view word, double share) {
    area.from_row(row, 1).put_right(0, fmt::format("{} {:>4}", word, whole_percent_text(share)),
                                    Style::value);
  };
  number(0, "full", occupancy->full_share);
  number(rows / 2, "mean", occupancy->mean_share);
  number(rows - 1, "empty", occupancy->empty_share);
}

void draw_occupancy(const Area& area, const Reading<Occupancy>& occupancy) {
  if (area.empty()) return;
  if (!occupancy.has_value()) {
    draw_absence(area, "occupancy", occupancy.status, occupancy.reason);
  } else if (area.rows() >= 3) {
    draw_tall(area, *occupancy);
  } else {
    draw_line(area, *occupancy);
    if (area.rows() >= 2)
      area.put_fitted(1, 0, area.cols(), grouped_text(occupancy->samples) + " samples", Style::dim);
  }
}

int heat_level(double share) {
  if (share <= 0) return 0;
  const auto above = std::upper_bound(kLeastShare.begin() + 1, kLeastShare.end(), share);
  return static_cast<int>(above - kLeastShare.begin()) - 1;
}

int draw_heat_map(const Area& area, const OccupancyHistory& history,
                  std::span<const ChangeMark> marks, uint64_t now_ns, TimeSpan span) {
  if (area.rows() < kLeastHeatRows || area.cols() < 2 * kLabelCols || history.columns.empty())
    return 0;
  const bool legend = area.rows() >= kLegendRows;
  const int rows = std::min(area.rows() - (legend ? 2 : 1), kMostOccupancyRows);
  const Area map = area.part({0, kLabelCols, rows, area.cols() - kLabelCols});
  const TimeAxis axis = time_axis(now_ns, map.cols(), span);
  const std::vector<Samples> cells = samples_by_cell(history, axis);
  std::array<double, kMostOccupancyRows> folded;
  for (int col = 0; col < map.cols(); ++col)
    draw_cell(map, col, cells[static_cast<size_t>(col)], {folded.data(), size_t(rows)});
  area.put(0, 0, "full", Style::dim);
  area.put(rows - 1, 0, "empty", Style::dim);
  area.part({rows, 0, 1, kLabelCols - 1}).put_right(0, span_text(axis), Style::dim);
  draw_marks(area.part({rows, kLabelCols, 1, map.cols()}), marks, axis, 1);
  if (legend) draw_legend(area.from_row(rows + 1, 1), history);
  return rows;
}

}  // namespace pipetop::tui
