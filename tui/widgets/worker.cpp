#include "tui/widgets/worker.h"

#include <algorithm>
#include <array>

#include "tui/draw/enum_table.h"
#include "tui/draw/numbers.h"

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

}  // namespace pipetop::tui
