#include "tui/widgets/throughput.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/workload/table/workloads.h"
#include "tui/draw/charts.h"
#include "tui/draw/text.h"
#include "tui/widgets/curve.h"

namespace pipetop::tui {
namespace {

constexpr int kAxisCols = 5;

void draw_axis(const Area& area, double top) {
  area.put_right(0, fmt::format("{:g}", top), Style::dim);
  if (area.rows() >= 8) area.put_right(area.rows() / 2, fmt::format("{:g}", top / 2), Style::dim);
  if (area.rows() >= 2) area.put_right(area.rows() - 1, "0", Style::dim);
}

// On top of the curve, so that a rate above its roof is visible, too.
void draw_level(const Area& area, double height, const std::string& label) {
  if (!(height >= 0 && height <= 1)) return;
  const int row = std::clamp(static_cast<int>((1 - height) * area.rows()), 0, area.rows() - 1);
  const int begin = area.put(row, 1, label, Style::mark) + 1;
  for (int col = begin; col < area.cols(); col += 2)
    area.set(row, col, area.glyphs().horizontal, Style::mark);
}

// Rates mix two settings, or are those of an instant, until then.
constexpr std::string_view kMeasuring = "measuring";

// Rows that the history keeps beside a line for the cause.
constexpr int kLeastHistory = 6;

// How rates are shown.
struct Terms {
  Pace pace = Pace::normal;
  const Segment* a = nullptr;  // kept as A; else the previous one is used
  const Unit& unit;
  KnownRates known;
  bool damaged = false;
  uint64_t now_ns = 0;
  bool differs = true;
  RateUnit shown = {1, unit.rate};  // of the headline, and of all beside it

