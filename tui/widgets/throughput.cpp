#include "tui/widgets/throughput.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "engine/registry/workloads.h"
#include "tui/draw/charts.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kLongestInterval = 1'000 * kMillisecond;  // of one point; above: a gap
constexpr int kAxisCols = 5;

// Eight dots per cell: two columns of four.
void draw_braille(const Area& area, const Bins& bins, double top) {
  constexpr std::array<std::array<uint8_t, 5>, 2> kFill = {
      {{0x00, 0x40, 0x44, 0x46, 0x47}, {0x00, 0x80, 0xA0, 0xB0, 0xB8}}};
  const int dots = area.rows() * 4;
  for (int col = 0; col < area.cols(); ++col) {
    std::array<int, 2> height{};
    for (size_t side = 0; side < 2; ++side) {
      const double value = bins.values[static_cast<size_t>(col) * 2 + side];
      if (value < 0) continue;
      height[side] = std::clamp(static_cast<int>(std::lround(value / top * dots)), 1, dots);
    }
    for (int row = 0; row < area.rows(); ++row) {
      const int below = (area.rows() - 1 - row) * 4;
      const auto level = [&](size_t side) {
        return kFill[side][static_cast<size_t>(std::clamp(height[side] - below, 0, 4))];
      };
      const uint8_t pattern = level(0) | level(1);
      if (pattern != 0) area.set(row, col, 0x2800 + pattern, Style::graph);
    }
  }
}

void draw_axis(const Area& area, double top) {
  area.put_right(0, fmt::format("{:g}", top), Style::dim);
  if (area.rows() >= 8) area.put_right(area.rows() / 2, fmt::format("{:g}", top / 2), Style::dim);
  if (area.rows() >= 2) area.put_right(area.rows() - 1, "0", Style::dim);
}

// On top of the curve, so that a rate above its roof is visible, too.
void draw_roof(const Area& area, double height, const std::string& label) {
  if (!(height >= 0 && height <= 1)) return;
  const int row = std::clamp(static_cast<int>((1 - height) * area.rows()), 0, area.rows() - 1);
  const int begin = area.put(row, 1, label, Style::mark) + 1;
  for (int col = begin; col < area.cols(); col += 2)
    area.set(row, col, area.glyphs().horizontal, Style::mark);
}

// The window of the big number: one second is stable enough to read aloud.
const Reading<double>& headline(const Throughput& t) {
  return t.over_1s.has_value() ? t.over_1s : t.over_100ms;
}

// How rates are shown.
struct Terms {
  Pace pace = Pace::normal;
  const Segment* a = nullptr;  // kept as A; else the previous one is used
  const Unit& unit;
  std::optional<double> roof;
  bool damaged = false;
};

// Of the large number.
Style rate_style(const Terms& terms) {
  if (terms.damaged) return Style::error;
  return terms.pace == Pace::slow_motion ? Style::warning : Style::graph;
}

Item rate_item(const Reading<RateStats>& rate, std::string before, const Terms& terms) {
  RateUnit unit = {1, terms.unit.rate};
  Item item = item_of(rate, std::move(before), {}, [&](const RateStats& r) {
    unit = rate_unit(r.mean, terms.pace, terms.unit);
    return fmt::format("{} ±{}", rate_text(r.mean * unit.per_unit),
                       rate_text(r.stddev * unit.per_unit));
  });
  if (terms.pace == Pace::slow_motion && rate.has_value()) item.after = unit.name;
  return item;
}

// The reference, and the gain since then; not in slow motion, whose rates are
// meaningless.
std::vector<Item> comparison(const Throughput& t, const Terms& terms) {
  const Segment* reference = terms.a ? terms.a : t.previous.get();
  if (!reference || !reference->rate.has_value()) return {};
  const std::string name = terms.a ? "A" : "was";
  if (reference->requested.pipe.slow_motion) return {{name, "slow motion", {}, Style::dim}};
  const double before = reference->rate->mean;
  std::vector<Item> items = {{name, rate_text(before), {}, Style::value}};
  const bool slow = terms.pace == Pace::slow_motion;
  if (slow) items[0].after = terms.unit.rate;
  if (slow || !t.current.rate.has_value() || before <= 0) return items;
  const double ratio = t.current.rate->mean / before;
  const Style style = ratio >= 1.02 ? Style::good : ratio <= 0.98 ? Style::warning : Style::value;
  items.push_back({{}, ratio_text(ratio), {}, style});
  return items;
}

