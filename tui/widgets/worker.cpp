#include "tui/widgets/worker.h"

#include <algorithm>

#include "engine/knobs.h"
#include "tui/widgets/numbers.h"

namespace pipetop::tui {
namespace {

std::string_view text_of(ProcessState state) {
  switch (state) {
    case ProcessState::starting:
      return "starting";
    case ProcessState::flowing:
      return "flowing";
    case ProcessState::held:
      return "held";
    case ProcessState::refused:
      return "refused";
    case ProcessState::failed:
      return "failed";
    case ProcessState::stopped:
      return "stopped";
    case ProcessState::restarting:
      return "restarting";
  }
  return "";
}

// Empty while all is well.
TitlePart state_part(const WorkerView& w) {
  if (w.state == ProcessState::flowing && w.restarts == 0) return {};
  std::string text;
  if (w.state == ProcessState::flowing) {
    text = w.restarts == 1 ? "restarted" : fmt::format("restarted ×{}", w.restarts);
  } else {
    text = text_of(w.state);
  }
  if (!w.state_reason.empty()) text += ": " + w.state_reason;
  const bool bad = w.state == ProcessState::refused || w.state == ProcessState::failed;
  const bool calm = w.state == ProcessState::starting || w.state == ProcessState::held;
  return {std::move(text), bad ? Style::error : calm ? Style::dim : Style::warning};
}

std::string technique(Role role, const Settings& s) {
  if (role == Role::writer) return std::string(to_text(s.write_with));
  return s.read_with == ReadWith::splice ? "splice → /dev/null" : std::string(to_text(s.read_with));
}

std::string whole_percent(double share) { return fmt::format("{:.0f} %", share * 100); }

// Most telling first: what does not fit is left out at the end.
std::vector<Item> counters(const WorkerView& w) {
  std::vector<Item> items;
  items.push_back(item_of(w.syscalls_per_s, {}, "calls/s", count_text));
  items.push_back(item_of(w.bytes_per_call, {}, "/call", bytes_text));
  items.push_back(item_of(w.eagain_share, "EAGAIN", {}, whole_percent));
  items.push_back(item_of(w.on_cpu_share, "cpu", {}, whole_percent));
  items.push_back(item_of(w.context_switches_per_s, "ctx", "/s", count_text));
  items.push_back(item_of(w.short_share, "short", {}, whole_percent));
  if (w.blocked_share.has_value())
    items.push_back(item_of(w.blocked_share, "blocked", {}, whole_percent));
  if (w.runnable_share.has_value())
    items.push_back(item_of(w.runnable_share, "runnable", {}, whole_percent));
  items.push_back(item_of(w.page_faults_per_s, "faults", "/s", count_text));
  return items;
}

int counter_rows(int rows, int cols) {
  if (rows < 5) return 1;
  return cols >= 130 && rows < 8 ? 1 : 2;
}

}  // namespace

std::vector<TitlePart> worker_title(const WorkerView& w, const Settings& effective) {
  const Style role = w.role == Role::writer ? Style::writer : Style::reader;
  std::string name(to_text(w.role));
  if (w.pid > 0) name += fmt::format(" {}", w.pid);
  std::vector<TitlePart> parts = {{std::move(name), {role, kBold}}, state_part(w)};
  parts.push_back({w.last_cpu.has_value() ? fmt::format("cpu {}", *w.last_cpu) : "", Style::plain});
  parts.push_back({technique(w.role, effective), Style::plain});
  if (w.role == Role::writer) parts.push_back({std::string(to_text(effective.pages)), {}});
  parts.push_back({std::string(to_text(wait_of(effective, w.role))), Style::plain});
  return parts;
}

void draw_worker(const Area& area, const WorkerView& w, const FunctionListView& functions) {
  if (area.empty()) return;
  const int rows = counter_rows(area.rows(), area.cols());
  flow(area.from_row(0, rows), counters(w));
  draw_function_list(area.from_row(rows), functions);
}

int function_rows(int panel_rows, int panel_cols) {
  return visible_functions(panel_rows - counter_rows(panel_rows, panel_cols));
}

}  // namespace pipetop::tui
