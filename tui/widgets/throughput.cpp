#include "tui/widgets/throughput.h"

#include <vector>

#include "tui/dashboard/pen.h"
#include "tui/widgets/big_number.h"
#include "tui/widgets/history.h"
#include "tui/widgets/numbers.h"

namespace pipetop::tui {
namespace {

constexpr std::string_view kUnit = "GiB/s";

// What the big number shows: one second is steady enough to read aloud.
const Reading<double>& headline(const Throughput& t) {
  return t.over_1s.has_value() ? t.over_1s : t.over_100ms;
}

Item rate_item(const Reading<RateStats>& rate, std::string before) {
  return item_of(rate, std::move(before), {}, [](const RateStats& r) {
    return fmt::format("{} ±{}", gib_text(r.mean), gib_text(r.stddev));
  });
}

// The segment before the last change, and what the change was worth.
std::vector<Item> comparison(const Throughput& t) {
  if (!t.previous || !t.previous->rate.has_value()) return {};
  const double before = t.previous->rate->mean;
  std::vector<Item> items = {{"was", gib_text(before), {}, Style::value}};
  if (!t.current.rate.has_value() || before <= 0) return items;
  const double ratio = t.current.rate->mean / before;
  const Style style = ratio >= 1.02 ? Style::good : ratio <= 0.98 ? Style::warning : Style::value;
  items.push_back({{}, ratio_text(ratio), {}, style});
  return items;
}

// On one or two lines: the number among its details.
int draw_small(const Area& area, const Throughput& t) {
  std::vector<Item> items = {item_of(headline(t), {}, std::string(kUnit), gib_text)};
  if (items[0].ink.style == Style::value) items[0].ink = {Style::graph, kBold};
  for (Item& item : comparison(t)) items.push_back(std::move(item));
  items.push_back(rate_item(t.over_10s, "10 s"));
  const int room = area.rows() >= 4 ? 2 : 1;
  return flow(area.from_row(0, room), items);
}

// To the right of the digits, a line each.
void draw_details(const Area& area, const Throughput& t) {
  area.put(0, 0, kUnit, Style::value);
  const bool room = area.rows() >= 5;
  const Area lines = area.from_row(room ? 2 : 1);
  int row = 0;
  const std::vector<Item> compared = comparison(t);
  if (!compared.empty()) flow(lines.from_row(row++, 1), compared);
  if (room && t.previous) {
    const std::string& key = t.current.key;
    const Item since[] = {rate_item(t.current.rate, "since " + (key.empty() ? "then" : key))};
    flow(lines.from_row(row++, 1), since);
  }
  const Item ten_seconds[] = {rate_item(t.over_10s, "10 s")};
  flow(lines.from_row(row, 1), ten_seconds);
}

int draw_big(const Area& area, const Throughput& t, DigitSize size) {
  const std::string number = gib_text(*headline(t));
  const bool stale = headline(t).status == ReadingStatus::stale;
  draw_big_number(area, number, size, stale ? Ink(Style::dim) : Ink(Style::graph, kBold));
  // The widest usual number keeps the details in their place.
  const int cols = std::max(big_number_cols(number, size), big_number_cols("88.8", size));
  const int rows = digit_rows(size);
  draw_details(area.part({0, cols + 3, rows, area.cols()}), t);
  return rows + (area.rows() > rows + 8 ? 1 : 0);
}

}  // namespace

void draw_throughput(const Area& area, const Throughput& t, uint64_t now_ns) {
  int used = 0;
  if (!headline(t).has_value() || area.rows() < 6 || area.cols() < 34) {
    used = draw_small(area, t);
  } else {
    const bool huge = area.rows() >= 11 && area.cols() >= 52;
    used = draw_big(area, t, huge ? DigitSize::full : DigitSize::half);
  }
  draw_history(area.from_row(used), t, now_ns);
}

}  // namespace pipetop::tui