// How close it is to the roof, except in slow motion.
void add_roof(std::vector<Item>& items, const Throughput& t, const Terms& terms) {
  if (!terms.roof || terms.pace == Pace::slow_motion || !headline(t).has_value()) return;
  items.push_back({{},
                   fmt::format("{:.0f} %", *headline(t) / *terms.roof * 100),
                   "of roof " + rate_text(*terms.roof),
                   Style::mark});
}

// The number in its unit, on one or two lines with its details.
int draw_small(const Area& area, const Throughput& t, const Terms& terms) {
  RateUnit unit = {1, terms.unit.rate};
  std::vector<Item> items = {item_of(headline(t), {}, {}, [&](double rate) {
    unit = rate_unit(rate, terms.pace, terms.unit);
    return rate_text(rate * unit.per_unit);
  })};
  items[0].after = unit.name;
  if (items[0].ink.style == Style::value)
    items[0].ink = {terms.damaged ? Style::error : Style::graph, kBold};
  for (Item& item : comparison(t, terms)) items.push_back(std::move(item));
  items.push_back(rate_item(t.over_10s, "10 s", terms));
  add_roof(items, t, terms);
  const int room = area.rows() >= 4 ? 2 : 1;
  return flow(area.from_row(0, room), items);
}

// To the right of the digits, a line each.
void draw_details(const Area& area, const Throughput& t, const RateUnit& unit, const Terms& terms) {
  area.put(0, 0, unit.name, Style::value);
  const bool room = area.rows() >= 5;
  const Area lines = area.from_row(room ? 2 : 1);
  int row = 0;
  const std::vector<Item> compared = comparison(t, terms);
  if (!compared.empty()) flow(lines.from_row(row++, 1), compared);
  if (room && t.previous) {
    const std::string& key = t.current.key;
    const Item since[] = {
        rate_item(t.current.rate, "since " + (key.empty() ? "then" : key), terms)};
    flow(lines.from_row(row++, 1), since);
  }
  std::vector<Item> ten_seconds = {rate_item(t.over_10s, "10 s", terms)};
  add_roof(ten_seconds, t, terms);
  flow(lines.from_row(row), ten_seconds);
}

int draw_big(const Area& area, const Throughput& t, DigitSize size, const Terms& terms) {
  const RateUnit unit = rate_unit(*headline(t), terms.pace, terms.unit);
  const std::string number = rate_text(*headline(t) * unit.per_unit);
  const bool stale = headline(t).status == ReadingStatus::stale;
  draw_big_number(area, number, size, stale ? Ink(Style::dim) : Ink(rate_style(terms), kBold));
  // Reserves the widest usual number, so that the details do not move.
  const int cols = std::max(big_number_cols(number, size), big_number_cols("88.8", size));
  const int rows = digit_rows(size);
  draw_details(area.part({0, cols + 3, rows, area.cols()}), t, unit, terms);
  return rows + (area.rows() > rows + 8 ? 1 : 0);
}

}  // namespace

Bins bin_history(std::span<const RatePoint> history, uint64_t now_ns, int bins) {
  Bins result{time_axis(now_ns, bins), std::vector<double>(static_cast<size_t>(std::max(bins, 0)))};
  const TimeAxis& axis = result.axis;
  std::vector<double> weights(result.values.size());
  const auto start = static_cast<uint64_t>(std::max<int64_t>(0, axis.start_ns()));
  auto point = std::ranges::lower_bound(history, start, {}, &RatePoint::at_ns);
  for (; point != history.end() && axis.bins > 0; ++point) {
    const auto end = static_cast<int64_t>(point->at_ns);
    const int64_t before =
        point == history.begin() ? 0 : static_cast<int64_t>(std::prev(point)->at_ns);
    const bool gap = end - before > kLongestInterval;
    axis.spread(gap ? end - 100 * kMillisecond : before, end, [&](size_t bin, double overlap) {
      result.values[bin] += point->rate * overlap;
      weights[bin] += overlap;
    });
  }
  for (size_t i = 0; i < weights.size(); ++i)
    result.values[i] = weights[i] > 0 ? result.values[i] / weights[i] : -1;
  return result;
}

