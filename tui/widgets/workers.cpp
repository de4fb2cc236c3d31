#include "tui/widgets/workers.h"

#include <algorithm>
#include <array>

#include "engine/registry/terms.h"
#include "tui/draw/charts.h"
#include "tui/draw/look.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

struct StateName {
  ProcessState state;
  std::string_view name;
};
constexpr std::array<StateName, 8> kStateNames = {{
    {ProcessState::flowing, "flowing"},
    {ProcessState::held, "held"},
    {ProcessState::changing, "changing"},
    {ProcessState::starting, "starting"},
    {ProcessState::stopped, "stopped"},
    {ProcessState::restarting, "restarting"},
    {ProcessState::refused, "refused"},
    {ProcessState::failed, "failed"},
}};
static_assert(in_order(kStateNames, &StateName::state));

// Empty while all is well.
TitlePart state_part(const WorkerView& w) {
  if (w.state == ProcessState::flowing && w.restarts == 0) return {};
  std::string text(kStateNames[static_cast<size_t>(w.state)].name);
  if (w.state == ProcessState::flowing)
    text = w.restarts == 1 ? "restarted" : fmt::format("restarted ×{}", w.restarts);
  if (!w.state_reason.empty()) text += ": " + w.state_reason;
  const bool bad = w.state == ProcessState::refused || w.state == ProcessState::failed;
  const bool calm = w.state == ProcessState::starting || w.state == ProcessState::changing ||
                    w.state == ProcessState::held;
  return {std::move(text), bad ? Style::error : calm ? Style::dim : Style::warning};
}

// Most important first: what does not fit is left out.
std::vector<Item> counters(const WorkerView& w, const Unit& unit) {
  constexpr int kPercentCols = 4, kCountCols = 5;
  std::vector<Item> items;
  const auto add = [&](const char* before, const Reading<double>& reading, const char* after,
                       auto format, int width) {
    items.push_back(item_of(reading, before, after, format));
    items.back().width = width;
  };
  add("", w.syscalls_per_s, "calls/s", count_text, kCountCols);
  const auto amount = [&](double count) { return items_text(count, unit.items); };
  add("", w.bytes_per_call, "/call", amount, 7);
  add("EAGAIN", w.eagain_share, "", whole_percent_text, kPercentCols);
  const auto add_known = [&](const char* before, const Reading<double>& reading, const char* after,
                             auto format, int width) {
    if (reading.has_value()) add(before, reading, after, format, width);
  };
  add("cpu", w.shares.on_cpu, "", whole_percent_text, kPercentCols);
  add_known("blocked", w.shares.blocked, "", whole_percent_text, kPercentCols);
  add_known("wakeups", w.wakeups_per_s, "/s", count_text, kCountCols);
  if (w.voluntary_switches_per_s.has_value() && w.involuntary_switches_per_s.has_value()) {
    add("vol", w.voluntary_switches_per_s, "/s", count_text, kCountCols);
    add("invol", w.involuntary_switches_per_s, "/s", count_text, kCountCols);
  } else {
    add("ctx", w.context_switches_per_s, "/s", count_text, kCountCols);
  }
  add("short", w.short_share, "", whole_percent_text, kPercentCols);
  add_known("runnable", w.shares.runnable, "", whole_percent_text, kPercentCols);
  add("faults", w.page_faults_per_s, "/s", count_text, kCountCols);
  return items;
}

struct Detail {
  bool pid = true, cpu = true, target = true;
};

// "splice → /dev/null" without where it goes.
std::string without_target(const std::string& technique) {
  return technique.substr(0, technique.find(" → "));
}

// What differs from the request says so in brackets.
TitlePart technique_part(const std::string& technique, bool with_target) {
  const bool wrong = technique.ends_with(')');
  return {with_target ? technique : without_target(technique),
          wrong ? Style::warning : Style::plain};
}

std::vector<TitlePart> title_with(const WorkerView& w, Detail detail) {
  std::string name = w.name;
  if (w.processes > 1)
    name = fmt::format("{} {}s", w.processes, w.name);
  else if (w.pid > 0 && detail.pid)
    name += fmt::format(" {}", w.pid);
  std::vector<TitlePart> parts = {{std::move(name), {style_of(w.role), kBold}}, state_part(w)};
  if (w.last_cpu.has_value() && detail.cpu)
    parts.push_back({fmt::format("cpu {}", *w.last_cpu), {}});
  for (const std::string& technique : w.technique)
    parts.push_back(technique_part(technique, detail.target));
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
  int name = 0, pid = 0, cpu = 0, rate = 0, bar = 0, bar_cols = 0;
};

Columns columns_for(const Area& area, const Snapshot& s) {
  int name = columns_of("total");
  for (const PartView& part : s.parts) name = std::max(name, columns_of(part.name));
  const int unit = columns_of(unit_of(s.requested).rate);
  Columns c;
  c.pid = name + 2;
  c.cpu = c.pid + 9;
  c.rate = c.cpu + 5 + std::max(0, unit + 1 - kRateCols);
  c.bar = c.rate + kRateCols + 1;
  c.bar_cols = std::max(0, area.cols() - c.bar);
  return c;
}

void put_rate(const Area& area, const Columns& c, const Reading<double>& rate, uint8_t emphasis) {
  area.part({0, c.rate, 1, kRateCols})
      .put_right(0, text_of(rate, rate_text), {value_style(rate), emphasis});
}

void draw_part(const Area& area, const Columns& c, const PartView& part, double largest) {
  area.put(0, 0, part.name, Style::plain);
  area.put(0, c.pid, part.pid > 0 ? std::to_string(part.pid) : "—", Style::dim);
  area.put(0, c.cpu, part.cpu.has_value() ? std::to_string(*part.cpu) : "…", Style::plain);
  put_rate(area, c, part.rate, kNone);
  if (part.rate.has_value() && largest > 0)
    draw_bar(area.part({0, c.bar, 1, c.bar_cols}), *part.rate / largest, Style::graph);
}

// The sum of the values above, so that they agree.
Reading<double> total_of(std::span<const PartView> parts) {
  double sum = 0;
  for (const PartView& part : parts) {
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
  area.part({0, 0, 1, c.rate + kRateCols}).put_right(0, terms.unit.rate, Style::dim);
}

}  // namespace

std::vector<TitlePart> worker_title(const WorkerView& w, int cols) {
  for (const Detail detail : {Detail{}, Detail{true, true, false}, Detail{true, false, false}}) {
    std::vector<TitlePart> parts = title_with(w, detail);
    if (title_columns(parts) <= cols) return parts;
  }
  return title_with(w, {false, false, false});
}

void draw_worker(const Area& area, const WorkerView& w, const Unit& unit,
                 const FunctionListView& functions) {
  if (area.empty()) return;
  const int rows = counter_rows(area.rect());
  flow(area.from_row(0, rows), counters(w, unit));
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
  for (const PartView& part : s.parts)
    if (part.rate.has_value()) largest = std::max(largest, *part.rate);
  // The figures first: there are few, and they add to the rows.
  int row = draw_figures(area.from_row(0, std::max(0, area.rows() - 3)), s.figures);
  if (row > 0 && area.rows() - row > static_cast<int>(s.parts.size()) + 2) ++row;  // air
  const int room = area.rows() - row - (s.parts.size() > 1 ? 2 : 1);
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
