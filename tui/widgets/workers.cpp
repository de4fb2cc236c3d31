#include "tui/widgets/workers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/workload/table/workloads.h"
#include "tui/draw/charts.h"
#include "tui/draw/numbers.h"
#include "tui/draw/style.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

struct StateStyle {
  ProcessState state;
  std::string_view name;
  Style style;
};
constexpr std::array<StateStyle, 8> kStates = {{
    {ProcessState::flowing, "restarted", Style::warning},
    {ProcessState::held, "held", Style::dim},
    {ProcessState::changing, "changing", Style::dim},
    {ProcessState::starting, "starting", Style::dim},
    {ProcessState::stopped, "stopped", Style::warning},
    {ProcessState::restarting, "restarting", Style::warning},
    {ProcessState::refused, "refused", Style::error},
    {ProcessState::failed, "failed", Style::error},
}};
static_assert(in_order(kStates, &StateStyle::state));

// Empty while all is well.
TitlePart state_part(const WorkerReadings& w) {
  const bool flowing = w.state == ProcessState::flowing;
  if (flowing && w.restarts == 0) return {};
  const StateStyle& look = kStates[static_cast<size_t>(w.state)];
  std::string text(look.name);
  if (flowing && w.restarts > 1) text += fmt::format(" ×{}", w.restarts);
  if (!w.state_reason.empty()) text += ": " + w.state_reason;
  return {std::move(text), look.style};
}

// "39", of shares that end with one "%" for all of them.
std::string bare_percent_text(double share) {
  const std::string text = whole_percent_text(share);
  return text.substr(0, text.find(' '));
}

// All three of a known time, where they don't fit side by side; if one is 100 the others are 0.
Item shares_in_one(const char* cpu, const TimeShares& shares) {
  const int width = *shares.on_cpu < 0.995 ? 2 : 1;
  const auto text = [&](const Reading<double>& share) {
    return fmt::format("{:>{}}", bare_percent_text(*share), width);
  };
  return {cpu,
          fmt::format("{}  blocked {}  runnable {}", text(shares.on_cpu), text(shares.blocked),
                      text(shares.runnable)),
          "%", value_style(shares.on_cpu)};
}

// Most important first: what does not fit is left out.
std::vector<Item> counters(const WorkerReadings& w, const Unit& unit, int cols) {
  std::vector<Item> items;
  const auto add = [&](const char* before, const Reading<double>& reading, const char* after,
                       auto format, int width) {
    items.push_back(item_of(reading, before, after, format));
    items.back().width = width;
  };
  const auto count = [&](const char* before, const Reading<double>& reading,
                         const char* after = "/s") { add(before, reading, after, count_text, 5); };
  const auto percent = [&](const char* before, const Reading<double>& reading) {
    add(before, reading, "", whole_percent_text, 4);
  };
  count("", w.syscalls_per_s, "calls/s");
  const auto amount = [&](double number) { return items_text(number, unit.items); };
  add("", w.bytes_per_call, "/call", amount, 7);
  const bool had_eagain = w.counts.eagain > 0;
  if (had_eagain) percent("EAGAIN", w.eagain_share);
  const char* cpu = w.overstates_cpu() ? "cpu ≤" : "cpu";
  // Two shares of three leave one to wonder where the rest of the time goes.
  const int side_by_side = columns_of(cpu) + columns_of(" 100 %  blocked  0 %  runnable  0 %");
  const TimeShares& shares = w.shares;
  std::optional<Item> in_one;
  if (shares.on_cpu.has_value() && shares.blocked.has_value() && shares.runnable.has_value())
    in_one = shares_in_one(cpu, shares);
  if (in_one && !had_eagain && cols < side_by_side && in_one->columns() <= cols) {
    items.push_back(std::move(*in_one));
  } else {
    percent(cpu, shares.on_cpu);
    if (shares.blocked.has_value()) percent("blocked", shares.blocked);
    if (shares.runnable.has_value()) percent("runnable", shares.runnable);
  }
  if (!had_eagain) percent("EAGAIN", w.eagain_share);
  if (w.wakeups_per_s.has_value()) count("wakeups", w.wakeups_per_s);
  if (w.voluntary_switches_per_s.has_value() && w.involuntary_switches_per_s.has_value()) {
    count("vol", w.voluntary_switches_per_s);
    count("invol", w.involuntary_switches_per_s);
  } else {
    count("ctx", w.context_switches_per_s);
  }
  percent("short", w.short_share);
  count("faults", w.page_faults_per_s);
  return items;
}

// In increasingly short forms: without the technique's target ("splice → /dev/null"), the CPU, and
// the PID. A technique that differs from the request says so in brackets.
std::vector<TitlePart> title_with(const WorkerReadings& w, int brevity) {
  std::string name = w.name;
  if (w.processes > 1)
    name = fmt::format("{} {}s", w.processes, w.name);
  else if (w.pid > 0 && brevity < 3)
    name += fmt::format(" {}", w.pid);
  std::vector<TitlePart> parts = {{std::move(name), {style_of(w.role), kBold}}, state_part(w)};
  if (w.last_cpu.has_value() && brevity < 2)
    parts.push_back({fmt::format("cpu {}", *w.last_cpu), {}});
  for (const std::string& technique : w.technique)
    parts.push_back({brevity < 1 ? technique : technique.substr(0, technique.find(" → ")),
                     technique.ends_with(')') ? Style::warning : Style::plain});
  return parts;
}