double axis_end(double max) {
  if (!(max > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(max)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (max <= step * power * 1.0000001) return step * power;
  }
  return 10 * power;
}

void draw_history(const Area& area, const Throughput& throughput, uint64_t now_ns, Pace pace,
                  std::optional<double> roof) {
  const bool marks = area.rows() >= 2;
  const int graph_rows = area.rows() - (marks ? 1 : 0);
  const int axis_cols = area.cols() >= 36 ? kAxisCols : 0;
  const Area graph = area.part({0, axis_cols, graph_rows, area.cols() - axis_cols});
  if (graph.empty()) return;
  const int bins_a_cell = area.glyphs().braille ? 2 : 1;
  Bins bins = bin_history(throughput.history, now_ns, graph.cols() * bins_a_cell);
  const double most = *std::ranges::max_element(bins.values);
  const RateUnit unit = rate_unit(most, pace, unit_of(throughput.current.requested));
  for (double& value : bins.values) value *= unit.per_unit;
  const bool near = roof && *roof <= 2 * most;
  const double top = axis_end((near ? std::max(most, *roof) : most) * unit.per_unit);
  if (area.glyphs().braille) {
    draw_braille(graph, bins, top);
  } else {
    for (double& value : bins.values) value = std::max(value, 0.0) / top;
    draw_columns(graph, bins.values, Style::graph);
  }
  if (near)
    draw_roof(graph, *roof * unit.per_unit / top, fmt::format("roof {} GiB/s", rate_text(*roof)));
  if (axis_cols > 0) draw_axis(area.part({0, 0, graph_rows, axis_cols - 1}), top);
  if (!marks) return;
  const Area below = area.from_row(graph_rows);
  if (axis_cols > 0)
    below.part({0, 0, 1, axis_cols - 1}).put_right(0, span_text(bins.axis), Style::dim);
  draw_marks(below.part({0, axis_cols, 1, graph.cols()}), throughput.marks, bins.axis, bins_a_cell);
}

TitlePart pace_badge(Pace pace) {
  if (pace == Pace::normal) return {};
  return {" SLOW MOTION ", {Style::warning, kReverse}};
}

TitlePart step_badge() { return {" SINGLE STEPS ", {Style::warning, kReverse}}; }

std::string frozen_text(const Segment& a, int cols) {
  std::string rate = a.rate.has_value()
                         ? fmt::format("{} {}", rate_text(a.rate->mean), unit_of(a.requested).rate)
                         : "…";
  if (a.requested.pipe.slow_motion) rate = "slow motion";
  const int room = cols - columns_of("A: , ") - columns_of(rate);
  if (columns_of(a.label) <= room) return fmt::format("A: {}, {}", a.label, rate);
  constexpr int kWorthReading = 6;
  if (room < kWorthReading) return fmt::format("A: {}", rate);
  return fmt::format("A: {}…, {}", beginning(a.label, room - 1), rate);
}

void draw_throughput(const Area& area, const Throughput& t, uint64_t now_ns, Pace pace,
                     const Segment* a, std::optional<double> roof, bool damaged) {
  const Terms terms{pace, a, unit_of(t.current.requested), roof, damaged};
  int used = 0;
  if (!headline(t).has_value() || area.rows() < 6 || area.cols() < 34) {
    used = draw_small(area, t, terms);
  } else {
    const bool huge = area.rows() >= 24 && area.cols() >= 90;  // a zoomed panel
    const bool full = area.rows() >= 11 && area.cols() >= 52;
    used = draw_big(area, t,
                    huge   ? DigitSize::huge
                    : full ? DigitSize::full
                           : DigitSize::half,
                    terms);
  }
  draw_history(area.from_row(used), t, now_ns, pace, roof);
}

}  // namespace pipetop::tui