  std::string beside(double rate) const { return rate_beside(rate, shown, pace, unit); }
};

// Colours the large number.
Style rate_style(const Terms& terms) {
  if (terms.damaged) return Style::error;
  return terms.pace == Pace::slow_motion ? Style::warning : Style::graph;
}

// The last second may have begun before the change.
bool is_young(const Throughput& t, const Terms& terms) {
  constexpr uint64_t kYoung = 1'500'000'000;
  return terms.now_ns < t.current.begin_ns + kYoung;
}

// What happens now, as opposed to the mean that is compared.
const Reading<double>& present_rate(const Throughput& t, const Terms& terms) {
  return t.over_1s.has_value() && !is_young(t, terms) ? t.over_1s : t.over_100ms;
}

// The big number: the mean since the change, once it has settled, so that it is the one that the
// factor was made of. Slow motion has no mean worth reading.
Reading<double> headline(const Throughput& t, const Terms& terms) {
  const bool slow = terms.pace == Pace::slow_motion;
  const Reading<RateStats>& rate = t.current.rate;
  if (slow ? is_young(t, terms) || !t.over_1s.has_value() : !is_settled(rate))
    return Reading<double>::warming(std::string(kMeasuring));
  if (slow) return t.over_1s;
  return {rate.status, rate->mean, rate.reason};
}

// Far from the mean of all that is known of these settings.
bool has_left(const Reading<RateStats>& mean, double now) {
  return mean.has_value() &&
         std::abs(now - mean->mean) > std::max(5 * mean->stddev, 0.25 * mean->mean);
}

// With its unit where the headline has another one.
Item rate_item(const Reading<RateStats>& rate, std::string before, const Terms& terms) {
  RateUnit unit = terms.shown;
  Item item = item_of(rate, std::move(before), {}, [&](const RateStats& r) {
    const RateUnit own = rate_unit(r.mean, terms.pace, terms.unit);
    if (terms.pace == Pace::slow_motion || r.mean * unit.per_unit < 0.005) unit = own;
    return fmt::format("{} ±{}", rate_text(r.mean * unit.per_unit),
                       plus_minus_text(r, unit.per_unit));
  });
  const bool named = terms.pace == Pace::slow_motion || unit.name != terms.shown.name;
  if (named && rate.has_value()) item.after = unit.name;
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
  const bool slow = terms.pace == Pace::slow_motion;
  std::vector<Item> items = {
      {name, slow ? rate_text(before) : terms.beside(before), {}, Style::value}};
  if (slow) items[0].after = terms.unit.rate;
  if (slow || !is_settled(t.current.rate) || before <= 0) return items;
  const double now = t.current.rate->mean, ratio = now / before;
  if (terms.differs)
    items.push_back({{}, gain_text(now, before, terms.unit), {}, factor_style(ratio)});
  return items;
}

// The spread of the big number.
Item spread_item(const Throughput& t, const Terms& terms) {
  if (terms.pace == Pace::slow_motion || !is_settled(t.current.rate)) return {};
  return {{}, "±" + plus_minus_text(*t.current.rate, terms.shown.per_unit), {}, Style::dim};
}

// Not in slow motion, whose big number is of now.
Item now_item(const Throughput& t, const Terms& terms) {
  const Reading<double>& rate = present_rate(t, terms);
  Item item = item_of(rate, "now", {}, [&](double now) { return terms.beside(now); });
  if (rate.has_value() && has_left(t.current.rate, *rate)) item.ink = Style::warning;
  return item;
}

// How close it is to the roof, except in slow motion.
void add_roof(std::vector<Item>& items, const Throughput& t, const Terms& terms) {
  const Reading<double> rate = headline(t, terms);
  const std::optional<double>& roof = terms.known.roof;
  if (!roof || terms.pace == Pace::slow_motion || !rate.has_value()) return;
  items.push_back(
      {{},
       fmt::format("{:.0f} %", *rate / *roof * 100),
       "of roof " + (terms.shown.name == terms.unit.rate ? rate_text(*roof)
                                                         : rate_with_unit(*roof, terms.unit)),
       Style::mark});
}

// What a stored result has of these settings, and the ratio to it.
void add_then(std::vector<Item>& items, const Throughput& t, const Terms& terms) {
  const std::optional<double>& then = terms.known.then;
  if (!then || terms.pace == Pace::slow_motion || *then <= 0) return;
  items.push_back({"then", terms.beside(*then), {}, Style::mark});
  if (is_settled(t.current.rate))
    items.back().after = gain_text(t.current.rate->mean, *then, terms.unit);
}

// The number in its unit, on one or two lines with its details.
int draw_small(const Area& area, const Throughput& t, const Terms& terms) {
  const Reading<double> rate = headline(t, terms);
  std::vector<Item> items = {
      item_of(rate, {}, {}, [&](double value) { return rate_text(value * terms.shown.per_unit); })};
  if (!rate.has_value()) items[0].value = kMeasuring;
  items[0].after = rate.has_value() ? terms.shown.name : "";
  if (items[0].ink.style == Style::value)
    items[0].ink = {terms.damaged ? Style::error : Style::graph, kBold};
  if (Item spread = spread_item(t, terms); !spread.value.empty()) items.push_back(spread);
  for (Item& item : comparison(t, terms)) items.push_back(std::move(item));
  if (terms.pace == Pace::normal) items.push_back(now_item(t, terms));
  add_then(items, t, terms);
  add_roof(items, t, terms);
  items.push_back(rate_item(t.over_10s, "10 s", terms));
  const int room = area.rows() >= 4 ? 2 : 1;
  return put_items(area.from_row(0, room), items);
}

// To the right of the digits, a line each.
void draw_details(const Area& area, const Throughput& t, const Terms& terms) {
  std::vector<Item> first = {{{}, std::string(terms.shown.name), {}, Style::value}};
  if (Item spread = spread_item(t, terms); !spread.value.empty()) first.push_back(spread);
  put_items(area.from_row(0, 1), first);
  const bool room = area.rows() >= 5;
  const Area lines = area.from_row(room ? 2 : 1);
  // Without a reference its line stays empty, so that nothing moves when there is one.
  put_items(lines.from_row(0, 1), comparison(t, terms));
  std::vector<Item> now;
  if (terms.pace == Pace::normal) now.push_back(now_item(t, terms));
  add_then(now, t, terms);
  add_roof(now, t, terms);
  now.push_back(rate_item(t.over_10s, "10 s", terms));
  put_items(lines.from_row(1, room ? 2 : 1), now);
}

int draw_big(const Area& area, const Throughput& t, DigitSize size, const Terms& terms) {
  const Reading<double> rate = headline(t, terms);
  const int rows = digit_rows(size);
  // Reserves the widest usual number, so that the details do not move.
  int cols = big_number_cols("88.8", size);
  if (rate.has_value()) {
    const std::string number = rate_text(*rate * terms.shown.per_unit);
    const bool stale = rate.status == ReadingStatus::stale;
    draw_big_number(area, number, size, stale ? Ink(Style::dim) : Ink(rate_style(terms), kBold));
    cols = std::max(cols, big_number_cols(number, size));
  } else {
    area.put((rows - 1) / 2, 0, kMeasuring, Style::dim);
  }
  draw_details(area.part({0, cols + 3, rows, area.cols()}), t, terms);
  return rows;
}

bool draws_big(int rows, int cols) { return rows >= 6 && cols >= 34; }

DigitSize digits_in(int rows, int cols) {
  if (rows >= 24 && cols >= 90) return DigitSize::huge;  // a zoomed panel
  return rows >= 11 && cols >= 52 ? DigitSize::full : DigitSize::half;
}

int big_rows(int rows, int cols) { return digit_rows(digits_in(rows, cols)); }

}  // namespace

void draw_history(const Area& area, const Throughput& throughput, uint64_t now_ns, Pace pace,
                  const KnownRates& known) {
  const bool marks = area.rows() >= 2;
  const int graph_rows = area.rows() - (marks ? 1 : 0);
  const int axis_cols = area.cols() >= 36 ? kAxisCols : 0;
  const Area graph = area.part({0, axis_cols, graph_rows, area.cols() - axis_cols});
  if (graph.empty()) return;
  const int bins_a_cell = bins_in_a_cell(area.glyphs());
  Bins bins = bin_history(throughput.history, now_ns, graph.cols() * bins_a_cell);
  const double most = *std::ranges::max_element(bins.values);
  const RateUnit unit = rate_unit(most, pace, unit_of(throughput.current.requested));
  for (double& value : bins.values) value *= unit.per_unit;
  const auto near = [&](std::optional<double> rate) { return rate && *rate <= 2 * most; };
  double highest = most;
  for (const auto& rate : {known.roof, known.then})
    if (near(rate)) highest = std::max(highest, *rate);
  const double top = axis_end(highest * unit.per_unit);
  draw_curve(graph, bins, top, Style::graph);
  const std::string_view name = unit_of(throughput.current.requested).rate;
  const auto draw = [&](std::optional<double> rate, std::string_view what) {
    if (near(rate))
      draw_level(graph, *rate * unit.per_unit / top,
                 fmt::format("{} {} {}", what, rate_text(*rate), name));
  };
  draw(known.then, "then");
  draw(known.roof, "roof");
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
  std::string rate = a.rate.has_value() ? rate_with_unit(a.rate->mean, unit_of(a.requested)) : "…";
  if (a.requested.pipe.slow_motion) rate = "slow motion";
  const int room = cols - columns_of("A: , ") - columns_of(rate);
  if (columns_of(a.label) <= room) return fmt::format("A: {}, {}", a.label, rate);
  constexpr int kWorthReading = 6;
  if (room < kWorthReading) return fmt::format("A: {}", rate);
  return fmt::format("A: {}…, {}", beginning(a.label, room - 1), rate);
}

bool has_cause_row(int rows, int cols) {
  return draws_big(rows, cols) && rows >= big_rows(rows, cols) + kLeastHistory + 1;
}

void draw_throughput(const Area& area, const Throughput& t, uint64_t now_ns, Pace pace,
                     const Segment* a, const KnownRates& known, std::string_view cause,
                     bool damaged, bool differs) {
  Terms terms{pace, a, unit_of(t.current.requested), known, damaged, now_ns, differs};
  if (const Reading<double> rate = headline(t, terms); rate.has_value())
    terms.shown = rate_unit(*rate, pace, terms.unit);
  int used = 0;
  if (draws_big(area.rows(), area.cols()))
    used = draw_big(area, t, digits_in(area.rows(), area.cols()), terms);
  else
    used = draw_small(area, t, terms);
  if (has_cause_row(area.rows(), area.cols()))
    area.put_fitted(used++, 0, area.cols(), cause, Style::value);
  draw_history(area.from_row(used), t, now_ns, pace, known);
}

}  // namespace pipetop::tui
