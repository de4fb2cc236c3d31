#include "tui/state/message.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "engine/workload/pipe/verdict.h"
#include "tui/draw/text_width.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kInfoStays_ns = 10'000'000'000;
constexpr uint64_t kWarningStays_ns = 30'000'000'000;
constexpr uint64_t kTurn_ns = 4'000'000'000;  // of each error

std::string text_of(const Mismatch& m) {
  std::string text =
      fmt::format("{}: {} requested, {} effective", m.knob, m.requested, m.effective);
  if (!m.reason.empty()) text += ": " + m.reason;
  return text;
}

bool is_new(const Notice& notice, uint64_t now_ns) {
  const uint64_t stays = notice.severity == Severity::info ? kInfoStays_ns : kWarningStays_ns;
  return now_ns < notice.at_ns + stays;
}

// The newest notice of a severity, while it is new.
const Notice* newest(const Snapshot& s, Severity severity) {
  const auto found =
      std::ranges::find(s.notices.rbegin(), s.notices.rend(), severity, &Notice::severity);
  return found != s.notices.rend() && is_new(*found, s.now_ns) ? &*found : nullptr;
}

// Most pressing first.
std::vector<Message> what_is_wrong(const Snapshot& s) {
  std::vector<Message> wrong;
  const auto add = [&](Severity severity) {
    if (const Notice* notice = newest(s, severity)) wrong.push_back({notice->text, severity});
  };
  add(Severity::error);
  for (const Mismatch& m : s.effective.mismatches) wrong.push_back({text_of(m), Severity::warning});
  add(Severity::warning);
  return wrong;
}

// Starts with the newest notice, so that it is read first.
size_t turn(const Snapshot& s, const ViewState& state, size_t count) {
  const uint64_t since = s.notices.empty() ? 0 : s.notices.back().at_ns;
  const uint64_t now = std::max(state.now_ns, since);
  return (now - since) / kTurn_ns % count;
}

// From the function up to its entry point, so that truncation removes the far end.
std::string path_text(const ListState& list) {
  std::string text;
  const auto rows = rows_of(list);
  for (const CallRow* row = selected_row(list); row;) {
    if (!text.empty()) text += " ← ";
    text += row->name;
    row = row->parent < 0 ? nullptr : &rows[static_cast<size_t>(row->parent)];
  }
  return text;
}

}  // namespace

std::string verdict_text(const Verdict& verdict) {
  return fmt::format("{}: {}", to_text(verdict.bound), verdict.because);
}

bool verdict_fits(const Reading<Verdict>& verdict, int cols) {
  return !verdict.has_value() || columns_of(verdict_text(*verdict)) <= cols;
}

Message message_of(const Snapshot& s, const ViewState& state, VerdictAt verdict) {
  if (state.choice.filter_before)
    return {fmt::format("/{}_   Enter keeps the filter, Esc drops it", state.choice.filter),
            Severity::info};
  if (!state.message.empty()) return {state.message, state.severity};
  std::vector<Message> wrong = what_is_wrong(s);
  if (!wrong.empty()) {
    const size_t n = turn(s, state, wrong.size());
    if (wrong.size() > 1)
      wrong[n].text = fmt::format("({} of {}) {}", n + 1, wrong.size(), wrong[n].text);
    return wrong[n];
  }
  if (const Notice* news = newest(s, Severity::info)) return {news->text, Severity::info};
  if (!state.log && selected_row(state.list(state.focus)))
    return {path_text(state.list(state.focus)), Severity::info};
  const bool stamped = s.requested.pipe.payload == Payload::stamped;
  if (stamped && s.integrity.status == ReadingStatus::unavailable)
    return {s.integrity.reason, Severity::info};
  if (verdict == VerdictAt::message && s.verdict.has_value())
    return {verdict_text(*s.verdict), Severity::info};
  return {s.effective.pipe.zero_copy_reason, Severity::info};
}

}  // namespace pipetop::tui