// Each on its own line, with the reason if there is no value: there are few.
int draw_figures(const Area& area, std::span<const Figure> figures) {
  int name_cols = 0;
  for (const Figure& figure : figures) name_cols = std::max(name_cols, columns_of(figure.name));
  int row = 0;
  for (const Figure& figure : figures) {
    if (row >= area.rows()) break;
    area.put(row, 0, figure.name, Style::dim);
    const Area value = area.part({row, name_cols + 2, area.rows(), area.cols()});
    if (figure.value.has_value()) {
      value.put(0, 0, figure_text(figure.kind, *figure.value), value_style(figure.value));
      ++row;
    } else {
      row += std::max(1, wrap(value.from_row(0, 2), figure.value.reason, Style::dim));
    }
  }
  return row;
}

constexpr int kRateCols = 7;

struct Columns {
  int pid, cpu;
  Rect rate, bar;
};

Columns columns_for(const Area& area, const Snapshot& s) {
  int name = columns_of("total");
  for (const PartReadings& part : s.parts) name = std::max(name, columns_of(part.name));
  const int unit = columns_of(unit_of(s.requested).rate);
  const int pid = name + 2, cpu = pid + 9;
  const Rect rate{0, cpu + 5 + std::max(0, unit + 1 - kRateCols), 1, kRateCols};
  return {pid, cpu, rate, {0, rate.end_col() + 1, 1, area.cols()}};
}

void put_rate(const Area& area, const Columns& c, const Reading<double>& rate, uint8_t emphasis) {
  area.part(c.rate).put_right(0, text_of(rate, rate_text), {value_style(rate), emphasis});
}

void draw_part(const Area& area, const Columns& c, const PartReadings& part, double largest) {
  area.put(0, 0, part.name, Style::plain);
  area.put(0, c.pid, part.pid > 0 ? std::to_string(part.pid) : "—", Style::dim);
  area.put(0, c.cpu, part.cpu.has_value() ? std::to_string(*part.cpu) : "…", Style::plain);
  put_rate(area, c, part.rate, kNone);
  if (part.rate.has_value() && largest > 0)
    draw_bar(area.part(c.bar), *part.rate / largest, Style::graph);
}

// The sum of the values above, so that they agree.
Reading<double> total_of(std::span<const PartReadings> parts) {
  double sum = 0;
  for (const PartReadings& part : parts) {
    if (!part.rate.has_value()) return part.rate;
    sum += *part.rate;
  }
  return Reading<double>::of(sum);
}

void draw_heading(const Area& area, const Columns& c, const Snapshot& s) {
  const WorkloadTerms& terms = terms_of(s.requested);
  area.put(0, 0, terms.part, Style::dim);
  area.put(0, c.pid, "pid", Style::dim);
  area.put(0, c.cpu, "cpu", Style::dim);
  area.part({0, 0, 1, c.rate.end_col()}).put_right(0, terms.unit.rate, Style::dim);
}

}  // namespace

int counter_rows(const Rect& panel) { return panel.rows < (panel.cols >= 130 ? 8 : 7) ? 1 : 2; }

std::vector<TitlePart> worker_title(const WorkerReadings& w, int cols) {
  int brevity = 0;
  while (brevity < 3 && title_columns(title_with(w, brevity)) > cols) ++brevity;
  return title_with(w, brevity);
}

void draw_worker(const Area& area, const WorkerReadings& w, const Unit& unit,
                 const FunctionListOptions& functions) {
  if (area.empty()) return;
  const int rows = counter_rows(area.rect());
  put_items(area.from_row(0, rows), counters(w, unit, area.cols()));
  draw_function_list(area.from_row(rows), functions);
}

std::vector<TitlePart> parts_title(const Snapshot& s) {
  const WorkloadTerms& terms = terms_of(s.requested);
  const std::string plural = s.parts.size() == 1 ? "" : "s";
  return {{fmt::format("{} {}{}", s.parts.size(), terms.part, plural), Style::title}};
}

void draw_parts(const Area& area, const Snapshot& s) {
  if (area.empty()) return;
  const Columns c = columns_for(area, s);
  double largest = 0;
  for (const PartReadings& part : s.parts)
    if (part.rate.has_value()) largest = std::max(largest, *part.rate);
  // The figures first: there are few, and they add to the rows.
  int row = draw_figures(area.from_row(0, std::max(0, area.rows() - 3)), s.figures);
  if (row > 0 && area.rows() - row > static_cast<int>(s.parts.size()) + 2) ++row;  // air
  int room = area.rows() - row - (s.parts.size() > 1 ? 2 : 1);
  // What the columns are is worth less than the only parts that there is room for.
  if (static_cast<int>(s.parts.size()) == room + 1)
    ++room;
  else
    draw_heading(area.from_row(row++, 1), c, s);
  const auto fits = static_cast<size_t>(std::max(0, room));
  const size_t shown = s.parts.size() <= fits ? s.parts.size() : fits > 0 ? fits - 1 : 0;
  for (size_t i = 0; i < shown; ++i) draw_part(area.from_row(row++, 1), c, s.parts[i], largest);
  if (shown < s.parts.size() && fits > 0)
    area.put(row++, 0, fmt::format("and {} more", s.parts.size() - shown), Style::dim);
  if (s.parts.size() <= 1) return;
  area.put(row, 0, "total", Style::plain);
  put_rate(area.from_row(row, 1), c, total_of(s.parts), kBold);
}

}  // namespace pipetop::tui
