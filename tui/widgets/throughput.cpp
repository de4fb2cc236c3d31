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
void add_comparison(std::vector<Item>& items, const Throughput& t) {
  if (!t.previous || !t.previous->rate.has_value()) return;
  const double before = t.previous->rate->mean;
  items.push_back({"was", gib_text(before), {}, Style::value});
  if (!t.current.rate.has_value() || before <= 0) return;
  const double ratio = t.current.rate->mean / before;
  const Style style = ratio >= 1.02 ? Style::good : ratio <= 0.98 ? Style::warning : Style::value;
  items.push_back({{}, ratio_text(ratio), {}, style});
}

std::vector<Item> details(const Throughput& t) {
  std::vector<Item> items;
  add_comparison(items, t);
  items.push_back(rate_item(t.over_10s, "10 s"));
  return items;
}

// On one or two lines: the number among its details.
int draw_small(const Area& area, const Throughput& t) {
  std::vector<Item> items = details(t);
  Item rate = item_of(headline(t), {}, std::string(kUnit), gib_text);
  if (rate.ink.style == Style::value) rate.ink = Style::graph, rate.ink.emphasis = kBold;
  items.insert(items.begin(), std::move(rate));
  const int room = area.rows() >= 4 ? 2 : 1;
  return flow(area.from_row(0, room), items);
}

// Digits of several rows, the details to their right.
int draw_big(const Area& area, const Throughput& t, DigitSize size) {
  const std::string number = gib_text(*headline(t));
  const bool stale = headline(t).status == ReadingStatus::stale;
  draw_big_number(area, number, size, stale ? Ink(Style::dim) : Ink(Style::graph, kBold));
  const int col = std::max(big_number_cols(number, size), big_number_cols("88.8", size)) + 2;
  const int rows = digit_rows(size);
  const Area right = area.part({0, col, rows, area.cols() - col});
  right.put(rows - 1, 0, kUnit, Style::value);
  const Area stats = right.part({0, 8, rows, right.cols() - 8});
  std::vector<Item> items = details(t);
  items.push_back(rate_item(t.current.rate, "since change"));
  int row = rows - 1;
  flow(stats.from_row(row, 1), std::span(items).subspan(items.size() - 2, 1));
  if (items.size() > 2) flow(stats.from_row(row - 1, 1), std::span(items).first(items.size() - 2));
  if (t.previous) flow(stats.from_row(row - 2, 1), std::span(items).last(1));
  return rows + (area.rows() > rows + 6 ? 1 : 0);
}

}  // namespace

void draw_throughput(const Area& area, const Throughput& t, uint64_t now_ns) {
  int used = 0;
  if (!headline(t).has_value() || area.rows() < 9 || area.cols() < 50) {
    used = draw_small(area, t);
  } else {
    const bool huge = area.rows() >= 16 && area.cols() >= 72;
    used = draw_big(area, t, huge ? DigitSize::full : DigitSize::half);
  }
  draw_history(area.from_row(used), t, now_ns);
}

}  // namespace pipetop::tui
