#include "tui/widgets/throughput.h"

#include <vector>

#include "engine/registry/terms.h"
#include "tui/draw/charts.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/history.h"

namespace pipetop::tui {
namespace {

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
};

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
  if (items[0].ink.style == Style::value) items[0].ink = {Style::graph, kBold};
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
  const Ink ink =
      terms.pace == Pace::slow_motion ? Ink(Style::warning, kBold) : Ink(Style::graph, kBold);
  draw_big_number(area, number, size, stale ? Ink(Style::dim) : ink);
  // Reserves the widest usual number, so that the details do not move.
  const int cols = std::max(big_number_cols(number, size), big_number_cols("88.8", size));
  const int rows = digit_rows(size);
  draw_details(area.part({0, cols + 3, rows, area.cols()}), t, unit, terms);
  return rows + (area.rows() > rows + 8 ? 1 : 0);
}

}  // namespace

TitlePart pace_badge(Pace pace) {
  if (pace == Pace::normal) return {};
  return {" SLOW MOTION ", {Style::warning, kReverse}};
}

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
                     const Segment* a, std::optional<double> roof) {
  const Terms terms{pace, a, unit_of(t.current.requested), roof};
  int used = 0;
  if (!headline(t).has_value() || area.rows() < 6 || area.cols() < 34) {
    used = draw_small(area, t, terms);
  } else {
    const bool huge = area.rows() >= 11 && area.cols() >= 52;
    used = draw_big(area, t, huge ? DigitSize::full : DigitSize::half, terms);
  }
  draw_history(area.from_row(used), t, now_ns, pace, roof);
}

}  // namespace pipetop::tui
